/** The pause of a match, which ends by itself. */

/**
 * @typedef {object} PauseState
 * @property {string} by who has begun it, '' for a screen
 * @property {boolean} asks whether a screen asks the players to stop the match
 * @property {number} leftMs until it ends by itself
 */

export class Pause {
  #maxMs;
  #onLate;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** Of the next pause. @type {{leftMs?: number, asks?: boolean}} */
  #next = {};
  /** Undefined while the match plays. @type {PauseState | undefined} */
  state;

  /** @param {number} maxMs @param {() => void} onLate is called after that time */
  constructor(maxMs, onLate) {
    this.#maxMs = maxMs;
    this.#onLate = onLate;
  }

  /** Begins or ends the pause. @param {string} [by] undefined: the match goes on */
  set(by) {
    clearTimeout(this.#timer);
    const { leftMs = this.#maxMs, asks = false } = this.#next;
    this.#next = {};
    this.state = undefined;
    if (by === undefined) return;
    const ms = Math.min(leftMs, this.#maxMs);
    const until = performance.now() + ms;
    const left = () => Math.max(0, Math.ceil(until - performance.now()));
    this.state = {
      by,
      asks,
      get leftMs() {
        return left();
      },
    };
    this.#timer = setTimeout(this.#onLate, ms).unref();
  }

  /** Notes in this pause, or the next one, that a screen asks to stop the match. */
  ask() {
    if (this.state) this.state.asks = true;
    else this.#next = { asks: true };
  }

  /** Has the next pause be the rest of one before the TV stopped. @param {PauseState} saved */
  resume({ leftMs, asks }) {
    this.#next = { leftMs, asks };
  }
}
