/**
 * One player's input is one 32-bit word, so it can be written and read atomically and is never
 * torn: 8 bits each axis, 4 bits of held buttons, and a 4-bit press counter for each of the two
 * buttons, so that a tap shorter than a tick is still seen.
 *
 *   bits  0-7   x axis, signed, -127 (left) .. 127 (right)
 *   bits  8-15  y axis, signed, -127 (up) .. 127 (down)
 *   bits 16-17  button A, B held
 *   bits 18-21  presses of A, modulo 16
 *   bits 22-25  presses of B, modulo 16
 *   bits 26-29  whose word it is (a generation); of no meaning to games
 *   bit  30     the player is present
 */

export const AXIS_MAX = 127;
export const BUTTON_A = 1;
export const BUTTON_B = 2;
export const PRESENT = 1 << 30;
const GENERATION_SHIFT = 26;
const GENERATIONS = 15;

/**
 * @typedef {object} Input
 * @property {number} x -1 (left) .. 1 (right)
 * @property {number} y -1 (up) .. 1 (down)
 * @property {number} buttons bit set of BUTTON_A, BUTTON_B held now
 * @property {number} pressesA presses of A so far, modulo 16
 * @property {number} pressesB presses of B so far, modulo 16
 * @property {boolean} present false: this slot has no pad
 */

/**
 * @param {number} x axis, integer -127..127
 * @param {number} y axis, integer -127..127
 * @param {number} buttons 0..3
 * @param {number} pressesA any integer; the low 4 bits count
 * @param {number} pressesB any integer; the low 4 bits count
 * @returns {number} the word, int32
 */
export function packInput(x, y, buttons, pressesA, pressesB) {
  return (
    (x & 0xff) |
    ((y & 0xff) << 8) |
    ((buttons & 3) << 16) |
    ((pressesA & 15) << 18) |
    ((pressesB & 15) << 22) |
    PRESENT
  );
}

/**
 * Whoever writes words past the main thread (UDP receivers) only replaces those of its own generation,
 * so the main thread takes a slot from them by giving it another one.
 * @param {number} word with no generation @param {number} generation the low 4 bits count
 * @returns {number}
 */
export function withGeneration(word, generation) {
  return word | ((generation & GENERATIONS) << GENERATION_SHIFT);
}

/** @param {number} word @returns {number} 0..15 */
export function generationOf(word) {
  return (word >> GENERATION_SHIFT) & GENERATIONS;
}

/** The word of a slot without a player. */
export const ABSENT = 0;

/**
 * @param {number} word int32
 * @param {Input} [target] filled in and returned, so that a tick allocates nothing
 * @returns {Input}
 */
export function unpackInput(word, target = blankInput()) {
  target.x = ((word << 24) >> 24) / AXIS_MAX;
  target.y = ((word << 16) >> 24) / AXIS_MAX;
  target.buttons = (word >> 16) & 3;
  target.pressesA = (word >> 18) & 15;
  target.pressesB = (word >> 22) & 15;
  target.present = (word & PRESENT) !== 0;
  return target;
}

/** @returns {Input} */
export function blankInput() {
  return { x: 0, y: 0, buttons: 0, pressesA: 0, pressesB: 0, present: false };
}
