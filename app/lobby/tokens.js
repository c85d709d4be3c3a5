/** Secrets: tokens of phones, screens, owners of matches and the admin, and their comparison. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const TOKEN_BYTES = 16; // 128 bits

/** Makes a random token. @returns {string} base64url */
export const newToken = () => randomBytes(TOKEN_BYTES).toString('base64url');

/** Hashes a token for storage and comparison. @param {string} token @returns {Buffer} SHA-256 */
export const hashToken = (token) => createHash('sha256').update(token).digest();

/** Compares secrets in a time that depends on neither. @param {string} a @param {string} b @returns {boolean} */
export const sameSecret = (a, b) => timingSafeEqual(hashToken(a), hashToken(b));

/** Tells whether a token has a hash, in a time that tells nothing. @param {string} token @param {Buffer} hash */
export const hasHash = (token, hash) => timingSafeEqual(hashToken(token), hash);
