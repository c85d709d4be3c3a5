/** The means of the faults: a small disk, the preloaded library, few descriptors, a false clock. */
import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fillDisk, mountDisk, temporaryFolder } from '../support/folders.js';
import { FAKETIME, missingForFakeTime } from '../support/faketime.js';

const run = promisify(execFile);
const PRELOAD = fileURLToPath(new URL('preload.c', import.meta.url));
const CFLAGS = '-O2 -std=c11 -Wall -Wextra -Werror -D_GNU_SOURCE -fPIC -shared'.split(' ');

/** See preload.c. */
export const SIGNAL_SPIN = 50;
export const SIGNAL_GROW = 51;
const CONTROL_BYTES = 8;
const SLOW_DISK_MS = 300;
const DISK_BYTES = 16e6;
const isRoot = process.getuid?.() === 0;

export class Means {
  /** Means that this machine does not offer, and why. @type {Record<string, string>} */
  missing = {};

  constructor() {
    const folder = temporaryFolder();
    this.control = join(folder, 'control');
    this.clock = join(folder, 'clock');
    writeFileSync(this.control, Buffer.alloc(CONTROL_BYTES));
    writeFileSync(this.clock, '+0');
    this.library = join(folder, 'preload.so');
    execFileSync('cc', [...CFLAGS, '-o', this.library, PRELOAD, '-ldl'], { stdio: 'inherit' });
    this.dataDir = isRoot ? mountDisk(DISK_BYTES) : temporaryFolder();
    if (!isRoot) this.missing.smallDisk = 'mounting a file system needs root';
    if (missingForFakeTime) this.missing.faketime = missingForFakeTime;
  }

  /** The environment for the TV. */
  get env() {
    const libraries = [this.library];
    if (!this.missing.faketime) libraries.push(FAKETIME);
    return {
      LD_PRELOAD: libraries.join(':'),
      PITV_FAULTS_CONTROL: this.control,
      PITV_FAULTS_DIRECTORY: this.dataDir,
      FAKETIME_TIMESTAMP_FILE: this.clock,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_RESET: '1',
    };
  }

  /** Changes the disk, by default to an ordinary one. @param {'full' | 'read-only' | 'slow'} [state] */
  async setDisk(state) {
    const bytes = Buffer.alloc(CONTROL_BYTES);
    bytes.writeUInt32LE(state === 'slow' ? SLOW_DISK_MS : 0, 0);
    bytes.writeUInt32LE(Number(state === 'read-only'), 4);
    const file = await open(this.control, 'r+'); // in place: it is mapped
    await file.write(bytes, 0, CONTROL_BYTES, 0).finally(() => file.close());
    const balloon = join(this.dataDir, 'balloon');
    if (state === 'full') await fillDisk(balloon);
    else await rm(balloon, { force: true });
  }

  /** Changes the TV's wall clock within a second. @param {number} seconds offset from the real time */
  setClock(seconds) {
    return writeFile(this.clock, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}`);
  }

  /** @param {number} pid @param {number} soft @returns {Promise<number>} the limit before */
  async setDescriptors(pid, soft) {
    const limits = await readFile(`/proc/${pid}/limits`, 'utf8');
    await run('prlimit', ['--pid', String(pid), `--nofile=${soft}:`]);
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1]);
  }

  /** @param {number} match @returns {Promise<number>} ms since 1970 of its newest checkpoint on disk */
  async checkpointedAt(match) {
    const times = ['a', 'b'].map(async (side) => {
      const about = await stat(join(this.dataDir, 'live', `${match}.${side}`)).catch(() => null);
      return about?.mtimeMs ?? 0;
    });
    return Math.max(...(await Promise.all(times)));
  }
}
