/** Checks the sounds of a package: WAV files. Only their headers are read. */
import { LIMITS } from '../limits/table.js';
import { invalid } from './manifest.js';

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
 * Reads the duration from the chunks of a WAV file.
 * @param {Buffer} bytes
 * @returns {number | undefined} ms; undefined if it is not a WAV file with PCM
 */
function wavMs(bytes) {
  const text = (/** @type {number} */ at) => bytes.toString('latin1', at, at + 4);
  if (!isWav(bytes)) return undefined;
  let bytesPerSecond = 0;
  for (let at = HEAD; at + CHUNK_HEAD <= bytes.length;) {
    const [name, size] = [text(at), bytes.readUInt32LE(at + 4)];
    const content = at + CHUNK_HEAD;
    if (content + size > bytes.length) return undefined;
    if (name === 'fmt ') bytesPerSecond = readFormat(bytes.subarray(content, content + size));
    if (name === 'data') return bytesPerSecond > 0 ? (1000 * size) / bytesPerSecond : undefined;
    at = content + size + (size % 2);
  }
  return undefined;
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
 * @param {string} path in the package, for the message @param {Buffer} bytes
 * @returns {'audio/wav'}
 * @throws {import('../errors.js').PitvError} PITV_PACKAGE_INVALID
 */
export function soundType(path, bytes) {
  const ms = wavMs(bytes);
  const max = LIMITS.soundMs.value;
  if (ms === undefined) {
    const sentence = isWav(bytes)
      ? `${path} is cut, or does not have 1 or 2 channels of 8 or 16 bits PCM at ${RATES.min} to ${RATES.max} Hz.`
      : `${path} is not a WAV file.`;
    throw invalid(sentence);
  }
  if (ms > max) throw invalid(`${path} lasts ${ms / 1000} s; ${max / 1000} s are allowed.`);
  return 'audio/wav';
}
