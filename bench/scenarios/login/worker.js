/** Hashes synchronously on a worker thread, so that the main thread is not blocked. */
import { pbkdf2Sync, scryptSync } from 'node:crypto';

/**
 * @param {{algorithm: string, password: string, salt: Uint8Array, iterations: number,
 *   cost: import('node:crypto').ScryptOptions}} task
 */
export default ({ algorithm, password, salt, iterations, cost }) =>
  algorithm === 'scrypt'
    ? scryptSync(password, salt, 32, cost)
    : pbkdf2Sync(password, salt, iterations, 512, 'sha512');
