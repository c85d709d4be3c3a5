/** The pause of a match, which ends by itself. */
export class Pause {
  #maxMs;
  #onLate;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** Whether a screen asks for the next pause. */
  #asks = false;
  /**
   * By whom ('' for a screen) and until when (performance.now()) the match is paused; undefined while it plays. asks: a
   * screen asks the players to stop it.
   * @type {{by: string, until: number, asks: boolean} | undefined}
   */
  state;

  /** @param {number} maxMs @param {() => void} onLate is called after that time */
  constructor(maxMs, onLate) {
    this.#maxMs = maxMs;
    this.#onLate = onLate;
  }

  /** Begins or ends the pause. @param {string} [by] undefined: the match goes on */
  set(by) {
    clearTimeout(this.#timer);
    const until = performance.now() + this.#maxMs;
    this.state = by === undefined ? undefined : { by, until, asks: this.#asks };
    this.#asks = false;
    if (this.state) this.#timer = setTimeout(this.#onLate, this.#maxMs).unref();
  }

  /** Notes in this pause, or the next one, that a screen asks to stop the match. */
  ask() {
    if (this.state) this.state.asks = true;
    else this.#asks = true;
  }
}
