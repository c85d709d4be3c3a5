/**
 * Checks the sounds of a package: WAV files in its folder sounds/. Only their headers are read; browsers decode them,
 * as sounds and nothing else.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../limits/table.js';
import { PitvError, messageOf } from '../errors.js';
import { readRegularFile } from '../storage/saved-files.js';
import { invalid } from './manifest.js';

export const SOUNDS = 'sounds';
const NAME = /^[\w-][\w.-]*\.wav$/;
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

/** @param {string} name @throws {PitvError} PITV_PACKAGE_INVALID */
function checkName(name) {
  if (NAME.test(name)) return;
  throw invalid(`${SOUNDS}/ may only contain .wav files, not ${JSON.stringify(name)}.`);
}

/**
 * Checks the header of a sound.
 * @param {string} name in the folder sounds/ @param {Buffer} bytes
 * @returns {{bytes: Buffer, type: 'audio/wav'}}
 * @throws {PitvError} PITV_PACKAGE_INVALID
 */
export function checkSound(name, bytes) {
  checkName(name);
  const ms = wavMs(bytes);
  const max = LIMITS.soundMs.value;
  if (ms === undefined) {
    const sentence = isWav(bytes)
      ? `${SOUNDS}/${name} is cut, or does not have 1 or 2 channels of 8 or 16 bits PCM at ${RATES.min} to ${RATES.max} Hz.`
      : `${SOUNDS}/${name} is not a WAV file.`;
    throw invalid(sentence);
  }
  if (ms > max) {
    throw invalid(`${SOUNDS}/${name} lasts ${ms / 1000} s; ${max / 1000} s are allowed.`);
  }
  return { bytes, type: 'audio/wav' };
}

/**
 * Reads a sound and checks its header.
 * @param {string} folder of the package
 * @param {string} name in the folder sounds/
 * @throws {PitvError} PITV_PACKAGE_INVALID
 */
export async function readSound(folder, name) {
  checkName(name);
  let bytes;
  try {
    bytes = await readRegularFile(join(folder, SOUNDS, name), LIMITS.soundBytes.value);
  } catch (error) {
    if (!(error instanceof PitvError)) throw error;
    throw invalid(`${SOUNDS}/${name} cannot be used: ${messageOf(error)}`);
  }
  return checkSound(name, bytes);
}

/** Checks all sounds of a package. @param {string} folder @throws {PitvError} PITV_PACKAGE_INVALID */
export async function checkSounds(folder) {
  const names = await readdir(join(folder, SOUNDS)).catch(() => []);
  const { value: max } = LIMITS.sounds;
  if (names.length > max)
    throw invalid(`${SOUNDS}/ has ${names.length} files; ${max} are allowed.`);
  for (const name of names) await readSound(folder, name);
}
