/** Hashes on a thread of its own, which may be held up: nobody else waits for it. */
import { pbkdf2Sync, scryptSync } from 'node:crypto';

/**
 * @param {{algorithm: string, password: string, salt: Uint8Array, iterations: number,
 *   cost: import('node:crypto').ScryptOptions}} task
 */
export default ({ algorithm, password, salt, iterations, cost }) =>
  algorithm === 'scrypt'
    ? scryptSync(password, salt, 32, cost)
    : pbkdf2Sync(password, salt, iterations, 512, 'sha512');
