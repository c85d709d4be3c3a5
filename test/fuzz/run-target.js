/**
 * Runs one target in this process (`node run-target.js FILE OPTIONS`): in rounds of fast-check, with descriptors and
 * memory counted after each. Reports each round and the result over IPC.
 */
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { descriptors } from '../support/wire.js';

/** Checks of a round. A round also ends after its time. */
const ROUND_CHECKS = 20_000;
const ROUND_MS = 1000;
/** With fewer rounds, a leak cannot be detected. */
const MIN_ROUNDS = 4;
const MAX_INPUT_TEXT = 20_000;

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

/** Measures the memory in use after a garbage collection. @returns {number} KiB */
function usedKib() {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return Math.round((heapUsed + external) / 1024);
}

/**
 * Measures growth from the first to the second and from the second to the last third of a run. A single step is no
 * leak, because a leak continues.
 * @param {number[]} samples one after each round
 * @returns {number} the smaller of both increases (least sample of a third minus greatest of the third before), or 0
 */
function growth(samples) {
  const settled = samples.slice(1); // the first round loads and compiles
  if (settled.length < MIN_ROUNDS) return 0;
  const third = Math.floor(settled.length / 3);
  const [first, second, last] = [
    settled.slice(0, third),
    settled.slice(third, 2 * third),
    settled.slice(2 * third),
  ];
  const increase = (/** @type {number[]} */ from, /** @type {number[]} */ to) =>
    Math.max(0, Math.min(...to) - Math.max(...from));
  return Math.min(increase(first, second), increase(second, last));
}

/**
 * Runs a target.
 * @param {Target<any>} target @param {Options} options
 * @returns {Promise<Omit<Report, 'name'>>}
 */
async function runTarget(target, { seed, runs, seconds, at, roundChecks }) {
  const { input, batch = 1, slow = false } = target;
  const maxInputs = runs ?? Infinity; // JSON has no Infinity
  const maxMs = (seconds ?? Infinity) * 1000;
  const harness = await target.open();
  /** Uncaught errors fail the check that runs at that time. @type {unknown[]} */
  const strays = [];
  const note = (/** @type {unknown} */ error) => void strays.push(error);
  process.on('uncaughtException', note).on('unhandledRejection', note);
  const inputsOf = fc.array(input, { minLength: 1, maxLength: batch, size: 'max' });
  let inputs = 0;
  /** The error of the first input that failed. Shrinking may end with another one. @type {unknown} */
  let first;
  const property = fc.asyncProperty(inputsOf, async (some) => {
    try {
      await harness.check(some);
      const [stray] = strays.splice(0);
      if (stray !== undefined) throw stray;
    } catch (error) {
      first ??= error;
      throw error;
    }
    inputs += some.length;
  });

  const began = performance.now();
  const tookMs = () => performance.now() - began;
  /** @type {Report['failure']} */
  let failure;
  /** @type {number[]} */
  const memory = [];
  /** @type {number[]} */
  const open = [];
  try {
    for (let round = 0; !failure && inputs < maxInputs && tookMs() < maxMs; round++) {
      const roundSeed = (seed + round) | 0;
      process.send?.({ roundSeed });
      // The first round is one check without a time limit: a short run on a busy machine has at least one.
      const isSingle = Boolean(at) || slow || round === 0;
      const checks = Math.ceil((maxInputs - inputs) / Math.max(1, batch / 2));
      const roundMs = Math.min(ROUND_MS, maxMs - tookMs());
      const details = await fc.check(property, {
        seed: roundSeed,
        path: at,
        numRuns: isSingle ? 1 : Math.min(roundChecks ?? ROUND_CHECKS, checks),
        endOnFailure: slow,
        interruptAfterTimeLimit: isSingle || roundChecks ? undefined : roundMs,
      });
      failure = failureOf(details, first);
      await harness.settle?.();
      memory.push(usedKib());
      open.push(descriptors());
      if (at) break;
    }
    return {
      inputs,
      seconds: tookMs() / 1000,
      seed,
      failure,
      descriptors: growth(open),
      leakedKib: growth(memory),
      details: harness.report?.(),
    };
  } finally {
    await harness.close?.();
    process.off('uncaughtException', note).off('unhandledRejection', note);
  }
}

/** @param {any} error */
const stackOf = (error) => String(error?.stack ?? error);

/**
 * @param {import('fast-check').RunDetails<[any[]]>} details @param {unknown} first the error before shrinking
 * @returns {Report['failure']}
 */
function failureOf({ failed, counterexample, counterexamplePath, errorInstance, seed }, first) {
  if (!failed || !counterexample) return undefined;
  const [before, last] = [stackOf(first), stackOf(errorInstance)];
  return {
    message: before === last ? last : `${before}\n  after shrinking: ${last}`,
    seed,
    at: counterexamplePath ?? '',
    input: fc.stringify(counterexample[0]).slice(0, MAX_INPUT_TEXT),
  };
}

const [file, text] = process.argv.slice(2);
const { default: loaded } = await import(pathToFileURL(file).href);
const report = await runTarget(loaded, JSON.parse(text));
process.send?.({ report }, () => process.exit(0));
