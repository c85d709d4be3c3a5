/**
 * Uses the keyboard of a terminal as a pad. A terminal reports when a key goes down and, after a delay, its
 * repetitions, but not when the key goes up. So a key counts as held until its repetitions stop.
 */

/** Times without a repetition after which a key counts as released. A terminal starts to repeat within the first. */
const FIRST_HOLD_MS = 550;
const REPEAT_HOLD_MS = 120;
const TAP_MS = 120;

/** Input of a terminal -> the part of the pad's state that it sets. */
const KEYS = Object.freeze(
  /** @type {Record<string, [name: 'x' | 'y' | 'buttons', value: number]>} */ ({
    '\x1b[A': ['y', -127],
    '\x1b[B': ['y', 127],
    '\x1b[C': ['x', 127],
    '\x1b[D': ['x', -127],
    w: ['y', -127],
    s: ['y', 127],
    d: ['x', 127],
    a: ['x', -127],
    ' ': ['buttons', 1],
    j: ['buttons', 1],
    k: ['buttons', 2],
    '\r': ['buttons', 2],
  }),
);

/** An escape sequence, or a character. */
const ESCAPE = '\x1b';
const KEY = new RegExp(`${ESCAPE}\\[[A-Z]|[^]`, 'g');

export const KEYBOARD_HELP =
  'arrows or W A S D move, Space or J is A, Enter or K is B, G restarts the game, Q quits';

/** Converts keys to the state of a pad. */
export class Keyboard {
  /** @type {Map<string, NodeJS.Timeout>} keys that are down */
  #down = new Map();

  /**
   * @param {(state: {x: number, y: number, buttons: number}) => void} onState
   * @param {(command: 'again' | 'quit') => void} onCommand
   */
  constructor(onState, onCommand) {
    this.onState = onState;
    this.onCommand = onCommand;
  }

  /** Processes input of the terminal. @param {string} text one key, or several typed at once */
  read(text) {
    for (const [key] of text.matchAll(KEY)) this.#key(key.toLowerCase(), key);
  }

  /** @param {string} lower @param {string} key */
  #key(lower, key) {
    if (lower === 'q' || key === '\x03' || key === '\x04') return this.onCommand('quit');
    if (lower === 'g') return this.onCommand('again');
    const name = key in KEYS ? key : lower;
    if (!(name in KEYS)) return undefined;
    const previous = this.#down.get(name);
    clearTimeout(previous);
    const [axis] = KEYS[name];
    const holdMs = axis === 'buttons' ? TAP_MS : previous ? REPEAT_HOLD_MS : FIRST_HOLD_MS;
    const timer = setTimeout(() => {
      this.#down.delete(name);
      this.#report();
    }, holdMs);
    this.#down.delete(name); // the newest key of an axis wins
    this.#down.set(name, timer);
    return this.#report();
  }

  /** Calls onState with the state that follows from the keys that are down. */
  #report() {
    const state = { x: 0, y: 0, buttons: 0 };
    for (const name of this.#down.keys()) {
      const [axis, value] = KEYS[name];
      if (axis === 'buttons') state.buttons |= value;
      else state[axis] = value;
    }
    this.onState(state);
  }

  /** Stops the timers. No function is called any more. */
  close() {
    for (const timer of this.#down.values()) clearTimeout(timer);
    this.#down.clear();
  }
}
