/**
 * The conversation between the main process and one child: values over a stream socket, each with
 * its length before it. Values are structured-cloned (node:v8), so typed arrays, maps, dates and
 * cycles come through.
 */
import { readSync, writeSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';

const LENGTH_BYTES = 4;
const MOST_BYTES = 1024 * 1024 * 1024;

/** What a value on the channel is for. */
export const KIND = Object.freeze({ message: 0, started: 1, failed: 2, leaving: 3 });

/**
 * @param {number} kind one of KIND @param {unknown} value
 * @returns {Buffer}
 * @throws {Error} when the value can't be cloned
 */
export function encode(kind, value) {
  const body = serialize([kind, value]);
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES + body.length);
  bytes.writeUInt32LE(body.length, 0);
  body.copy(bytes, LENGTH_BYTES);
  return bytes;
}

/**
 * An error loses its code when it is cloned.
 * @param {unknown} thrown
 */
export function encodeFailure(thrown) {
  const error = thrown instanceof Error ? thrown : new Error(`"${String(thrown)}" was thrown.`);
  const code = Reflect.get(error, 'code');
  try {
    return encode(KIND.failed, { error, code });
  } catch {
    const plain = new Error(error.message); // a property or the cause can't be cloned
    plain.stack = error.stack;
    return encode(KIND.failed, { error: plain, code });
  }
}

/**
 * @param {{error: Error, code?: unknown}} failure
 * @returns {Error}
 */
export function decodeFailure({ error, code }) {
  return code === undefined ? error : Object.assign(error, { code });
}

/**
 * Cuts a stream of bytes into values.
 * @param {(kind: number, value: any) => void} onValue
 * @returns {(chunk: Buffer) => void} throws when the bytes make no sense
 */
export function reader(onValue) {
  /** @type {Buffer[]} */
  let chunks = [];
  let have = 0;
  return (chunk) => {
    chunks.push(chunk);
    have += chunk.length;
    while (have >= LENGTH_BYTES) {
      const head = chunks[0].length >= LENGTH_BYTES ? chunks[0] : Buffer.concat(chunks);
      const length = head.readUInt32LE(0);
      if (length > MOST_BYTES) throw new RangeError(`A message of ${length} bytes is too long.`);
      const end = LENGTH_BYTES + length;
      if (have < end) return;
      const whole = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
      chunks = whole.length > end ? [whole.subarray(end)] : [];
      have = whole.length - end;
      const [kind, value] = deserialize(whole.subarray(LENGTH_BYTES, end));
      onValue(kind, value);
    }
  };
}

/**
 * Reads one value, waiting for it; the descriptor must be a blocking one.
 * @param {number} fd
 * @returns {[kind: number, value: any] | undefined} undefined when the other side has closed it
 */
export function readValueSync(fd) {
  const head = readExactly(fd, LENGTH_BYTES);
  const body = head && readExactly(fd, head.readUInt32LE(0));
  return body && deserialize(body);
}

/** @param {number} fd @param {number} length */
function readExactly(fd, length) {
  const bytes = Buffer.allocUnsafe(length);
  for (let have = 0; have < length;) {
    const more = readSync(fd, bytes, have, length - have, null);
    if (more === 0) return undefined;
    have += more;
  }
  return bytes;
}

/**
 * Writes all of the bytes, waiting for room; the descriptor must be a blocking one.
 * @param {number} fd @param {Uint8Array} bytes
 */
export function writeAllSync(fd, bytes) {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}
