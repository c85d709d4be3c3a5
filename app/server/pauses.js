/** Limits how often phones and screens pause matches. */
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
    const [rates, key] =
      client === undefined ? [this.#byMatch, String(match.id)] : [this.#byClient, client];
    if (isPaused && !match.paused && !rates.take(key, performance.now())) {
      const sentence =
        'This match was paused too often. Pause it with the phone of a player, or wait some minutes.';
      const details = { retryAfterS: rates.secondsUntilOne(key) };
      throw new PitvError('PITV_PAUSE_BUSY', sentence, { details });
    }
    if (isPaused && asks) match.askToStop();
    else match.pause(isPaused ? by : undefined);
  }
}
