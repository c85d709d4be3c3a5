/** Loads autocannon, the HTTP load generator. It is an optional dependency, which small images leave out. */
import { fileURLToPath } from 'node:url';
import { PitvError } from '../../app/errors.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Imports autocannon.
 * @returns {Promise<any>} its function, which has no types
 * @throws {PitvError} PITV_AUTOCANNON_MISSING
 */
export async function loadAutocannon() {
  const name = 'autocannon';
  try {
    return (await import(name)).default;
  } catch (cause) {
    throw new PitvError(
      'PITV_AUTOCANNON_MISSING',
      `This needs autocannon, which is not installed: npm install --omit=dev --no-save autocannon in ${ROOT}.`,
      { cause },
    );
  }
}
