/**
 * Bumper on a slow machine: each tick uses more than half of its period in CPU time, so that a program that
 * takes the CPU delays it. A clip of it is rendered at the usual pace.
 */
import bumper from '../../app/games/bumper.js';

/** Of the 16.7 ms that a tick lasts. */
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
