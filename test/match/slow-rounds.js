/** A game whose first round is over from tick 100 until 700, when the next one begins. With ?slow its ticks are. */
import { HEADER_AT, PHASE } from '../../app/game/frame.js';
import faulty from '../support/faulty.js';

export const NEXT_ROUND = 700;
const stepMs = import.meta.url.endsWith('?slow') ? 20 : 0;

export default {
  ...faulty,
  /** @param {Record<string, number>} [options] */
  start(options) {
    const job = faulty.start(options);
    const writeFrame = job.writeFrame.bind(job);
    job.writeFrame = (target) => {
      if (stepMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stepMs);
      const bytes = writeFrame(target);
      const isOver = job.tick >= 100 && job.tick < NEXT_ROUND;
      target[HEADER_AT.phase] = isOver ? PHASE.roundOver : PHASE.play;
      return bytes;
    };
    return job;
  },
};
