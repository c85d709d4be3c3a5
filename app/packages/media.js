/** Checks the pictures (PNG, WebP) and sounds (WAV) of a package. Only their headers are read. */
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

/** Reads four characters. @param {Buffer} bytes @param {number} at */
const textAt = (bytes, at) => bytes.toString('latin1', at, at + 4);

/** @param {Buffer} bytes @returns {Size | undefined} */
function pngSize(bytes) {
  if (bytes.length < PNG_HEADER || !bytes.subarray(0, PNG.length).equals(PNG)) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** Reads the size from a WebP file (RFC 9649, 2.4 to 2.7). @param {Buffer} bytes @returns {Size | undefined} */
function webpSize(bytes) {
  if (bytes.length < WEBP_HEADER) return undefined;
  if (textAt(bytes, 0) !== 'RIFF' || textAt(bytes, 8) !== 'WEBP') return undefined;
  switch (textAt(bytes, 12)) {
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
 * @returns {'image/png' | 'image/webp'} @throws {import('../errors.js').PitvError} PITV_PACKAGE_INVALID
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
  const isAllowed = Math.min(width, height) >= 1 && Math.max(width, height) <= max;
  if (isAllowed) return isPng ? 'image/png' : 'image/webp';
  throw invalid(`${path} has ${width} x ${height} pixels; 1 x 1 to ${max} x ${max} are allowed.`);
}

/** The format of WAV files: PCM. */
const PCM = 1;
const MAX_CHANNELS = 2;
const RATES = Object.freeze({ min: 8000, max: 48_000 });
const BITS = Object.freeze([8, 16]);
const HEAD = 12;
const CHUNK_HEAD = 8;
const FORMAT_BYTES = 16;

/** @param {Buffer} bytes */
const isWav = (bytes) => /^RIFF.{4}WAVE/s.test(bytes.toString('latin1', 0, HEAD));

/**
 * Reads the duration of a WAV file with PCM. It has one format and one chunk of samples: of several, browsers use
 * others than this function.
 * @param {Buffer} bytes @returns {number | undefined} ms
 */
function wavMs(bytes) {
  if (!isWav(bytes)) return undefined;
  /** @type {number | undefined} */
  let bytesPerSecond;
  /** @type {number | undefined} */
  let ms;
  for (let at = HEAD; at + CHUNK_HEAD <= bytes.length;) {
    const [name, size] = [textAt(bytes, at), bytes.readUInt32LE(at + 4)];
    const content = at + CHUNK_HEAD;
    if (content + size > bytes.length) return undefined;
    if (name === 'fmt ') {
      if (bytesPerSecond !== undefined) return undefined;
      bytesPerSecond = readFormat(bytes.subarray(content, content + size));
    } else if (name === 'data') {
      if (ms !== undefined || !bytesPerSecond) return undefined;
      ms = (1000 * size) / bytesPerSecond;
    }
    at = content + size + (size % 2);
  }
  return ms;
}

/** @param {Buffer} format chunk `fmt ` @returns {number} bytes per second, 0 if it is another format */
function readFormat(format) {
  if (format.length < FORMAT_BYTES) return 0;
  const [code, channels] = [format.readUInt16LE(0), format.readUInt16LE(2)];
  const [rate, bits] = [format.readUInt32LE(4), format.readUInt16LE(14)];
  const isKnown = code === PCM && channels >= 1 && channels <= MAX_CHANNELS && BITS.includes(bits);
  return isKnown && rate >= RATES.min && rate <= RATES.max ? (rate * channels * bits) / 8 : 0;
}

/**
 * Checks the header of a sound.
 * @param {string} path in the package, for the message @param {Buffer} bytes @returns {'audio/wav'}
 * @throws {import('../errors.js').PitvError} PITV_PACKAGE_INVALID
 */
export function soundType(path, bytes) {
  const ms = wavMs(bytes);
  const max = LIMITS.soundMs.value;
  if (ms === undefined) {
    const sentence = isWav(bytes)
      ? `${path} is cut, has several formats or parts, or does not have 1 or 2 channels of 8 or 16 bits PCM at ${RATES.min} to ${RATES.max} Hz.`
      : `${path} is not a WAV file.`;
    throw invalid(sentence);
  }
  if (ms > max) throw invalid(`${path} lasts ${ms / 1000} s; ${max / 1000} s are allowed.`);
  return 'audio/wav';
}
