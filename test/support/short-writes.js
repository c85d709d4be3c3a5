/**
 * Writes checkpoints in a process whose files are limited to 8 KiB (RLIMIT_FSIZE). The kernel cuts a longer
 * write short, as it does on a disk that has no space left. Prints a JSON array: for each write its tick and
 * the code of its error, and which tick could be read afterwards.
 *
 * Usage: sh -c 'ulimit -f 16; exec node test/support/short-writes.js DIRECTORY'
 */
import { randomBytes } from 'node:crypto';
import { CheckpointFiles } from '../../app/storage/match-checkpoints.js';
import { saved } from './saved-match.js';

const FITS_BYTES = 1000;
const TOO_LONG_BYTES = 20_000;

const files = new CheckpointFiles(process.argv[2]);
const report = [];
for (const [tick, bytes] of [
  [60, FITS_BYTES],
  [120, FITS_BYTES],
  [180, TOO_LONG_BYTES],
  [240, TOO_LONG_BYTES],
  [300, TOO_LONG_BYTES],
  [360, FITS_BYTES],
]) {
  const error = await files.write({ ...saved, tick }, randomBytes(bytes)).then(
    () => null,
    (/** @type {NodeJS.ErrnoException} */ { code }) => code,
  );
  const [kept] = await files.read();
  report.push({ tick, error, readable: kept?.saved.tick });
}
await files.close();
console.log(JSON.stringify(report));
