/** The folder that the samples of a run share: a copy of Node, snapshots, what they leave behind. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PitvError, messageOf } from '../../app/errors.js';

/** Of tmpfs and ramfs (statfs(2)). Programs there count as shared memory, and take some. */
const IN_MEMORY = [0x01021994, 0x858458f6];
/** A copy of Node, twice. */
const ROOM_BYTES = 300 * 1024 * 1024;

/**
 * The best of some places: on a disk, with room, where programs may be run. A Pi's card may be read
 * only but for one partition, its /tmp in memory.
 * @param {string} [asked] a folder that is tried first
 * @returns {string} path of a new folder; whoever asked removes it
 * @throws {PitvError} PITV_BENCH_NO_ROOM where nothing can be written at all
 */
export function makeWorkDir(asked) {
  const places = [...(asked === undefined ? [] : [asked]), tmpdir(), '/var/tmp'];
  /** @type {{path: string, worth: number}[]} */
  const made = [];
  let problem = '';
  for (const place of places) {
    try {
      const path = mkdtempSync(join(place, 'pitv-bench-'));
      made.push({ path, worth: worthOf(path) });
    } catch (error) {
      problem = messageOf(error);
    }
    if (made.at(-1)?.worth === 3) break;
  }
  if (made.length === 0) {
    throw new PitvError('PITV_BENCH_NO_ROOM', `No folder for samples can be made: ${problem}.`);
  }
  const [best, ...others] = made.toSorted((a, b) => b.worth - a.worth);
  for (const { path } of others) rmSync(path, { recursive: true, force: true });
  return best.path;
}

/** @param {string} path @returns {number} 0..3 */
function worthOf(path) {
  const { type, bavail, bsize } = statfsSync(path);
  const script = join(path, 'try');
  writeFileSync(script, '#!/bin/sh\n', { mode: 0o700 });
  const runs = spawnSync(script).error === undefined;
  rmSync(script);
  return Number(runs) + Number(!IN_MEMORY.includes(type)) + Number(bavail * bsize > ROOM_BYTES);
}
