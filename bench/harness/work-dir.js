/** Creates the folder for files that the samples of a run share: a copy of Node.js, snapshots, temporary files. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PitvError, messageOf } from '../../app/errors.js';

/** Types of tmpfs and ramfs (statfs(2)). Their files use memory, and programs on them count as shared memory. */
const IN_MEMORY = [0x01021994, 0x858458f6];
/** Two copies of Node.js. */
const ROOM_BYTES = 300 * 1024 * 1024;

/**
 * Creates a folder in the best of several places: on a disk with enough space, without the mount option noexec. On the
 * card of a Pi, all partitions except one may be read-only, and /tmp is in memory.
 * @param {string} [preferred] a folder that is tried first
 * @returns {string} path of a new folder; the caller removes it
 * @throws {PitvError} PITV_BENCH_NO_ROOM if no place is writable
 */
export function makeWorkDir(preferred) {
  const places = [...(preferred === undefined ? [] : [preferred]), tmpdir(), '/var/tmp'];
  /** @type {{path: string, score: number}[]} */
  const made = [];
  let problem = '';
  for (const place of places) {
    try {
      const path = mkdtempSync(join(place, 'pitv-bench-'));
      made.push({ path, score: scoreOf(path) });
    } catch (error) {
      problem = messageOf(error);
    }
    if (made.at(-1)?.score === 3) break;
  }
  if (made.length === 0) {
    throw new PitvError(
      'PITV_BENCH_NO_ROOM',
      `No folder for samples could be created: ${problem}.`,
    );
  }
  const [best, ...others] = made.toSorted((a, b) => b.score - a.score);
  for (const { path } of others) rmSync(path, { recursive: true, force: true });
  return best.path;
}

/** Rates a folder. @param {string} path @returns {number} 0..3 */
function scoreOf(path) {
  const { type, bavail, bsize } = statfsSync(path);
  const script = join(path, 'try');
  writeFileSync(script, '#!/bin/sh\n', { mode: 0o700 });
  const runs = spawnSync(script).error === undefined;
  rmSync(script);
  return Number(runs) + Number(!IN_MEMORY.includes(type)) + Number(bavail * bsize > ROOM_BYTES);
}
