/**
 * One collision pass: collide with a fixed number of steps, done as fast as the machine can instead
 * of sixty a second, and over after that. A tick is a slice of it: the main thread takes a worker
 * whose tick stands still for one that hangs.
 */
import collide from '../../../../app/games/collide.js';

const SLICE_MS = 40;

export default Object.freeze({
  ...collide,
  id: 'pass',

  /** @param {Record<string, number>} options */
  start(options) {
    const job = collide.start(options);
    // Without an end it is a rehearsal, which counts ticks: then a tick is one step.
    const sliceMs = options.ticks ? SLICE_MS : 0;
    return {
      writeFrame: job.writeFrame.bind(job),
      checkpoint: job.checkpoint.bind(job),
      restore: job.restore.bind(job),
      get done() {
        return job.done;
      },
      /** @param {(slot: number) => number} readWord @param {(slot: number) => number} readSequence */
      step(readWord, readSequence) {
        const end = performance.now() + sliceMs;
        do job.step(readWord, readSequence);
        while (!job.done && performance.now() < end);
      },
    };
  },
});
