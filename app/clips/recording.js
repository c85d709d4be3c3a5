/** A match that is recorded from now on: its replay log keeps everything from then to the end. */
import { renderJobOf } from './clip.js';

export class Recording {
  #match;
  #pin;
  #timer;

  /**
   * @param {import('./clip.js').Filmed} match
   * @param {number} seconds at the most
   * @param {() => void} over called after these seconds
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

  /** Discards the recording. Idempotent. */
  drop() {
    clearTimeout(this.#timer);
    return this.#match.replayLog.unpin(this.#pin);
  }

  /**
   * @param {number} height
   * @returns {import('./render/pictures.js').RenderJob} all of it
   * @throws {import('../errors.js').PitvError} PITV_CLIP_EMPTY
   */
  end(height) {
    this.#match.record();
    return renderJobOf(this.#match, height, this.drop());
  }
}
