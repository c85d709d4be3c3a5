/** Limits how often phones and screens pause matches. */
import { PitvError } from '../errors.js';
import { BucketMap } from '../limits/bucket-map.js';
import { LIMITS } from '../limits/table.js';

/** @typedef {import('../match/match.js').Match} Match */

export class Pauses {
  #byClient = new BucketMap(LIMITS.pauses.value);
  #byMatch = new BucketMap(LIMITS.screenPauses.value);

  /**
   * Pauses a match, or has it go on.
   * @param {Match} match @param {boolean} isPaused
   * @param {{by?: string, client?: string}} who by: the name of the player who pauses it; client: key of the address of
   *   a player, or of a screen that may stop the match; without it, of another screen
   * @throws {PitvError} PITV_PAUSE_BUSY
   */
  set(match, isPaused, { by = '', client }) {
    const [rates, key] =
      client === undefined ? [this.#byMatch, String(match.id)] : [this.#byClient, client];
    if (isPaused && !match.paused && !rates.take(key, performance.now())) {
      const sentence =
        'This match was paused too often. Pause it with the phone of a player, or wait some minutes.';
      const details = { retryAfterS: rates.secondsUntilOne(key) };
      throw new PitvError('PITV_PAUSE_BUSY', sentence, { details });
    }
    match.pause(isPaused ? by : undefined);
  }
}
