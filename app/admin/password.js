/**
 * The admin's password as it is kept: salted and hashed with scrypt (RFC 7914), never as it was typed.
 * Hashing runs on libuv's thread pool; the main thread only waits for it.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { PitvError } from '../errors.js';

/**
 * 16 MiB and some 200 ms of a PC's core, one of the settings that OWASP's password storage cheat sheet
 * gives as equally strong; the others take more memory, and a Pi 1 has 427 MB for everything.
 */
const COST = Object.freeze({ N: 2 ** 14, r: 8, p: 5 });
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** More than scrypt with the highest cost that is accepted from a file needs: 128 * N * r. */
const MEMORY_BYTES = 2 ** 28;
const HIGHEST = Object.freeze({ N: 2 ** 17, r: 8, p: 16 });

/** NIST SP 800-63B, 5.1.1.2: at least 8, and no rules about what they are. */
export const MIN_PASSWORD = 8;
export const MAX_PASSWORD = 256;

/**
 * @typedef {object} PasswordRecord
 * @property {'scrypt'} scheme
 * @property {number} N @property {number} r @property {number} p cost, as in RFC 7914
 * @property {string} salt base64 @property {string} hash base64
 *
 * @typedef {(password: string, record: {N: number, r: number, p: number, salt: Buffer}) => Promise<Buffer>} Hash
 */

const scryptInPool = /** @type {(...args: any[]) => Promise<Buffer>} */ (promisify(scrypt));

/** @type {Hash} on the thread pool */
export const hashInPool = (password, { N, r, p, salt }) =>
  scryptInPool(bytesOf(password), salt, HASH_BYTES, { N, r, p, maxmem: MEMORY_BYTES });

/** The same letters typed on another keyboard have to be the same bytes. @param {string} password */
const bytesOf = (password) => Buffer.from(password.normalize('NFKC'), 'utf8');

/**
 * @param {unknown} password
 * @returns {string}
 * @throws {PitvError} PITV_PASSWORD_INVALID
 */
export function checkNewPassword(password) {
  const length = typeof password === 'string' ? [...password].length : 0;
  if (typeof password === 'string' && length >= MIN_PASSWORD && length <= MAX_PASSWORD) {
    return password;
  }
  throw new PitvError(
    'PITV_PASSWORD_INVALID',
    `A password has ${MIN_PASSWORD} to ${MAX_PASSWORD} characters; this one has ${length}.`,
  );
}

/**
 * @param {unknown} password
 * @param {Hash} [hash]
 * @returns {Promise<PasswordRecord>} with a fresh salt
 * @throws {PitvError} PITV_PASSWORD_INVALID
 */
export async function makeRecord(password, hash = hashInPool) {
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
 * @param {string} password what somebody typed
 * @param {PasswordRecord} record
 * @param {Hash} [hash]
 * @returns {Promise<boolean>} compared in a time that tells nothing about either
 */
export async function matches(password, record, hash = hashInPool) {
  const expected = Buffer.from(record.hash, 'base64');
  const salt = Buffer.from(record.salt, 'base64');
  const { N, r, p } = record;
  return timingSafeEqual(await hash(password, { N, r, p, salt }), expected);
}

/** @param {any} value @returns {value is PasswordRecord} */
export function isRecord(value) {
  if (value?.scheme !== 'scrypt') return false;
  const { N, r, p, salt, hash } = value;
  /** @param {unknown} number @param {number} high */
  const within = (number, high) =>
    Number.isInteger(number) && Number(number) >= 1 && Number(number) <= high;
  /** @param {unknown} text */
  const bytes = (text) => (typeof text === 'string' ? Buffer.from(text, 'base64').length : 0);
  return (
    within(N, HIGHEST.N) &&
    (N & (N - 1)) === 0 &&
    N > 1 &&
    within(r, HIGHEST.r) &&
    within(p, HIGHEST.p) &&
    bytes(salt) >= SALT_BYTES &&
    bytes(hash) === HASH_BYTES
  );
}
