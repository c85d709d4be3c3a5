/** Finds the best engine that works on this machine. Each candidate runs a test job. */
import { messageOf } from '../../errors.js';
import { sizes } from '../worker/rehearsal-job.js';

/** The query makes it a module that no zygote has loaded: the worker imports it, as it imports real jobs. */
const TEST_JOB = new URL('../worker/rehearsal-job.js?test', import.meta.url);
const TEST_TICKS = 3;

/** The engines, best first, with the advantage of each. */
const PREFERENCES = Object.freeze({
  zygote: 'a forked process for each match',
  process: 'a process for each match',
  thread: 'a thread for each match',
});

/**
 * @typedef {object} Choice
 * @property {import('./engine.js').Engine} engine
 * @property {string} why explains the choice in a sentence
 */

/**
 * Opens the engines in order of preference until one passes its test job.
 * @param {(name: string) => Promise<import('./engine.js').Engine>} open
 * @returns {Promise<Choice>} `engine.choice` is the same sentence as `why`
 * @throws {unknown} the last engine's error if none works; PITV_OPTION_INVALID of the first one
 */
export async function findBestEngine(open) {
  /** @type {string[]} */
  const refused = [];
  let last;
  for (const [name, merit] of Object.entries(PREFERENCES)) {
    try {
      const engine = await open(name);
      await runTestJob(engine);
      engine.choice = [`${name}: ${merit}`, ...refused].join('; ') + '.';
      return { engine, why: engine.choice };
    } catch (error) {
      if (Reflect.get(Object(error), 'code') === 'PITV_OPTION_INVALID') throw error; // no engine accepts the option
      last = error;
      refused.push(`not ${name}: ${messageOf(error).replace(/\.$/, '')}`);
    }
  }
  throw last;
}

/** Runs a worker from start to end. Closes the engine if that fails. @param {import('./engine.js').Engine} engine */
async function runTestJob(engine) {
  try {
    const worker = await engine.start(TEST_JOB, {
      name: 'test',
      sizes,
      options: { ticks: TEST_TICKS },
    });
    const { reason, error } = await worker.exited;
    engine.freeMailbox(worker.mailbox);
    if (reason !== 'done' || worker.mailbox.tick !== TEST_TICKS) {
      throw error ?? new Error(`its test job ended with the reason ${reason}.`);
    }
  } catch (error) {
    await engine.close({ graceMs: 0 });
    throw error;
  }
}
