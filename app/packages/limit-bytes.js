/** A stream that passes a limited number of bytes. */
import { Transform } from 'node:stream';
import { tooLarge } from './package-folder.js';

/**
 * Makes a stream that fails after a number of bytes.
 * @param {number} max @param {string} what the beginning of the sentence
 * @returns {Transform} fails with PITV_PACKAGE_SIZE
 */
export function limitBytes(max, what) {
  let bytes = 0;
  return new Transform({
    transform(chunk, _encoding, next) {
      bytes += chunk.length;
      if (bytes > max) next(tooLarge(`${what} has more than ${max} bytes.`));
      else next(null, chunk);
    },
  });
}
