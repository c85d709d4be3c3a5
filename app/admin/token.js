/** The admin token: created at the first start, saved in the data directory with mode 600. */
import { newToken } from '../lobby/tokens.js';
import { unusable } from '../storage/saved-files.js';

export const ADMIN_TOKEN_FILE = 'admin-token';

/** @param {Buffer} bytes @throws {import('../errors.js').PitvError} PITV_SAVED_INVALID */
function parse(bytes) {
  const token = bytes.toString('utf8').trim();
  if (/^[\x21-\x7e]{16,256}$/.test(token)) return token;
  throw unusable('a token has 16 to 256 characters of ASCII');
}

/**
 * Loads the token, or creates one.
 * @param {import('../storage/store.js').Store} store
 * @param {boolean} writable whether the data directory can be written
 * @returns {Promise<{token: string, isSaved: boolean}>} isSaved: the token will be the same at the next start
 */
export async function loadAdminToken(store, writable) {
  const saved = await store.load(ADMIN_TOKEN_FILE, { parse });
  if (saved) return { token: saved, isSaved: true };
  const token = newToken();
  if (!writable) return { token, isSaved: false };
  const isSaved = await store.write(ADMIN_TOKEN_FILE, `${token}\n`).then(
    () => true,
    () => false, // for example because the disk is full; the TV starts anyway
  );
  return { token, isSaved };
}
