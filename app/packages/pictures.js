/**
 * Checks the pictures of a package: PNG and WebP files in its folder art/. Only their headers are read; browsers decode
 * them, as pictures and nothing else.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../limits/table.js';
import { PitvError, messageOf } from '../errors.js';
import { readRegularFile } from '../storage/saved-files.js';
import { invalid } from './manifest.js';

export const ART = 'art';
const NAME = /^[\w-][\w.-]*\.(png|webp)$/;
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
/** Lengths of the headers that have width and height, bytes. */
const PNG_HEADER = 33;
const WEBP_HEADER = 30;

/** How files of other formats begin, as Latin-1. @type {Readonly<Record<string, RegExp>>} */
const FORMATS = Object.freeze({
  PNG: /^\x89PNG/,
  WebP: /^RIFF.{4}WEBP/s,
  JPEG: /^\xff\xd8\xff/,
  GIF: /^GIF8/,
  BMP: /^BM/,
  AVIF: /^.{4}ftypavi/s,
  SVG: /^\s*<(?:svg|\?xml)/,
});

/** @typedef {{width: number, height: number}} Size px */
/** @typedef {{bytes: Buffer, type: 'image/png' | 'image/webp'}} Picture */

/** @param {Buffer} bytes @returns {Size | undefined} */
function pngSize(bytes) {
  if (bytes.length < PNG_HEADER || !bytes.subarray(0, PNG.length).equals(PNG)) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/**
 * Reads the size from the first chunk of a WebP file (RFC 9649, sections 2.4 to 2.7).
 * @param {Buffer} bytes @returns {Size | undefined}
 */
function webpSize(bytes) {
  if (bytes.length < WEBP_HEADER) return undefined;
  const text = (/** @type {number} */ at) => bytes.toString('latin1', at, at + 4);
  if (text(0) !== 'RIFF' || text(8) !== 'WEBP') return undefined;
  switch (text(12)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** Returns the ending of a picture's name. @param {string} name @throws {PitvError} PITV_PACKAGE_INVALID */
function endingOf(name) {
  const [, ending] = NAME.exec(name) ?? [];
  if (ending) return ending;
  throw invalid(`${ART}/ may only contain .png and .webp files, not ${JSON.stringify(name)}.`);
}

/**
 * Checks the header of a picture.
 * @param {string} name in the folder art/ @param {Buffer} bytes
 * @returns {Picture}
 * @throws {PitvError} PITV_PACKAGE_INVALID
 */
export function checkPicture(name, bytes) {
  const ending = endingOf(name);
  const size = ending === 'png' ? pngSize(bytes) : webpSize(bytes);
  if (!size) {
    const head = bytes.toString('latin1', 0, WEBP_HEADER);
    const [found] = Object.entries(FORMATS).find(([, pattern]) => pattern.test(head)) ?? [];
    const wanted = ending === 'png' ? 'PNG' : 'WebP';
    const why = found && found !== wanted ? `its format is ${found}` : 'its header is wrong';
    throw invalid(`${ART}/${name} is not a ${wanted} picture: ${why}.`);
  }
  const { width, height } = size;
  const max = LIMITS.pictureSide.value;
  if (width < 1 || height < 1 || width > max || height > max) {
    const sentence = `${ART}/${name} has ${width} x ${height} pixels; 1 x 1 to ${max} x ${max} are allowed.`;
    throw invalid(sentence);
  }
  return { bytes, type: `image/${/** @type {'png' | 'webp'} */ (ending)}` };
}

/**
 * Reads a picture and checks its header.
 * @param {string} folder of the package
 * @param {string} name in the folder art/
 * @throws {PitvError} PITV_PACKAGE_INVALID
 */
export async function readPicture(folder, name) {
  endingOf(name);
  let bytes;
  try {
    bytes = await readRegularFile(join(folder, ART, name), LIMITS.pictureBytes.value);
  } catch (error) {
    if (!(error instanceof PitvError)) throw error;
    throw invalid(`${ART}/${name} cannot be used: ${messageOf(error)}`);
  }
  return checkPicture(name, bytes);
}

/** Checks all pictures of a package. @param {string} folder @throws {PitvError} PITV_PACKAGE_INVALID */
export async function checkPictures(folder) {
  const names = await readdir(join(folder, ART)).catch(() => []);
  const { value: max } = LIMITS.pictures;
  if (names.length > max) throw invalid(`${ART}/ has ${names.length} files; ${max} are allowed.`);
  for (const name of names) await readPicture(folder, name);
}
