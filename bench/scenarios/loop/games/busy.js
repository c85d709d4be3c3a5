/**
 * Bumper on a slow machine: each tick takes most of its time, so that a match keeps a core busy.
 * What a match costs the main thread stays the same.
 */
import bumper from '../../../../app/games/bumper.js';

/** Of the 16.7 ms that a tick lasts. */
const STEP_MS = 14;

export default Object.freeze({
  ...bumper,
  id: 'busy',

  /** @param {Record<string, unknown>} options */
  start(options) {
    const job = bumper.start(options);
    const step = job.step.bind(job);
    job.step = (readWord, readSequence) => {
      const end = performance.now() + STEP_MS;
      step(readWord, readSequence);
      while (performance.now() < end);
    };
    return job;
  },
});
