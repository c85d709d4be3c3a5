/** A game that never ends and ignores buttons. */
import faulty from '../../support/faulty.js';

/** Held buttons in an input word, see app/game/input.js. */
const BUTTONS = 3 << 16;

export default {
  ...faulty,
  id: 'endless',
  /** @param {Record<string, number>} [options] */
  start(options) {
    const job = faulty.start(options);
    const step = job.step.bind(job);
    job.step = (readWord, readSequence) => step((slot) => readWord(slot) & ~BUTTONS, readSequence);
    return job;
  },
};
