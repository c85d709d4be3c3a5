/** A match that is recorded from now on: its replay log keeps everything from then to the end. */
import { sceneOf } from './clip.js';

export class Recording {
  #match;
  #pin;
  #timer;

  /**
   * @param {import('./clip.js').Filmed} match
   * @param {number} seconds at the most
   * @param {() => void} over called when these are over
   */
  constructor(match, seconds, over) {
    this.#match = match;
    this.#pin = match.replayLog.pin();
    this.#timer = setTimeout(over, seconds * 1000).unref();
  }

  /** @param {import('./clip.js').Filmed} match */
  isOf(match) {
    return this.#match === match;
  }

  /** What there is of it is left to itself. Idempotent. */
  drop() {
    clearTimeout(this.#timer);
    return this.#match.replayLog.unpin(this.#pin);
  }

  /**
   * @param {number} height
   * @returns {import('./render/film.js').Scene} all of it
   * @throws {import('../errors.js').PitvError} PITV_CLIP_EMPTY
   */
  end(height) {
    this.#match.record();
    return sceneOf(this.#match, height, this.drop());
  }
}
