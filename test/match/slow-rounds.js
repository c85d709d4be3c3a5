/** A game whose first round is over from tick 100 until tick 700, when the next one begins. */
import { HEADER_AT, PHASE } from '../../app/game/frame.js';
import faulty from '../support/faulty.js';

export const NEXT_ROUND = 700;

export default {
  ...faulty,
  /** @param {Record<string, number>} [options] */
  start(options) {
    const job = faulty.start(options);
    const writeFrame = job.writeFrame.bind(job);
    job.writeFrame = (target) => {
      const bytes = writeFrame(target);
      const isOver = job.tick >= 100 && job.tick < NEXT_ROUND;
      target[HEADER_AT.phase] = isOver ? PHASE.roundOver : PHASE.play;
      return bytes;
    };
    return job;
  },
};
