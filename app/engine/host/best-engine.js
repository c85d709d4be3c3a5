/** Finds the best engine that works on this machine, by having it prove that it does. */
import { messageOf } from '../../errors.js';
import { sizes } from '../worker/rehearsal-job.js';

const PROOF = new URL('../worker/rehearsal-job.js', import.meta.url);
const PROOF_TICKS = 3;

/** Best first, and what speaks for each. */
const PREFERENCES = Object.freeze({
  zygote: 'a process for each match, at the price of a thread',
  process: 'a process for each match',
  thread: 'a thread for each match',
});

/**
 * @typedef {object} Choice
 * @property {import('./engine.js').Engine} engine
 * @property {string} why a sentence, for people
 */

/**
 * @param {(name: string) => Promise<import('./engine.js').Engine>} open
 * @returns {Promise<Choice>} its engine's `choice` says the same
 * @throws {unknown} what the last of them said, when none works; PITV_OPTION_INVALID at once
 */
export async function findBestEngine(open) {
  /** @type {string[]} */
  const refused = [];
  let last;
  for (const [name, merit] of Object.entries(PREFERENCES)) {
    try {
      const engine = await open(name);
      await prove(engine);
      engine.choice = [`${name}: ${merit}`, ...refused].join('; ') + '.';
      return { engine, why: engine.choice };
    } catch (error) {
      if (Reflect.get(Object(error), 'code') === 'PITV_OPTION_INVALID') throw error; // no engine takes it
      last = error;
      refused.push(`not ${name}: ${messageOf(error).replace(/\.$/, '')}`);
    }
  }
  throw last;
}

/**
 * One worker, from its start to its end.
 * @param {import('./engine.js').Engine} engine closed when it fails
 */
async function prove(engine) {
  try {
    const worker = await engine.start(PROOF, {
      name: 'proof',
      sizes,
      options: { ticks: PROOF_TICKS },
    });
    const { reason, error } = await worker.exited;
    engine.freeMailbox(worker.mailbox);
    if (reason !== 'done' || worker.mailbox.tick !== PROOF_TICKS) {
      throw error ?? new Error(`its first worker ended: ${reason}.`);
    }
  } catch (error) {
    await engine.close({ graceMs: 0 });
    throw error;
  }
}
