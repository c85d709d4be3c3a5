/**
 * Bumper as on a slow machine: computing takes most of each tick, so that a match keeps a core busy. The cost for the
 * main thread is that of bumper.
 */
import bumper from '../../../../app/games/bumper.js';

/** Computing time in each tick of 16.7 ms. */
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
