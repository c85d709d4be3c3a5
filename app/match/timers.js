/** Limits of a match, and its timers: of its pause, which ends by itself, and of its end without players. */
import { LIMITS } from '../limits/table.js';

/**
 * @typedef {object} MatchLimits
 * @property {number} emptyMs a match without a connected player ends after this time
 * @property {number} absentAfterMs the input of a disconnected player is neutral for this time; then the player is
 *   absent, and the game may take over
 * @property {number} failures this many failures of the worker
 * @property {number} failuresMs within this time end the match
 * @property {number} stopGraceMs time for a worker's last checkpoint
 * @property {number} pauseMs a pause ends after this time
 */

/** By default. The table of all limits that operators see is in ../limits/. @type {MatchLimits} */
export const MATCH_LIMITS = Object.freeze({
  emptyMs: LIMITS.emptyMatch.value,
  absentAfterMs: 1_500,
  failures: 3,
  failuresMs: 60_000,
  stopGraceMs: 1000,
  pauseMs: LIMITS.matchPause.value,
});

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
