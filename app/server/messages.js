/** What comes in over a websocket, made safe: nothing here trusts a byte. */
import { AXIS_MAX } from '../game/input.js';
import { PitvError } from '../errors.js';

export const INPUT_BYTES = 8;
const INPUT_TYPE = 1;
const BUTTONS = 3;
/** A pad's press counters are 8 bits wide, a slot's 4. */
const PRESS_MASK = 15;

/**
 * @param {Buffer} data a text message
 * @returns {{t: string} & Record<string, unknown>}
 * @throws {PitvError} PITV_MESSAGE_INVALID
 */
export function parseText(data) {
  let message;
  try {
    message = JSON.parse(data.toString('utf8'));
  } catch (error) {
    throw new PitvError('PITV_MESSAGE_INVALID', 'A text message has to be JSON.', { cause: error });
  }
  if (
    message === null ||
    typeof message !== 'object' ||
    Array.isArray(message) ||
    typeof message.t !== 'string'
  ) {
    throw new PitvError('PITV_MESSAGE_INVALID', 'A message has to be an object with a string t.');
  }
  return message;
}

/**
 * The state of a pad's controls as it was last told, so that presses are counted by difference: a
 * reloaded page begins to count anew.
 */
export class PadState {
  #seenA = -1;
  #seenB = -1;
  x = 0;
  y = 0;
  buttons = 0;
  /** Presses since takeTaps(). */
  #tapsA = 0;
  #tapsB = 0;

  /**
   * Takes in one binary message: u8 type, i8 x, i8 y, u8 buttons, u8 presses of A, u8 presses of B,
   * u16le sequence.
   * @param {Buffer} data
   * @returns {boolean} false: it is not an input; nothing has changed
   */
  read(data) {
    if (data.length !== INPUT_BYTES || data[0] !== INPUT_TYPE) return false;
    this.x = Math.max(-AXIS_MAX, data.readInt8(1));
    this.y = Math.max(-AXIS_MAX, data.readInt8(2));
    this.buttons = data[3] & BUTTONS;
    // Of the first message only what is held now counts, whatever was pressed before.
    this.#tapsA += this.#seenA < 0 ? this.buttons & 1 : (data[4] - this.#seenA) & PRESS_MASK;
    this.#tapsB += this.#seenB < 0 ? (this.buttons >> 1) & 1 : (data[5] - this.#seenB) & PRESS_MASK;
    this.#seenA = data[4];
    this.#seenB = data[5];
    return true;
  }

  /** @returns {[number, number]} presses of A and B since the last call, modulo 16 */
  takeTaps() {
    const taps = /** @type {[number, number]} */ ([
      this.#tapsA & PRESS_MASK,
      this.#tapsB & PRESS_MASK,
    ]);
    this.#tapsA = 0;
    this.#tapsB = 0;
    return taps;
  }
}
