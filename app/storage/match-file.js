/**
 * The format of a saved match: a header (magic, length, SHA-256) and, compressed, one line of JSON followed by the
 * checkpoint. Files are padded to whole blocks.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import { LIMITS } from '../limits/table.js';
import { anyText, boolean, integer, list, optional, shape } from '../options.js';
import { PLAYER_NAME, SHA256, isObject } from './checks.js';
import { parseFields, unusable } from './saved-files.js';

const deflate = promisify(deflateRaw);
const MAGIC = Buffer.from('pitvlive');
const LENGTH_AT = MAGIC.length;
const SHA256_AT = LENGTH_AT + 4;
const HEADER_BYTES = SHA256_AT + 32;
const FORMAT = 1;
/** The unit in which ext4 and SD cards write. */
const BLOCK_BYTES = 4096;
/** Of the file, and of its content after decompression. */
export const MAX_BYTES = LIMITS.savedMatchBytes.value;
const NEWLINE = 10;
const MAX_MATCH_ID = 0xffff;
/** A frame has one byte for a slot. */
const MAX_SEATS = 256;
const MAX_OPTIONS = 64;
const MAX_TEXT = 256;

/** @typedef {import('../match/saved-match.js').Saved} Saved */

/** @param {Uint8Array} bytes */
const sha256 = (bytes) => createHash('sha256').update(bytes).digest();

/** Encodes a match. @param {Saved} saved @param {Uint8Array} checkpoint @returns {Promise<Buffer>} whole blocks */
export async function encodeMatch(saved, checkpoint) {
  const line = Buffer.from(`${JSON.stringify({ format: FORMAT, ...saved })}\n`);
  // Most of a checkpoint is empty slots. The fastest level leaves a fifth of its size.
  const packed = await deflate(Buffer.concat([line, checkpoint]), { level: 1 });
  const bytes = HEADER_BYTES + packed.length;
  const file = Buffer.alloc(Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES);
  MAGIC.copy(file);
  file.writeUInt32LE(packed.length, LENGTH_AT);
  sha256(packed).copy(file, SHA256_AT);
  packed.copy(file, HEADER_BYTES);
  return file;
}

/** Decodes a saved match and checks each of its fields. @param {Buffer} file @throws PITV_SAVED_INVALID */
export function decodeMatch(file) {
  if (file.length < HEADER_BYTES || !file.subarray(0, LENGTH_AT).equals(MAGIC)) {
    throw unusable('it is not a checkpoint of a match');
  }
  const packed = file.subarray(HEADER_BYTES, HEADER_BYTES + file.readUInt32LE(LENGTH_AT));
  if (!file.subarray(SHA256_AT, HEADER_BYTES).equals(sha256(packed))) {
    throw unusable('its checksum is wrong');
  }
  return parseMatch(inflate(packed));
}

/** @param {Buffer} packed @returns {Buffer} */
function inflate(packed) {
  try {
    return inflateRawSync(packed, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    throw unusable('it cannot be decompressed', error);
  }
}

const TEXT = anyText(MAX_TEXT);
const PRESSES = list(integer(0, 15), 2, 2);
const SEAT = { slot: integer(0, MAX_SEATS - 1), player: integer(1), presses: optional(PRESSES) };
const SEATS = list(shape(SEAT), 0, MAX_SEATS);

/** @param {{slot: number, player: number}[]} seats @param {'slot' | 'player'} key */
const areUnique = (seats, key) => new Set(seats.map((seat) => seat[key])).size === seats.length;

/** @param {unknown} options */
function isOptions(options) {
  const entries = isObject(options) ? Object.entries(options) : undefined;
  if (!entries || entries.length > MAX_OPTIONS) return false;
  return entries.every(([name, value]) => TEXT.accepts(name) && Number.isSafeInteger(value));
}

/** The facts of a match. */
export const FACTS = {
  id: integer(1, MAX_MATCH_ID),
  game: TEXT,
  hash: TEXT,
  options: { allowed: 'options', accepts: isOptions },
  owner: TEXT,
  tokenHash: SHA256,
  locked: optional(boolean()),
  seats: {
    allowed: 'seats',
    accepts: (/** @type {any} */ seats) =>
      SEATS.accepts(seats) && areUnique(seats, 'slot') && areUnique(seats, 'player'),
  },
};
const FIELDS = {
  ...FACTS,
  tick: integer(0, 0xffffffff),
  epoch: optional(integer(1)),
  pause: optional(shape({ by: PLAYER_NAME, asks: boolean(), leftMs: integer(0) })),
};

/**
 * Parses the decompressed content of a file.
 * @param {Buffer} bytes @returns {import('../match/saved-match.js').SavedMatch}
 * @throws {import('../errors.js').PitvError} PITV_SAVED_INVALID
 */
function parseMatch(bytes) {
  const end = bytes.indexOf(NEWLINE);
  const saved = parseFields(bytes.subarray(0, Math.max(0, end)), FORMAT, FIELDS);
  return { saved, checkpoint: bytes.subarray(end + 1) };
}
