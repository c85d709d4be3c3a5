/** Places in files, such as images of cards. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';

/** Reads a part of a file. @param {string} path @param {number} offset @param {number} bytes @returns {Buffer} */
export function readAt(path, offset, bytes) {
  const file = openSync(path, 'r');
  const buffer = Buffer.alloc(bytes);
  readSync(file, buffer, 0, bytes, offset);
  closeSync(file);
  return buffer;
}

/** Overwrites a part of a file. @param {string} path @param {number} offset @param {Uint8Array} bytes */
export function writeAt(path, offset, bytes) {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, offset);
  closeSync(file);
}
