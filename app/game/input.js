/**
 * Packs a player's input into one 32-bit word, so that it can be written and read atomically. Each
 * button has a press counter, so that a tap shorter than a tick is not missed.
 *
 *   bits  0-7   x axis, signed, -127 (left) .. 127 (right)
 *   bits  8-15  y axis, signed, -127 (up) .. 127 (down)
 *   bits 16-17  button A, B held
 *   bits 18-21  presses of A, modulo 16
 *   bits 22-25  presses of B, modulo 16
 *   bits 26-29  generation of the writer, see withGeneration(); games ignore it
 *   bit  30     the player is present
 */

export const MAX_AXIS = 127;
export const BUTTON_A = 1;
export const BUTTON_B = 2;
export const PRESENT = 1 << 30;
const GENERATION_SHIFT = 26;

/**
 * @typedef {object} Input
 * @property {number} x -1 (left) .. 1 (right)
 * @property {number} y -1 (up) .. 1 (down)
 * @property {number} buttons bit set of BUTTON_A, BUTTON_B held now
 * @property {number} pressesA presses of A so far, modulo 16
 * @property {number} pressesB presses of B so far, modulo 16
 * @property {boolean} present whether this slot has a pad
 */

/**
 * Packs an input.
 * @param {number} x axis, integer -127..127 @param {number} y axis, integer -127..127
 * @param {number} buttons 0..3
 * @param {number} pressesA any integer; only the low 4 bits are used
 * @param {number} pressesB any integer; only the low 4 bits are used
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
 * Adds a generation to a word. A thread other than the main thread (the UDP receiver) only replaces
 * words of its own generation. The main thread revokes its access to a slot by writing a word of
 * another generation.
 * @param {number} word without a generation @param {number} generation only the low 4 bits are used
 */
export function withGeneration(word, generation) {
  return word | ((generation & 15) << GENERATION_SHIFT);
}

/** Returns the presses of A and B in a word. @param {number} word @returns {[number, number]} 0..15 */
export const pressesOf = (word) => [(word >> 18) & 15, (word >> 22) & 15];

/** Replaces the presses in a word. @param {number} word @param {number[]} presses any integers @returns {number} */
export const withPresses = (word, [pressesA, pressesB]) =>
  (word & ~(255 << 18)) | ((pressesA & 15) << 18) | ((pressesB & 15) << 22);

/** The word of a slot without a player. */
export const ABSENT = 0;

/**
 * Unpacks an input.
 * @param {number} word int32
 * @param {Input} [target] is filled in and returned, so that a tick allocates nothing
 * @returns {Input}
 */
export function unpackInput(word, target = blankInput()) {
  target.x = ((word << 24) >> 24) / MAX_AXIS;
  target.y = ((word << 16) >> 24) / MAX_AXIS;
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
