/** The pause of a match, which ends by itself. */
export class Pause {
  #maxMs;
  #onLate;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /**
   * By whom ('' for a screen) and until when (performance.now()) the match is paused; undefined while it plays.
   * @type {{by: string, until: number} | undefined}
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
    this.state = by === undefined ? undefined : { by, until: performance.now() + this.#maxMs };
    if (this.state) this.#timer = setTimeout(this.#onLate, this.#maxMs).unref();
  }
}
