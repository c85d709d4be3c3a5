/** Checks the pictures of a package: PNG and WebP files. Only their headers are read. */
import { LIMITS } from '../limits/table.js';
import { invalid } from './manifest.js';

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

/**
 * Checks the header of a picture.
 * @param {string} path in the package, for the message; it ends with .png or .webp @param {Buffer} bytes
 * @returns {'image/png' | 'image/webp'}
 * @throws {import('../errors.js').PitvError} PITV_PACKAGE_INVALID
 */
export function pictureType(path, bytes) {
  const isPng = path.endsWith('.png');
  const size = isPng ? pngSize(bytes) : webpSize(bytes);
  if (!size) {
    const head = bytes.toString('latin1', 0, WEBP_HEADER);
    const [found] = Object.entries(FORMATS).find(([, pattern]) => pattern.test(head)) ?? [];
    const wanted = isPng ? 'PNG' : 'WebP';
    const why = found && found !== wanted ? `its format is ${found}` : 'its header is wrong';
    throw invalid(`${path} is not a ${wanted} picture: ${why}.`);
  }
  const { width, height } = size;
  const max = LIMITS.pictureSide.value;
  if (width < 1 || height < 1 || width > max || height > max) {
    const sentence = `${path} has ${width} x ${height} pixels; 1 x 1 to ${max} x ${max} are allowed.`;
    throw invalid(sentence);
  }
  return isPng ? 'image/png' : 'image/webp';
}
