/** libfaketime: programs that see another time. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { arch } from 'node:os';
import { join } from 'node:path';

const LIBRARIES = {
  x64: 'x86_64-linux-gnu',
  arm64: 'aarch64-linux-gnu',
  arm: 'arm-linux-gnueabihf',
};
const SHM = '/dev/shm';

/** The library. */
export const FAKETIME = `/usr/lib/${Reflect.get(LIBRARIES, arch())}/faketime/libfaketimeMT.so.1`;
/** Why there is no other time here; undefined if there is. */
export const missingForFakeTime = existsSync(FAKETIME) ? undefined : 'libfaketime is not installed';

/**
 * Makes the command that starts a program with a wrong clock. The monotonic clock stays right.
 * @param {string} offset such as +1h @returns {string[]} the program's own command follows
 */
export const withClock = (offset) => [
  'env',
  `LD_PRELOAD=${FAKETIME}`,
  `FAKETIME=${offset}`,
  'FAKETIME_DONT_FAKE_MONOTONIC=1',
  'FAKETIME_DONT_RESET=1',
];

/** Removes the files that the library leaves when a process is killed. */
export function removeFakeTimeFiles() {
  for (const name of readdirSync(SHM)) {
    const pid = /^(?:sem\.faketime_sem|faketime_shm)_(\d+)$/.exec(name)?.[1];
    if (pid && !existsSync(`/proc/${pid}`)) rmSync(join(SHM, name), { force: true });
  }
}
