/**
 * A terminal's keyboard as a pad. A terminal tells that a key went down and, after a while, that it
 * repeats; that it went up nobody tells. So a key counts as held until its repeats stay away.
 */

const UP_AFTER_FIRST_MS = 550; // until a terminal begins to repeat
const UP_AFTER_REPEAT_MS = 120;
const TAP_MS = 120;

/** What a terminal sends -> what it moves. */
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
  'arrows or W A S D move, Space or J is A, Enter or K is B, G starts the game again, Q ends';

export class Keyboard {
  /** @type {Map<string, {timer: NodeJS.Timeout, repeats: boolean}>} keys that are down */
  #down = new Map();

  /**
   * @param {(state: {x: number, y: number, buttons: number}) => void} set
   * @param {(what: 'again' | 'quit') => void} ask
   */
  constructor(set, ask) {
    this.set = set;
    this.ask = ask;
  }

  /** @param {string} text what the terminal sent: one key, or several typed at once */
  read(text) {
    for (const [key] of text.matchAll(KEY)) this.#key(key.toLowerCase(), key);
  }

  /** @param {string} lower @param {string} key */
  #key(lower, key) {
    if (lower === 'q' || key === '\x03' || key === '\x04') return this.ask('quit');
    if (lower === 'g') return this.ask('again');
    const name = key in KEYS ? key : lower;
    if (!(name in KEYS)) return undefined;
    const known = this.#down.get(name);
    clearTimeout(known?.timer);
    const [axis] = KEYS[name];
    const hold = axis === 'buttons' ? TAP_MS : known ? UP_AFTER_REPEAT_MS : UP_AFTER_FIRST_MS;
    const timer = setTimeout(() => {
      this.#down.delete(name);
      this.#tell();
    }, hold);
    this.#down.delete(name); // the newest key of an axis wins
    this.#down.set(name, { timer, repeats: known !== undefined });
    return this.#tell();
  }

  #tell() {
    const state = { x: 0, y: 0, buttons: 0 };
    for (const name of this.#down.keys()) {
      const [axis, value] = KEYS[name];
      if (axis === 'buttons') state.buttons |= value;
      else state[axis] = value;
    }
    this.set(state);
  }

  close() {
    for (const { timer } of this.#down.values()) clearTimeout(timer);
    this.#down.clear();
  }
}
