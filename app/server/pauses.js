/** Limits how often phones and screens pause matches, and phones hold the start of one. */
import { PitvError } from '../errors.js';
import { BucketMap } from '../limits/bucket-map.js';
import { LIMITS } from '../limits/table.js';

/** @typedef {import('../match/match.js').Match} Match */

export class Pauses {
  #byClient = new BucketMap(LIMITS.pauses.value);
  #byMatch = new BucketMap(LIMITS.screenPauses.value);

  /**
   * Pauses a match, or has it go on. It also stands still while its players decide whether to stop it for a screen.
   * @param {Match} match @param {boolean} isPaused
   * @param {{by?: string, client?: string, asks?: boolean}} who by: the name of the player who pauses it; client: key
   *   of the address of a player, or of a screen that may stop the match; without it, of another screen; asks: the
   *   screen asks to stop it
   * @throws {PitvError} PITV_PAUSE_BUSY
   */
  set(match, isPaused, { by = '', client, asks = false }) {
    if (isPaused && !match.paused) {
      if (client === undefined) take(this.#byMatch, String(match.id));
      else take(this.#byClient, client);
    }
    if (isPaused && asks) match.askToStop();
    else match.pause(isPaused ? by : undefined);
  }

  /**
   * Holds the match that is about to start.
   * @param {import('../lobby/ready-check.js').ReadyCheck} ready @param {import('../match/seats.js').Player} player
   * @param {string} client key of the player's address @throws {PitvError} PITV_PAUSE_BUSY
   */
  hold(ready, player, client) {
    if (ready.pending) take(this.#byClient, client);
    ready.hold(player);
  }
}

/** @param {BucketMap} rates @param {string} key @throws {PitvError} PITV_PAUSE_BUSY */
function take(rates, key) {
  if (rates.take(key, performance.now())) return;
  const sentence =
    'You have asked others to wait too often. The phone of another player can do it, or wait some minutes.';
  const details = { retryAfterS: rates.secondsUntilOne(key) };
  throw new PitvError('PITV_PAUSE_BUSY', sentence, { details });
}
