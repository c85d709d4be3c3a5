/**
 * Bumper with expensive ticks: each uses more than half of its period in CPU time, so that a busy program delays it.
 * The rendering of a clip is not slowed down.
 */
import bumper from '../../app/games/bumper.js';

/** CPU time of a step. A tick lasts 16.7 ms. */
const STEP_MS = 9;

export default Object.freeze({
  ...bumper,
  id: 'busy',
  title: 'Busy',

  /** @param {Record<string, unknown>} options */
  start(options) {
    const job = bumper.start(options);
    if (process.title === 'pitv:clip') return job;
    const step = job.step.bind(job);
    job.step = (readWord, readSequence) => {
      const began = process.cpuUsage();
      step(readWord, readSequence);
      for (let used = 0; used < STEP_MS * 1000;) {
        const { user, system } = process.cpuUsage(began);
        used = user + system;
      }
    };
    return job;
  },
});
