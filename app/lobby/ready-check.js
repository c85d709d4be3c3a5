/** The moment before a match that a phone starts: everybody sees it coming, and anybody can hold it. */
import { PitvError } from '../errors.js';

/** Time between a tap and the start, if others will play, too. */
const READY_MS = 3000;

/** @typedef {import('./players.js').Player} Player */

export class ReadyCheck {
  #lobby;
  /** Ends the countdown. @type {(end: {isDue: boolean, heldBy?: Player}) => void} */
  #finish = () => {};
  /** The match that is about to start. @type {{game: string, by: Player} | undefined} */
  pending;

  /** @param {import('./lobby.js').Lobby} lobby @param {number} [ms] */
  constructor(lobby, ms = READY_MS) {
    this.#lobby = lobby;
    this.ms = ms;
    lobby.on('change', () => {
      const { by } = this.pending ?? {};
      if (by && !this.#isFree(by)) this.#finish({ isDue: false });
    });
  }

  /** Holds the match that is about to start. @param {Player} by who asks */
  hold(by) {
    this.#finish({ isDue: false, heldBy: by });
  }

  /** Tells whether a player is still here, and plays no other match. @param {Player} player */
  #isFree({ id, match }) {
    return !match && this.#lobby.players.get(id) !== undefined;
  }

  /**
   * Waits until a match may start: at once, if nobody else would play in it.
   * @param {string} game id @param {Player} by who has tapped it
   * @returns {Promise<boolean>} false: another match is about to start, or that player plays one or is gone
   * @throws {PitvError} PITV_START_HELD
   */
  async wait(game, by) {
    if (this.pending || !this.#isFree(by)) return false;
    const others = this.#lobby.players.all.filter((player) => player !== by && player.connected);
    if (this.ms === 0 || !others.some((player) => this.#isFree(player))) return true;
    this.pending = { game, by };
    this.#lobby.emit('change');
    const { isDue, heldBy } = await new Promise((resolve) => {
      this.#finish = resolve;
      setTimeout(() => resolve({ isDue: true }), this.ms).unref();
    });
    this.pending = undefined;
    this.#lobby.emit('change');
    if (heldBy) throw new PitvError('PITV_START_HELD', `${heldBy.name} asks to wait.`);
    return isDue;
  }
}
