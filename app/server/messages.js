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
  /** Press counters in the last message; -1 before the first one. */
  #countA = -1;
  #countB = -1;
  x = 0;
  y = 0;
  buttons = 0;
  /** Presses since takeTaps(). */
  #tapsA = 0;
  #tapsB = 0;

  /**
   * Reads a binary message: u8 type, i8 x, i8 y, u8 buttons, u8 presses of A, u8 presses of B, u16le sequence number.
   * @param {Buffer} data @returns {boolean} false if it is not an input; the state has not changed then
   */
  read(data) {
    if (data.length !== INPUT_BYTES || data[0] !== INPUT_TYPE) return false;
    this.x = Math.max(-MAX_AXIS, data.readInt8(1));
    this.y = Math.max(-MAX_AXIS, data.readInt8(2));
    this.buttons = data[3] & BUTTONS;
    // In the first message, only the held buttons count: its counters may include old presses.
    this.#tapsA += this.#countA < 0 ? this.buttons & 1 : (data[4] - this.#countA) & PRESS_MASK;
    this.#tapsB +=
      this.#countB < 0 ? (this.buttons >> 1) & 1 : (data[5] - this.#countB) & PRESS_MASK;
    this.#countA = data[4];
    this.#countB = data[5];
    return true;
  }

  /** Returns and resets the number of presses. @returns {[number, number]} of A and B since the last call, modulo 16 */
  takeTaps() {
    const [a, b] = [this.#tapsA & PRESS_MASK, this.#tapsB & PRESS_MASK];
    this.#tapsA = 0;
    this.#tapsB = 0;
    return [a, b];
  }
}
