/** Screen and keyboard of an emulated board that was started with `screen`. */
import { readFile, rm } from 'node:fs/promises';

/** @typedef {import('./machine.js').Machine} Machine */

/**
 * @typedef {object} Picture
 * @property {number} width @property {number} height px
 * @property {Buffer[]} lines from the top, each with red, green and blue of its pixels
 */

/**
 * Reads what the screen shows.
 * @param {Machine} machine @param {string} file for QEMU, which is removed
 * @returns {Promise<Picture>}
 */
export async function takePicture(machine, file) {
  await (await machine.qmp)?.execute('screendump', { filename: file });
  const bytes = await readFile(file);
  await rm(file);
  return parsePpm(bytes);
}

/** Parses a picture as QEMU writes it: PPM with three bytes per pixel. @param {Buffer} bytes @returns {Picture} */
function parsePpm(bytes) {
  const [head, ...size] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(bytes.toString('latin1', 0, 64)) ?? [];
  const [width, height] = size.map(Number);
  if (!head || bytes.length !== head.length + 3 * width * height) {
    throw new TypeError('this is not a whole PPM picture with three bytes per pixel');
  }
  const line = (/** @type {number} */ y) => head.length + 3 * width * y;
  const lines = Array.from({ length: height }, (_, y) => bytes.subarray(line(y), line(y + 1)));
  return { width, height, lines };
}

/** Presses a key. @param {Machine} machine @param {string} qcode QEMU's name of the key */
export async function press(machine, qcode) {
  const keys = [{ type: 'qcode', data: qcode }];
  await (await machine.qmp)?.execute('send-key', { keys });
}
