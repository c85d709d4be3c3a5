/** The HTTP load generator: an optional dependency, which small images leave out. */
import { fileURLToPath } from 'node:url';
import { PitvError } from '../../app/errors.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @returns {Promise<any>} its function; it has no types
 * @throws {PitvError} PITV_AUTOCANNON_MISSING
 */
export async function loadAutocannon() {
  const name = 'autocannon';
  try {
    return (await import(name)).default;
  } catch (cause) {
    throw new PitvError(
      'PITV_AUTOCANNON_MISSING',
      `The requests are made by autocannon, which is not installed: npm install --omit=dev --no-save autocannon in ${ROOT}.`,
      { cause },
    );
  }
}
