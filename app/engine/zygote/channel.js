/**
 * The conversation between the main process and one child: values over a stream socket, each with
 * its length before it. Values are structured-cloned (node:v8), so typed arrays, maps, dates and
 * cycles come through.
 */
import { readSync, writeSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { PitvError, messageOf } from '../../errors.js';

const LENGTH_BYTES = 4;
/** Longer messages are refused at any rate: a length of more is no length. */
export const MAX_MESSAGE_BYTES = 1024 * 1024 * 1024;

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
 * Cuts a stream of bytes into values. A value that is too long is refused as soon as its length is known.
 * @param {(kind: number, value: any) => void} onValue
 * @param {number} [maxBytes] of one value
 * @returns {(chunk: Buffer) => void} throws PITV_ZYGOTE_MESSAGE when a value is too long or no value at
 *   all, and what onValue() throws
 */
export function reader(onValue, maxBytes = MAX_MESSAGE_BYTES) {
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
        throw unreadable(`it has ${length} bytes, and may have ${maxBytes}`);
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
    throw unreadable(messageOf(error));
  }
}

/** @param {string} why */
function unreadable(why) {
  return new PitvError('PITV_ZYGOTE_MESSAGE', `A message can't be read: ${why}.`);
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

/**
 * The first bytes on a socket, at once where there is room; a stream takes its time.
 * @param {import('node:net').Socket} socket @param {number} fd its @param {Uint8Array} bytes
 */
export function sendFirst(socket, fd, bytes) {
  if (socket.destroyed) return; // and its descriptor may be another's
  let sent = 0;
  try {
    sent = writeSync(fd, bytes);
  } catch {
    // No room, or nobody there: the stream waits, or tells.
  }
  if (sent < bytes.length) socket.write(bytes.subarray(sent));
}
