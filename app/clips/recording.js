/** A recording of a match. A pin makes the match's replay log keep everything from the start of the recording. */
import { renderJobOf } from './clip.js';

export class Recording {
  #match;
  #pin;
  #timer;

  /**
   * @param {import('./clip.js').ClipSource} match
   * @param {number} seconds maximum duration
   * @param {() => void} onTimeout called after the maximum duration
   */
  constructor(match, seconds, onTimeout) {
    this.#match = match;
    this.#pin = match.replayLog.pin();
    this.#timer = setTimeout(onTimeout, seconds * 1000).unref();
  }

  /** Tells whether this is a recording of a match. @param {import('./clip.js').ClipSource} match */
  isOf(match) {
    return this.#match === match;
  }

  /** Discards the recording. Idempotent. @returns {number} the tick at which it started */
  cancel() {
    clearTimeout(this.#timer);
    return this.#match.replayLog.unpin(this.#pin);
  }

  /**
   * Ends the recording and makes its render job.
   * @param {number} height px
   * @returns {import('./render/pictures.js').RenderJob}
   * @throws {import('../errors.js').PitvError} PITV_CLIP_EMPTY
   */
  end(height) {
    this.#match.record();
    return renderJobOf(this.#match, height, this.cancel());
  }
}
