/** Checks of values that were read from a saved file. */
import { anyText, like } from '../options.js';

const MAX_NAME = 1024;

/**
 * Tells whether a value is an object with properties: no array, not null.
 * @param {unknown} value @returns {value is Record<string, unknown>}
 */
export const isObject = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A name that may be a player's. */
export const PLAYER_NAME = anyText(MAX_NAME);
/** A SHA-256 in hexadecimal digits. */
export const SHA256 = like('a SHA-256', /^[0-9a-f]{64}$/);
