/** Requests the state of a tab again and again while the tab is shown. */
export class Polling {
  shown = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {number} everyMs
   * @param {() => Promise<void>} update requests and draws the state; handles its errors, and draws nothing unless
   *   `shown`
   */
  constructor(everyMs, update) {
    this.everyMs = everyMs;
    this.update = update;
  }

  /** Begins or ends. @param {boolean} shown */
  show(shown) {
    this.shown = shown;
    clearTimeout(this.#timer);
    if (shown) void this.refresh();
  }

  /** Requests the state now. */
  async refresh() {
    clearTimeout(this.#timer);
    await this.update();
    this.wait(this.everyMs);
  }

  /** Sets when the state is requested next. @param {number} milliseconds */
  wait(milliseconds) {
    clearTimeout(this.#timer);
    if (this.shown) this.#timer = setTimeout(() => this.refresh(), milliseconds);
  }
}
