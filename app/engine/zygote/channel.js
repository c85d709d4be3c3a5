/**
 * Encodes and decodes what the main process and a child exchange over a stream socket:
 *
 *   uint32   length of the rest
 *   uint8    kind, one of KIND
 *   body     message: a value, structured-cloned by node:v8; failed: JSON, see encodeFailure(); exiting: int32;
 *            warning, text and output: UTF-8; the others: nothing
 *
 * All kinds except `message` are reports: numbers and bounded text. They are all that the main process reads from a
 * child that it does not trust. Decoding a structured clone of a stranger can take seconds.
 */
import { readSync, writeSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { PitvError, messageOf } from '../../errors.js';
import { encodeFailure } from '../failure.js';

const LENGTH_BYTES = 4;
const HEAD_BYTES = LENGTH_BYTES + 1;
/** The longest message that any reader accepts. */
export const MAX_MESSAGE_BYTES = 1024 * 1024 * 1024;

/**
 * started: the module's code runs; failed: a thrown value that ends the child; exiting: the exit status that follows;
 * ready: the worker is ready; leftOut: the zygote has not loaded the worker's module; warning: a sentence about the
 * worker's job; text: whatever the program of the child and its reader have agreed on; output: what the job has written
 * to stdout or stderr.
 */
export const KIND = Object.freeze({
  message: 0,
  started: 1,
  failed: 2,
  exiting: 3,
  ready: 4,
  leftOut: 5,
  warning: 6,
  text: 7,
  output: 8,
});

/** Reports that are text. @type {number[]} */
const TEXTS = [KIND.warning, KIND.text, KIND.output];

/** @param {number} kind @param {unknown} value @returns {Buffer} */
function encodeBody(kind, value) {
  if (kind === KIND.message) return serialize(value);
  if (kind === KIND.failed) return encodeFailure(value);
  if (TEXTS.includes(kind)) return Buffer.from(String(value));
  const body = Buffer.alloc(kind === KIND.exiting ? 4 : 0);
  if (kind === KIND.exiting) body.writeInt32LE(Number(value) | 0);
  return body;
}

/** @param {number} kind @param {Buffer} body @returns {unknown} @throws {Error} */
function decodeBody(kind, body) {
  if (kind === KIND.message) return deserialize(body);
  if (kind === KIND.failed) return JSON.parse(body.toString());
  if (kind === KIND.exiting) return body.readInt32LE(0);
  if (TEXTS.includes(kind)) return body.toString();
  if (kind > KIND.output) throw new RangeError(`there is no kind ${kind}`);
  return undefined;
}

/**
 * Encodes a message or a report.
 * @param {number} kind one of KIND
 * @param {unknown} [value] failed: what was thrown; exiting: a number; warning and text: a string
 * @returns {Buffer}
 * @throws {Error} when the value of a message cannot be cloned
 */
export function encode(kind, value) {
  const body = encodeBody(kind, value);
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + body.length);
  const length = 1 + body.length;
  // writeUInt32LE() is called so often in the zygote that V8 would compile it in each child, for 2 ms.
  for (let i = 0; i < LENGTH_BYTES; i++) bytes[i] = length >>> (8 * i);
  bytes[LENGTH_BYTES] = kind;
  body.copy(bytes, HEAD_BYTES);
  return bytes;
}

/**
 * Creates a function that splits a stream of bytes into values. A value that is too long is refused as soon as its
 * length is known.
 * @param {(kind: number, value: any) => void} onValue
 * @param {{maxBytes?: number, messages?: boolean}} [options] maxBytes: longest value; messages: false refuses those
 *   that are not reports
 * @returns {(chunk: Buffer) => void} throws PITV_ZYGOTE_MESSAGE when a value is too long, refused or cannot be decoded,
 *   and what onValue() throws
 */
export function createReader(onValue, { maxBytes = MAX_MESSAGE_BYTES, messages = true } = {}) {
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
      if (length === 0) throw unreadableError('it is empty');
      const end = LENGTH_BYTES + length;
      if (have < end) return;
      const whole = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
      chunks = whole.length > end ? [whole.subarray(end)] : [];
      have = whole.length - end;
      const kind = whole[LENGTH_BYTES];
      if (kind === KIND.message && !messages) throw unreadableError('only reports are allowed');
      let value;
      try {
        value = decodeBody(kind, whole.subarray(HEAD_BYTES, end));
      } catch (error) {
        throw unreadableError(messageOf(error));
      }
      onValue(kind, value);
    }
  };
}

/** @param {string} why */
function unreadableError(why) {
  return new PitvError('PITV_ZYGOTE_MESSAGE', `A message cannot be read: ${why}.`);
}

/**
 * Waits for a message and reads it.
 * @param {number} fd a blocking descriptor
 * @returns {any} undefined when the other side has closed the socket
 */
export function readMessageSync(fd) {
  const head = readExactly(fd, LENGTH_BYTES);
  const rest = head && readExactly(fd, head.readUInt32LE(0));
  return rest && decodeMessage(rest);
}

/** Decodes a message. @param {Buffer} rest what follows its length @returns {any} */
export const decodeMessage = (rest) => deserialize(rest.subarray(1));

/**
 * Waits for bytes and reads them.
 * @param {number} fd a blocking descriptor @param {number} length
 * @returns {Buffer | undefined} undefined when the other side has closed the socket
 */
export function readExactly(fd, length) {
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
