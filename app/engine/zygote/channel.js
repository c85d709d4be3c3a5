/**
 * Encodes and decodes the values that the main process and a child exchange over a stream socket. A value is preceded by
 * its length. Values are structured-cloned (node:v8), so typed arrays, maps, dates and cycles are supported.
 */
import { readSync, writeSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { PitvError, messageOf } from '../../errors.js';

const LENGTH_BYTES = 4;
/** The longest message that any reader accepts. */
export const MAX_MESSAGE_BYTES = 1024 * 1024 * 1024;

/** The kind of a value. started: the module's code runs; failed: an error; exiting: the exit status that follows. */
export const KIND = Object.freeze({ message: 0, started: 1, failed: 2, exiting: 3 });

/**
 * Encodes a value.
 * @param {number} kind one of KIND @param {unknown} value
 * @returns {Buffer}
 * @throws {Error} when the value cannot be cloned
 */
export function encode(kind, value) {
  const body = serialize([kind, value]);
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES + body.length);
  bytes.writeUInt32LE(body.length, 0);
  body.copy(bytes, LENGTH_BYTES);
  return bytes;
}

/**
 * Creates a function that splits a stream of bytes into values. A value that is too long is refused as soon as its length
 * is known.
 * @param {(kind: number, value: any) => void} onValue
 * @param {number} [maxBytes] longest value
 * @returns {(chunk: Buffer) => void} throws PITV_ZYGOTE_MESSAGE when a value is too long or cannot be decoded, and what
 *   onValue() throws
 */
export function createReader(onValue, maxBytes = MAX_MESSAGE_BYTES) {
  /** @type {Buffer[]} */
  let chunks = [];
  let have = 0;
  return (chunk) => {
    chunks.push(chunk);
    have += chunk.length;
    while (have >= LENGTH_BYTES) {
      const head = chunks[0].length >= LENGTH_BYTES ? chunks[0] : Buffer.concat(chunks);
      const length = head.readUInt32LE(0);
      if (length > maxBytes) {
        throw unreadableError(`it has ${length} bytes, more than ${maxBytes}`);
      }
      const end = LENGTH_BYTES + length;
      if (have < end) return;
      const whole = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
      chunks = whole.length > end ? [whole.subarray(end)] : [];
      have = whole.length - end;
      const [kind, value] = decode(whole.subarray(LENGTH_BYTES, end));
      onValue(kind, value);
    }
  };
}

/** @param {Buffer} body @returns {[kind: number, value: any]} */
function decode(body) {
  try {
    const [kind, value] = deserialize(body);
    return [kind, value];
  } catch (error) {
    throw unreadableError(messageOf(error));
  }
}

/** @param {string} why */
function unreadableError(why) {
  return new PitvError('PITV_ZYGOTE_MESSAGE', `A message cannot be read: ${why}.`);
}

/**
 * Waits for one value and reads it.
 * @param {number} fd a blocking descriptor
 * @returns {[kind: number, value: any] | undefined} undefined when the other side has closed the socket
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
 * Writes all bytes and waits for buffer space as needed.
 * @param {number} fd a blocking descriptor @param {Uint8Array} bytes
 */
export function writeAllSync(fd, bytes) {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}

/**
 * Writes the first bytes to a socket. A direct write(2) is faster than the stream, which gets the bytes that do not fit.
 * @param {import('node:net').Socket} socket @param {number} fd the socket's descriptor @param {Uint8Array} bytes
 */
export function sendFirst(socket, fd, bytes) {
  if (socket.destroyed) return; // the number of its descriptor may be in use for another file
  let sent = 0;
  try {
    sent = writeSync(fd, bytes);
  } catch {
    // The buffer is full or the other side has closed the socket. The stream handles both.
  }
  if (sent < bytes.length) socket.write(bytes.subarray(sent));
}
