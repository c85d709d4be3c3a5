/** The counting job, with a fault chosen by its options. */
import count from './count.js';

/** @type {unknown[]} */
const hoard = [];
const MB = 1024 * 1024;

/** Faults in a step. @type {Record<string, () => void>} */
const faults = {
  throw() {
    throw new RangeError('the ball is not where it was');
  },
  throwOdd() {
    throw 'only a word';
  },
  async() {
    setImmediate(() => {
      throw new Error('later, outside of the step');
    });
  },
  spin() {
    for (;;);
  },
  /** Objects in V8's heap, a little with each tick. */
  heapSlowly() {
    hoard.push(Array.from({ length: MB / 8 }, (_, i) => ({ i })));
  },
  /** Objects in V8's heap, all at once. */
  heapAtOnce() {
    for (;;) hoard.push(Array.from({ length: 1000 }, (_, i) => ({ i })));
  },
  /** Memory outside V8's heap, a little with each tick. */
  buffersSlowly() {
    hoard.push(new Uint8Array(8 * MB).fill(1));
  },
  /** Memory outside V8's heap, all at once; 1 GiB at most. */
  buffersAtOnce() {
    for (let i = 0; i < 64; i++) hoard.push(new Uint8Array(16 * MB).fill(1));
  },
  exit() {
    process.exit(7);
  },
  kill() {
    process.kill(process.pid, 'SIGKILL');
  },
  segfault() {
    process.kill(process.pid, 'SIGSEGV');
  },
};

export default {
  /**
   * @param {Partial<{fault: string, at: number, inStart: boolean, onStop: boolean, warns: boolean}>} options
   *   at: the fault happens from this step of the worker on; inStart: already in start(); onStop: in the last
   *   checkpoint (give it a large checkpointTicks); warns: in each step
   */
  start({ fault, at = 0, inStart = false, onStop = false, warns = false }) {
    const go = fault === undefined ? () => {} : faults[fault];
    if (inStart) go();
    const job = count.start();
    const step = job.step;
    let steps = 0;
    /** @param {(slot: number) => number} readWord */
    job.step = (readWord) => {
      step.call(job, readWord);
      steps++;
      if (steps >= at && !onStop) go();
    };
    const checkpoint = job.checkpoint;
    /** @param {Uint8Array} target */
    job.checkpoint = (target) => {
      if (steps > 0 && onStop) go();
      return checkpoint.call(job, target);
    };
    return warns ? { ...job, takeWarning: () => `tick ${steps} is bad` } : job;
  },
};
