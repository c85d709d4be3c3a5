/** The join code as typed by a person. The letters are those of app/lobby/join-code.js. */

export const CODE_LETTERS = 'BCDFGHJKMNPQRSTWXYZ23456789';
export const CODE_LENGTH = 5;

/**
 * Removes all characters that cannot be part of a code.
 * @param {string} text typed, pasted or from a URL
 * @returns {string} at most CODE_LENGTH letters
 */
export function cleanCode(text) {
  return [...text.toUpperCase()]
    .filter((letter) => CODE_LETTERS.includes(letter))
    .slice(0, CODE_LENGTH)
    .join('');
}
