/** What a target is, and a limit for what it checks. */
import assert from 'node:assert/strict';

/**
 * @template T
 * @typedef {object} Target one thing that is fuzzed; the default export of a file in targets/
 * @property {string} [missing] what this machine lacks to run it
 * @property {import('fast-check').Arbitrary<T>} input
 * @property {number} [batch] most inputs in one check, 1 by default. Larger batches share the cost of a
 *   connection or a process.
 * @property {boolean} [slow] whether a check takes seconds: then it is a round, and a failure is not shrunk
 * @property {() => Promise<Harness<T>>} open starts the program under test
 */

/**
 * @template T
 * @typedef {object} Harness
 * @property {(inputs: T[]) => void | Promise<void>} check throws when an invariant is broken
 * @property {() => Promise<void>} [settle] waits until earlier checks have left nothing; descriptors and
 *   memory are counted afterwards
 * @property {() => string} [report] describes what was seen, as Markdown; called once before close()
 * @property {() => Promise<void>} [close]
 */

/**
 * @typedef {object} Options
 * @property {number} seed int32
 * @property {number} runs least number of inputs; Infinity: until the time is over
 * @property {number} seconds longest duration; Infinity: until all inputs are done
 * @property {string} [at] fast-check's path of a counterexample; only this input is run
 * @property {number} [roundChecks] checks of a round, however long they take; by default its time ends it
 *
 * @typedef {object} Report
 * @property {string} name @property {number} inputs @property {number} seconds @property {number} seed
 * @property {Failure} [failure]
 * @property {number} descriptors growth of open descriptors
 * @property {number} leakedKib growth of the collected heap and its buffers, KiB
 * @property {string} [details] what the target has reported, as Markdown
 *
 * @typedef {object} Failure
 * @property {string} message
 * @property {number} seed @property {string} at fast-check's path; empty: the whole round of the seed
 * @property {string} input shrunk, as text; empty when the process died
 */

/**
 * Runs a part of a check, and asserts that it takes little CPU time. Other programs do not change it.
 * @param {number} limitMs @param {() => unknown} run
 */
export async function withinCpuTime(limitMs, run) {
  const began = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(began);
  const ms = (user + system) / 1000;
  assert.ok(ms < limitMs, `it took ${Math.round(ms)} ms`);
}
