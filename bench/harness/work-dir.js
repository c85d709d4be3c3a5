/**
 * Creates the folder for files that the samples of a run share: snapshots, temporary files, and a copy of Node.js, so
 * that measured processes map no pages of the harness's files.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { PitvError, messageOf } from '../../app/errors.js';

/** Types of tmpfs and ramfs (statfs(2)). Their files use memory, and programs on them count as shared memory. */
const IN_MEMORY = [0x01021994, 0x858458f6];
/** Two copies of Node.js. */
const ROOM_BYTES = 300 * 1024 * 1024;
const BEST_SCORE = 3;

/**
 * Creates a folder in the best of several places: on a disk with enough space, without the mount option noexec. On the
 * card of a Pi, all partitions except one may be read-only, and /tmp is in memory.
 * @param {string} [preferred] a folder that is tried first
 * @returns {string} path of a new folder; the caller removes it
 * @throws {PitvError} PITV_BENCH_NO_ROOM if no place is writable
 */
export function makeWorkDir(preferred = tmpdir()) {
  let best = { path: '', score: -1 };
  let problem = '';
  for (const place of [preferred, tmpdir(), '/var/tmp']) {
    if (best.score === BEST_SCORE) break;
    try {
      const path = fs.mkdtempSync(join(place, 'pitv-bench-'));
      const score = scoreOf(path);
      const worse = score > best.score ? best.path : path;
      if (worse) fs.rmSync(worse, { recursive: true, force: true });
      if (score > best.score) best = { path, score };
    } catch (error) {
      problem = messageOf(error);
    }
  }
  if (best.path) return best.path;
  throw new PitvError('PITV_BENCH_NO_ROOM', `No folder for samples could be created: ${problem}.`);
}

/** Rates a folder. @param {string} path @returns {number} 0..BEST_SCORE */
function scoreOf(path) {
  const { type, bavail, bsize } = fs.statfsSync(path);
  const script = join(path, 'try');
  fs.writeFileSync(script, '#!/bin/sh\n', { mode: 0o700 });
  const runs = spawnSync(script).error === undefined;
  fs.rmSync(script);
  return Number(runs) + Number(!IN_MEMORY.includes(type)) + Number(bavail * bsize > ROOM_BYTES);
}

/** @typedef {{path: string, env: Record<string, string | undefined>}} NodeCopy env: environment to start it with */

/**
 * Copies this Node.js, or returns the copy of an earlier sample.
 * @param {string} folder of this run of the harness
 * @param {boolean} [shared] whether Node.js is a shared library with a small program, as in Debian
 * @returns {NodeCopy}
 * @throws {PitvError} PITV_BENCH_UNSUPPORTED if there is no room, or programs do not run there (mount option noexec)
 */
export function copyNode(folder, shared = isShared()) {
  const path = join(folder, `node-${process.version}`);
  const libraries = `${path}-libraries`;
  const env = { ...process.env, ...(shared && { LD_LIBRARY_PATH: libraries }) };
  if (fs.existsSync(path)) return { path, env };
  const fresh = `${path}.${process.pid}`;
  try {
    if (shared) copyLibraries(libraries);
    fs.copyFileSync(process.execPath, fresh, fs.constants.COPYFILE_FICLONE);
    if (spawnSync(fresh, ['--version'], { env }).status !== 0) throw new Error('it does not run');
    fs.renameSync(fresh, path); // last, so that an existing copy is complete
    return { path, env };
  } catch (error) {
    for (const made of [fresh, libraries]) fs.rmSync(made, { force: true, recursive: true });
    const sentence = `Node.js could not be copied to ${folder} (--out DIR): ${messageOf(error)}.`;
    throw new PitvError('PITV_BENCH_UNSUPPORTED', sentence);
  }
}

const isShared = () => Boolean(/** @type {any} */ (process.config.variables).node_shared);

/** Copies the libraries that this process maps, without addons. @param {string} folder */
function copyLibraries(folder) {
  fs.mkdirSync(folder);
  const maps = fs.readFileSync('/proc/self/maps', 'latin1');
  for (const file of new Set(maps.match(/(?<=\s)\/\S*\/lib[^/\s]+\.so[^/\s]*$/gm))) {
    let name = basename(file);
    fs.copyFileSync(file, join(folder, name), fs.constants.COPYFILE_FICLONE);
    // Programs refer to libuv.so.1.0.0 as libuv.so.1.
    for (let next; (next = name.replace(/(?<=\.so.*)\.\d+$/, '')) !== name; name = next) {
      fs.symlinkSync(basename(file), join(folder, next));
    }
  }
}
