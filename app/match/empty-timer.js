/** Ends a match when no player has been connected for some time. */
export class EmptyTimer {
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #limitMs;
  #onEmpty;

  /** @param {number} limitMs Infinity: never @param {() => void} onEmpty */
  constructor(limitMs, onEmpty) {
    this.#limitMs = limitMs;
    this.#onEmpty = onEmpty;
  }

  /**
   * Starts the timer if a match of this TV has no connected player, and is not paused.
   * @param {import('./match.js').Match} match
   */
  check({ end, game, isOwn, paused, players }) {
    const isEmpty = players.every((player) => !player.connected);
    this.set(game.players.max > 0 && isEmpty && !end && isOwn && !paused);
  }

  /** Starts the timer unless it runs, or stops it. @param {boolean} isEmpty whether no player is connected */
  set(isEmpty) {
    if (!isEmpty) clearTimeout(this.#timer);
    if (!isEmpty || this.#limitMs === Infinity) this.#timer = undefined;
    else this.#timer ??= setTimeout(this.#onEmpty, this.#limitMs).unref();
  }
}
