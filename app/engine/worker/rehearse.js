/**
 * Plays job modules in the zygote before there is a match: what V8 has compiled by then is compiled for
 * all workers, and shared by them.
 */
import { deserialize, serialize } from 'node:v8';
import { Mailbox, mailboxBytes } from '../mailbox/mailbox.js';
import { Ticker } from './run.js';

/** The start of a match is code of its own, and comes first: a slow machine may not come to the rest. */
const SHORT_RUNS = 100;
const SHORT_TICKS = 30;
/** At 60 Hz a quarter of a minute of play each, by several seeds. */
const LONG_RUNS = 4;
const LONG_TICKS = 900;
/** In every second one nobody plays. */
const ALONE = 2;
/** So much less of all that when it has been done before. */
const AGAIN = 6;
/** Somebody moves a stick or presses a button every so many ticks. */
const INPUT_TICKS = 4;
const CHECKPOINT_TICKS = 15;
/** A job whose ticks take long is not rehearsed to the end: nobody waits for it in vain. */
const MAX_MS = 10_000;

/** @type {Map<string, Ticker>} the last one: V8 drops code that it compiled for objects which are gone: by module */
const kept = new Map();

/**
 * Plays a job whose module says how: by sizes(options), the sizes of its mailbox, and rehearsalOptions(run),
 * the options of a rehearsal with the number `run`, 0... Other jobs are not rehearsed, since nobody else knows
 * which options they take.
 * @param {string} url
 * @param {any} job a module's default export
 * @param {boolean} again has it been done before?
 */
export async function rehearse(url, job, again) {
  if (typeof job?.sizes !== 'function' || typeof job.rehearsalOptions !== 'function') return;
  const random = lehmer();
  const few = again ? AGAIN : 1;
  const until = performance.now() + MAX_MS;
  for (let run = 0; run < (SHORT_RUNS + LONG_RUNS) / few; run++) {
    if (run > 0 && performance.now() > until) break;
    const options = deserialize(serialize(job.rehearsalOptions(run))); // as they come in with a start
    const sizes = job.sizes(options);
    const mailbox = Mailbox.create(new ArrayBuffer(mailboxBytes(sizes)), sizes);
    const task = { checkpointTicks: CHECKPOINT_TICKS };
    const ticker = new Ticker(await job.start(options), task, mailbox);
    const ticks = run < SHORT_RUNS / few ? SHORT_TICKS : LONG_TICKS;
    for (let i = 0; i < ticks && !ticker.tick() && performance.now() < until; i++) {
      if (run % ALONE !== 0 && i % INPUT_TICKS === 0) randomInput(mailbox, random);
    }
    kept.set(url, ticker);
  }
}

/**
 * A job takes any input word. One bit at a time, so that there are players who stay for a while, too.
 * @param {Mailbox} mailbox @param {() => number} random
 */
function randomInput(mailbox, random) {
  const { inputSlots } = mailbox.sizes;
  if (inputSlots === 0) return;
  const slot = random() % inputSlots;
  mailbox.writeInput(slot, mailbox.readInput(slot) ^ (1 << (random() % 32)));
}

/** Park and Miller's generator. @returns {() => number} 1..2^31-2, each time the same */
function lehmer() {
  let state = 1;
  return () => (state = (state * 48271) % 0x7fffffff);
}
