/** A stream that passes a limited number of bytes. */
import { Transform } from 'node:stream';

/** Makes a stream that fails after so many bytes. @param {number} max @param {() => Error} createError */
export function limitBytes(max, createError) {
  let bytes = 0;
  return new Transform({
    transform(chunk, _encoding, next) {
      bytes += chunk.length;
      if (bytes > max) next(createError());
      else next(null, chunk);
    },
  });
}
