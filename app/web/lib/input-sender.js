import { BUTTON_A, BUTTON_B } from '../../game/input.js';

/**
 * Sends a pad's input: 8 bytes on each change, at most 120 times per second, less often in the lobby. While anything
 * is held, the input is repeated every 250 ms, so that the server can release it if the pad disappears.
 *
 *   u8 type = 1, i8 x, i8 y, u8 buttons, u8 presses of A, u8 presses of B, u16le sequence
 */

export const INPUT_TYPE = 1;
export const MIN_INTERVAL_MS = 1000 / 120;
export const REPEAT_INTERVAL_MS = 250;

/**
 * Packs a message.
 * @param {{x: number, y: number, buttons: number, pressesA: number, pressesB: number}} input axes:
 *   integers -127..127; presses: any integers, only the low 8 bits are used
 * @param {number} sequence only the low 16 bits are used
 * @returns {Uint8Array} 8 bytes
 */
export function packPadInput({ x, y, buttons, pressesA, pressesB }, sequence) {
  return Uint8Array.of(
    INPUT_TYPE,
    x & 0xff,
    y & 0xff,
    buttons & (BUTTON_A | BUTTON_B),
    pressesA & 0xff,
    pressesB & 0xff,
    sequence & 0xff,
    (sequence >> 8) & 0xff,
  );
}

export class InputSender {
  x = 0;
  y = 0;
  buttons = 0;
  pressesA = 0;
  pressesB = 0;
  sequence = 0;
  /** Minimum time between two messages, ms. */
  intervalMs = MIN_INTERVAL_MS;
  #sentAt = -Infinity;
  #dirty = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #send;

  /** @param {(bytes: Uint8Array) => boolean} send returns false if the message was not sent; it is tried again */
  constructor(send) {
    this.#send = send;
  }

  /**
   * Sets the state of the pad. Only a change is sent.
   * @param {number} x -127..127 @param {number} y -127..127 @param {number} buttons held buttons
   */
  update(x, y, buttons) {
    const pressed = buttons & ~this.buttons;
    if (x === this.x && y === this.y && buttons === this.buttons) return;
    this.x = x;
    this.y = y;
    this.buttons = buttons;
    if (pressed & BUTTON_A) this.pressesA = (this.pressesA + 1) & 0xff;
    if (pressed & BUTTON_B) this.pressesB = (this.pressesB + 1) & 0xff;
    this.#dirty = true;
    this.#schedule();
  }

  /** Releases everything, because the page is hidden or the match is over. */
  release() {
    this.update(0, 0, 0);
  }

  #schedule() {
    const wait = this.#dirty ? this.intervalMs : REPEAT_INTERVAL_MS;
    const dueMs = this.#sentAt + wait - performance.now();
    clearTimeout(this.#timer);
    if (dueMs <= 0) return this.#flush();
    const isHeld = this.x !== 0 || this.y !== 0 || this.buttons !== 0;
    if (this.#dirty || isHeld) this.#timer = setTimeout(() => this.#flush(), dueMs);
  }

  #flush() {
    const sent = this.#send(packPadInput(this, this.sequence + 1));
    this.#sentAt = performance.now();
    if (sent) {
      this.sequence = (this.sequence + 1) & 0xffff;
      this.#dirty = false;
    }
    this.#schedule();
  }
}
