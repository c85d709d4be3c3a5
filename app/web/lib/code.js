/** The join code as people type it. The letters are those that app/lobby/join-code.js draws from. */

export const CODE_LETTERS = 'BCDFGHJKMNPQRSTWXYZ23456789';
export const CODE_LENGTH = 5;

/**
 * @param {string} text what was typed, pasted or found in an address
 * @returns {string} only letters that a code has, at most as many
 */
export function cleanCode(text) {
  return [...text.toUpperCase()]
    .filter((letter) => CODE_LETTERS.includes(letter))
    .slice(0, CODE_LENGTH)
    .join('');
}
