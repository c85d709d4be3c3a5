/** Parses and checks the messages of websockets. */
import { MAX_AXIS } from '../game/input.js';
import { PitvError } from '../errors.js';
import { isObject } from '../storage/checks.js';

export const INPUT_BYTES = 8;
const INPUT_TYPE = 1;
const BUTTONS = 3;
/** A pad's press counters have 8 bits, a slot's 4. */
const PRESS_MASK = 15;

/**
 * Parses a text message.
 * @param {Buffer} data @returns {{t: string} & Record<string, unknown>}
 * @throws {PitvError} PITV_MESSAGE_INVALID
 */
export function parseText(data) {
  let message;
  try {
    message = JSON.parse(data.toString('utf8'));
  } catch (error) {
    throw new PitvError('PITV_MESSAGE_INVALID', 'A text message must be JSON.', { cause: error });
  }
  if (!isObject(message) || typeof message.t !== 'string') {
    throw new PitvError('PITV_MESSAGE_INVALID', 'A message must be an object with a string t.');
  }
  return /** @type {any} */ (message);
}

/** The controls of a pad. Presses are the difference of two messages, as reloaded pages begin again. */
export class PadState {
  /** Press counters of A and B in the last message; -1 before the first one. */
  #counts = Int16Array.of(-1, -1);
  /** Presses since takeTaps(). */
  #taps = new Uint8Array(2);
  x = 0;
  y = 0;
  buttons = 0;

  /**
   * Reads a binary message: u8 type, i8 x, i8 y, u8 buttons, u8 presses of A, u8 presses of B, u16le sequence number.
   * @param {Buffer} data @returns {boolean} false if it is not an input; the state has not changed then
   */
  read(data) {
    if (data.length !== INPUT_BYTES || data[0] !== INPUT_TYPE) return false;
    this.x = Math.max(-MAX_AXIS, data.readInt8(1));
    this.y = Math.max(-MAX_AXIS, data.readInt8(2));
    this.buttons = data[3] & BUTTONS;
    for (let i = 0; i < 2; i++) {
      const before = this.#counts[i];
      const count = data[4 + i];
      // In the first message, only the held buttons count: its counters may include old presses.
      this.#taps[i] += before < 0 ? (this.buttons >> i) & 1 : (count - before) & PRESS_MASK;
      this.#counts[i] = count;
    }
    return true;
  }

  /** Returns and resets the number of presses. @returns {[number, number]} of A and B since the last call, modulo 16 */
  takeTaps() {
    const [a, b] = this.#taps;
    this.#taps.fill(0);
    return [a & PRESS_MASK, b & PRESS_MASK];
  }
}
