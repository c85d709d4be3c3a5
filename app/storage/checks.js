/** Checks of values that were read from a saved file. */

const MAX_NAME = 1024;

/**
 * Tells whether a value is an object with properties: no array, not null.
 * @param {unknown} value @returns {value is Record<string, unknown>}
 */
export const isObject = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Checks an integer. @param {unknown} value @param {number} min @param {number} [max] @returns {value is number} */
export const isWhole = (value, min, max = Number.MAX_SAFE_INTEGER) =>
  Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;

/** Checks a text. @param {unknown} value @param {number} maxLength @returns {value is string} */
export const isText = (value, maxLength) => typeof value === 'string' && value.length <= maxLength;

/** Tells whether a value may be a player's name. @param {unknown} value @returns {value is string} */
export const isPlayerName = (value) => isText(value, MAX_NAME);
export const PLAYER_NAME = Object.freeze({ allowed: 'a name', accepts: isPlayerName });

/** Tells whether a value is a SHA-256 in hexadecimal digits. @param {unknown} value @returns {value is string} */
export const isSha256 = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
export const SHA256 = Object.freeze({ allowed: 'a SHA-256', accepts: isSha256 });

/**
 * Tells whether a value is an array of bounded length whose elements all pass a check.
 * @param {unknown} value @param {number} maxLength @param {(element: any) => boolean} check
 * @returns {value is any[]}
 */
export const isList = (value, maxLength, check) =>
  Array.isArray(value) && value.length <= maxLength && value.every((element) => check(element));
