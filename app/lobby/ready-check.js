/** The moment before a match that a phone starts: everybody sees it coming, and anybody can hold it. */
import { PitvError } from '../errors.js';

/** Time between a tap and the start, if others will play, too. */
const READY_MS = 3000;

/** @typedef {import('./players.js').Player} Player */

export class ReadyCheck {
  #lobby;
  #ms;
  /** Holds the match that is about to start. @type {(by?: Player) => void} by: who asks */
  hold = () => {};
  /** The match that is about to start. @type {{game: string, by: Player} | undefined} */
  pending;

  /** @param {import('./lobby.js').Lobby} lobby @param {number} [ms] */
  constructor(lobby, ms = READY_MS) {
    this.#lobby = lobby;
    this.#ms = ms;
  }

  /**
   * Waits until a match may start: at once, if nobody else would play in it.
   * @param {string} game id @param {Player} by who has tapped it
   * @returns {Promise<boolean>} false: another match is about to start @throws {PitvError} PITV_START_HELD
   */
  async wait(game, by) {
    if (this.pending) return false;
    const isFree = (/** @type {Player} */ player) => player.connected && !player.match;
    const others = this.#lobby.players.all.some((player) => player !== by && isFree(player));
    if (!others || this.#ms === 0) return true;
    this.pending = { game, by };
    this.#lobby.emit('change');
    const heldBy = await new Promise((resolve) => {
      this.hold = resolve;
      setTimeout(resolve, this.#ms).unref();
    });
    this.pending = undefined;
    this.#lobby.emit('change');
    if (!heldBy) return true;
    throw new PitvError('PITV_START_HELD', `${heldBy.name} asks to wait.`);
  }
}
