/** The join code as typed by a person. The letters are those of app/lobby/join-code.js. */

export const CODE_LETTERS = 'BCDFGHJKMNPQRSTWXYZ23456789';
const NO_LETTER = new RegExp(`[^${CODE_LETTERS}]`, 'g');
export const CODE_LENGTH = 5;
/** The code in a link has further letters. */
export const LINK_CODE_LENGTH = 10;

/**
 * Removes all characters that cannot be part of a code.
 * @param {string} text typed, pasted or from a URL
 * @param {number} [length]
 * @returns {string} at most `length` letters
 */
export function cleanCode(text, length = CODE_LENGTH) {
  return text.toUpperCase().replace(NO_LETTER, '').slice(0, length);
}
