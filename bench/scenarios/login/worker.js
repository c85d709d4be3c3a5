/** Hashes a password synchronously, as Node's guide to profiling does; on a worker thread or on the main thread. */
import { pbkdf2Sync } from 'node:crypto';

export const ROUNDS = 10_000;
export const HASH_BYTES = 512;
export const DIGEST = 'sha512';

/** @param {{password: string, salt: Uint8Array}} task */
export default ({ password, salt }) => pbkdf2Sync(password, salt, ROUNDS, HASH_BYTES, DIGEST);
