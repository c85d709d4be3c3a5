/** The admin token: made once, kept in the data directory with mode 600. */
import { newToken } from './players.js';

export const ADMIN_TOKEN_FILE = 'admin-token';

/**
 * @param {import('./store.js').Store} store
 * @param {boolean} writable
 * @returns {Promise<{token: string, kept: boolean}>} kept: it will be the same at the next start
 */
export async function loadAdminToken(store, writable) {
  const saved = (await store.read(ADMIN_TOKEN_FILE).catch(() => undefined))
    ?.toString('utf8')
    .trim();
  if (saved && /^[\x21-\x7e]{16,256}$/.test(saved)) return { token: saved, kept: true };
  const token = newToken();
  if (!writable) return { token, kept: false };
  const kept = await store.write(ADMIN_TOKEN_FILE, `${token}\n`).then(
    () => true,
    () => false, // the disk is full, say: no reason for a TV to stay off
  );
  return { token, kept };
}
