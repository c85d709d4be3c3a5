/** An ordinary user, as which tests of root start programs. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const NOBODY = 65534;

/** Options of spawn() and fork(). */
export const asNobody = Object.freeze({ uid: NOBODY, gid: NOBODY, cwd: '/' });

/** Why a test cannot start a program as NOBODY; false where it can. For a test's `skip`. */
export const nobodyMissing = (() => {
  if (process.getuid?.() !== 0) return 'needs root, to change the user';
  const canRead = (/** @type {string} */ path) =>
    spawnSync('test', ['-r', path], asNobody).status === 0;
  return [process.execPath, fileURLToPath(import.meta.url)].every(canRead)
    ? false
    : 'other users may not read the folder of this project';
})();
