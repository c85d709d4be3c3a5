/** Runs job modules in the zygote before the first match. The code that V8 compiles there is shared by all workers. */
import { createHash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { PitvError } from '../../errors.js';
import { Mailbox, mailboxBytes } from '../mailbox/mailbox.js';
import { IS_OLD } from '../zygote/inside/v8.js';
import { Ticker, Warnings } from './ticker.js';
import { runWithin, settleWithin } from './time-limit.js';

/** Short runs rehearse the start of a match. They come first, since a slow machine may not get to the long runs. */
const SHORT_RUNS = 100;
const SHORT_TICKS = 30;
/** Long runs rehearse 15 s of play at 60 Hz, each with another seed. */
const LONG_RUNS = 4;
const LONG_TICKS = 900;
/**
 * Length of the run that is repeated at the end, to see whether the job gives the same result. Most games play by then.
 */
const PROBE_TICKS = 300;
/** A machine that is too slow for it does without. */
const PROBE_MS = 2000;
/** One in this many runs has no input. */
const RUNS_PER_IDLE_RUN = 2;
/** The number of runs is divided by this in a repeated rehearsal. */
const REPEAT_DIVISOR = 6;
/** Ticks between two changes of an input. */
const INPUT_TICKS = 4;
const TASK = { tickHz: 60, checkpointTicks: 15 };
/** The rehearsal of a job with slow ticks ends after this time. */
const MAX_MS = 10_000;
/** A tick that has not returned so much later is interrupted, and the rehearsal fails. */
const HANG_MS = 5000;

/**
 * The last ticker of each module, by URL. V8 discards code compiled for objects of a kind once none of them is left.
 * @type {Map<string, Ticker>}
 */
const lastTickers = new Map();

/**
 * Rehearses a job whose module has sizes(options), which returns the sizes of its mailbox, and rehearsalOptions(run),
 * which returns the options of run number `run` (0, 1, ...). Other jobs are skipped, because only the module knows
 * valid options.
 * @param {string} url
 * @param {any} job a module's default export
 * @param {boolean} again whether the job has been rehearsed before
 * @throws {Error} what the job threw; PITV_REHEARSAL_FAILED if it does not return, or if the same run gives another
 *   result after the rehearsal: workers would begin with what the rehearsal has left in the job's module
 */
export async function rehearseJob(url, job, again) {
  if (typeof job?.sizes !== 'function' || typeof job.rehearsalOptions !== 'function') return;
  const random = lehmer();
  const divisor = again ? REPEAT_DIVISOR : 1;
  const deadline = performance.now() + MAX_MS;
  const first = again ? undefined : await probe(job);
  for (let run = 0; run < (SHORT_RUNS + LONG_RUNS) / divisor; run++) {
    if (run > 0 && performance.now() > deadline) break;
    const ticks = run < SHORT_RUNS / divisor ? SHORT_TICKS : LONG_TICKS;
    const { ticker, mailbox } = await startRun(job, run, deadline);
    within(deadline, () => {
      for (let i = 0; i < ticks && !ticker.tick() && performance.now() < deadline; i++) {
        if (run % RUNS_PER_IDLE_RUN !== 0 && i % INPUT_TICKS === 0)
          changeRandomInput(mailbox, random);
      }
    });
    lastTickers.set(url, ticker);
  }
  const last = first && (await probe(job));
  if (last !== first && last !== undefined) {
    const sentence =
      'the same run gives another result when it is repeated. Does it keep state in variables of its module, or use Math.random() or the clock?';
    throw new PitvError('PITV_REHEARSAL_FAILED', sentence);
  }
}

/**
 * Plays a run whose inputs are the same each time.
 * @param {any} job
 * @returns {Promise<string | undefined>} a hash of its last frame and checkpoint; undefined if it took over PROBE_MS
 */
async function probe(job) {
  const deadline = performance.now() + PROBE_MS;
  const { ticker, mailbox } = await startRun(job, 0, deadline);
  const random = lehmer();
  const complete = within(deadline, () => {
    for (let i = 0; i < PROBE_TICKS; i++) {
      if (performance.now() > deadline) return false;
      if (i % INPUT_TICKS === 0) changeRandomInput(mailbox, random);
      if (ticker.tick()) break;
    }
    return true;
  });
  if (!complete) return undefined;
  const hash = createHash('sha256');
  for (const written of [mailbox.takeFrame(), mailbox.checkpoint]) {
    if (written) hash.update(written.bytes);
  }
  return hash.digest('hex');
}

/**
 * Starts a run.
 * @param {any} job @param {number} run @param {number} deadline performance.now()
 * @returns {Promise<{ticker: Ticker, mailbox: Mailbox}>}
 * @throws {unknown} the job's error; PITV_REHEARSAL_FAILED
 */
async function startRun(job, run, deadline) {
  const { started, mailbox } = within(deadline, () => {
    const options = deserialize(serialize(job.rehearsalOptions(run))); // decoded, as the options of a start are
    const sizes = job.sizes(options);
    const mailbox = Mailbox.create(new ArrayBuffer(mailboxBytes(sizes)), sizes);
    return { started: job.start(options), mailbox };
  });
  const own = await settleWithin(deadline - performance.now() + HANG_MS, started, hangs);
  // With an older V8, a child does not compile this code by itself in the time of a match.
  const warnings = IS_OLD ? undefined : new Warnings(() => {}, TASK, false);
  return { ticker: new Ticker(own, TASK, mailbox, warnings), mailbox };
}

/**
 * Calls a function and interrupts it if it does not return.
 * @template T
 * @param {number} deadline performance.now() @param {() => T} run
 * @returns {T}
 * @throws {unknown} what the function threw; PITV_REHEARSAL_FAILED
 */
function within(deadline, run) {
  try {
    return runWithin(deadline - performance.now() + HANG_MS, run);
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw hangs();
  }
}

const hangs = () => new PitvError('PITV_REHEARSAL_FAILED', 'it does not return: does it loop?');

/**
 * Flips one random bit of an input word. Other bits keep their values, so some players stay connected for a while.
 * @param {Mailbox} mailbox @param {() => number} random
 */
function changeRandomInput(mailbox, random) {
  const { inputSlots } = mailbox.sizes;
  if (inputSlots === 0) return;
  const slot = random() % inputSlots;
  mailbox.writeInput(slot, mailbox.readInput(slot) ^ (1 << (random() % 32)));
}

/** Creates Park and Miller's generator. @returns {() => number} 1..2^31-2, the same sequence each time */
function lehmer() {
  let state = 1;
  return () => (state = (state * 48271) % 0x7fffffff);
}
