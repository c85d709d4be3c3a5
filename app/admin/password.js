/** Hashes and verifies the admin's password with scrypt (RFC 7914) and a random salt, in libuv's thread pool. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { PitvError } from '../errors.js';
import { integer, oneOf, shape } from '../options.js';

/**
 * 16 MiB and about 200 ms of one PC core. Of the equally strong settings in OWASP's Password Storage Cheat Sheet, this
 * one needs the least memory: a Pi 1 has 427 MB in all.
 */
const COST = Object.freeze({ N: 2 ** 14, r: 8, p: 5 });
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Highest cost that is accepted from a file. */
const MAX_COST = Object.freeze({ N: 2 ** 17, r: 8, p: 16 });
/** Limit for scrypt, which needs 128 * N * r bytes: 128 MiB at MAX_COST. */
const MAX_MEMORY_BYTES = 2 ** 28;

/** In characters, any of them (NIST SP 800-63B, section 5.1.1.2). */
export const MIN_PASSWORD_LENGTH = 8;
const MAX_PASSWORD_LENGTH = 256;

/**
 * @typedef {object} PasswordRecord
 * @property {'scrypt'} scheme
 * @property {number} N @property {number} r @property {number} p cost, as in RFC 7914
 * @property {string} salt base64 @property {string} hash base64
 *
 * @typedef {(password: string, record: {N: number, r: number, p: number, salt: Buffer}) => Promise<Buffer>} Hash
 */

const scryptInPool = /** @type {(...args: any[]) => Promise<Buffer>} */ (promisify(scrypt));

/** Hashes a password in the thread pool. @type {Hash} */
export const hashInPool = (password, { N, r, p, salt }) => {
  // The same letters give the same bytes whatever keyboard composed them.
  const bytes = Buffer.from(password.normalize('NFKC'), 'utf8');
  return scryptInPool(bytes, salt, HASH_BYTES, { N, r, p, maxmem: MAX_MEMORY_BYTES });
};

/**
 * Checks the length of a new password.
 * @param {unknown} password
 * @returns {string} the password
 * @throws {PitvError} PITV_PASSWORD_INVALID
 */
export function checkNewPassword(password) {
  const length = typeof password === 'string' ? [...password].length : 0;
  if (length >= MIN_PASSWORD_LENGTH && length <= MAX_PASSWORD_LENGTH) return String(password);
  const sentence = `A password has ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters; this one has ${length}.`;
  throw new PitvError('PITV_PASSWORD_INVALID', sentence);
}

/**
 * Hashes a new password with a new salt.
 * @param {unknown} password
 * @param {Hash} [hash]
 * @returns {Promise<PasswordRecord>}
 * @throws {PitvError} PITV_PASSWORD_INVALID
 */
export async function hashPassword(password, hash = hashInPool) {
  const checked = checkNewPassword(password);
  const salt = randomBytes(SALT_BYTES);
  const hashed = await hash(checked, { ...COST, salt });
  return {
    scheme: 'scrypt',
    ...COST,
    salt: salt.toString('base64'),
    hash: hashed.toString('base64'),
  };
}

/**
 * Tells whether a password is the one of a record. Compares the hashes in constant time.
 * @param {string} password
 * @param {PasswordRecord} record
 * @param {Hash} [hash]
 */
export async function verifyPassword(password, record, hash = hashInPool) {
  const expected = Buffer.from(record.hash, 'base64');
  const salt = Buffer.from(record.salt, 'base64');
  const { N, r, p } = record;
  return timingSafeEqual(await hash(password, { N, r, p, salt }), expected);
}

/** @param {(bytes: number) => boolean} isLong tells whether the decoded text has the right length */
const base64 = (isLong) => ({
  allowed: 'a text in base64',
  accepts: (/** @type {unknown} */ text) =>
    typeof text === 'string' && isLong(Buffer.from(text, 'base64').length),
});

/** A record with an acceptable cost. */
export const PASSWORD_RECORD = shape({
  scheme: oneOf(['scrypt']),
  N: {
    allowed: 'a power of two',
    accepts: (N) => integer(2, MAX_COST.N).accepts(N) && (N & (N - 1)) === 0,
  },
  r: integer(1, MAX_COST.r),
  p: integer(1, MAX_COST.p),
  salt: base64((bytes) => bytes >= SALT_BYTES),
  hash: base64((bytes) => bytes === HASH_BYTES),
});
