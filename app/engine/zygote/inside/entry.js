/**
 * The program of a zygote. It loads the module, has it warm up, closes open handles, collects garbage, then waits and
 * forks without running JavaScript. A child returns from serve() and runs the module.
 *
 * Inherited descriptors: 3 requests, 4 the lifeline (its closing kills the process group), 5 the conversation about the
 * warm-up, which is answered when the zygote is ready.
 */
import { closeSync } from 'node:fs';
import { getSystemErrorName } from 'node:util';
import { PitvError } from '../../../errors.js';
import { NATIVE_FILE, native } from '../../../native/native.js';
import {
  KIND,
  decodeMessage,
  encode,
  readExactly,
  readMessageSync,
  writeAllSync,
} from '../channel.js';
import { prepareChildInit } from './child-init.js';
import { createFreezer } from './freeze.js';
import { openInternals } from './internals.js';
import { compactHeap, compileEagerly, settleHeap, startCompiler } from './v8.js';
import { Worker } from './worker.js';

const CONTROL = 3;
const LIFELINE = 4;
const CALLER = 5;

const addon = native();
const STARTED = encode(KIND.started);
/** Rehearsals of a child's first steps. */
const CHILD_REHEARSALS = 60;
/** The same without a rehearsal of the module, which is to be over soon. */
const DRAFT_REHEARSALS = 20;
/** Rehearsals of the module's prepare(). */
const PREPARE_REHEARSALS = 30;
/** Rehearsals with the compilers off. V8 compiles a function that it has marked in its next call, or in each child. */
const LAST_REHEARSALS = 3;
/** Rehearsals of timers, and timer callbacks in each. */
const TIMER_REHEARSALS = 3;
const TIMER_CALLS = 500;
/** Durations in ms. Node keeps a list per duration. A job at 60 Hz waits up to 17 ms. */
const DURATIONS = Array.from({ length: 18 }, (_, i) => i + 1);
const TIMERS_PER_DURATION = 3;
/** One in this many calls replaces its timer by a new one; the others refresh it. */
const CALLS_PER_NEW_TIMER = 5;
const SPARE_NAME = 'pitv:spare';
/** What serve() and awaitRequest() write; native/zygote/zygote.h has the same layout (GRANTED_WORDS). */
const AHEAD = 0;
const ID = 1;
const BYTES = 2;
const FAILED = 3;
const SEED = 4;
const SEED_WORDS = 4;
const COUNT = SEED + SEED_WORDS;
const DESCRIPTORS = COUNT + 1;
const MAX_DESCRIPTORS = 16;
const words = new Int32Array(DESCRIPTORS + MAX_DESCRIPTORS);
const seed = words.subarray(SEED, SEED + SEED_WORDS);
/** Longer messages are read from the channel. */
const message = Buffer.allocUnsafeSlow(4096);

// The preloaded addon watches the zygote's threads (native/zygote/revive.c). Other programs must not inherit it.
const preload = (process.env.LD_PRELOAD ?? '').split(':').filter((file) => file !== NATIVE_FILE);
if (preload.join('')) process.env.LD_PRELOAD = preload.join(':');
else delete process.env.LD_PRELOAD;
delete process.env.LD_BIND_NOW;

/** Objects of the last rehearsal. V8 discards code compiled for objects of a kind once none of them is left. */
const lastRehearsal = {};

/**
 * @typedef {ReturnType<typeof prepareChildInit>} ChildInit
 * @typedef {(args: any, worker: Worker) => unknown} Run
 */

runZygote();

async function runZygote() {
  try {
    if (!addon.dieAsGroup(LIFELINE)) addon.exitNow(0);
    const internals = openInternals();
    const childInit = prepareChildInit(internals, addon);
    const freezer = await createFreezer(internals, addon);
    const request = readMessageSync(CALLER) ?? addon.exitNow(0);
    const { name, moduleUrl, args, brief } = request;
    const module = await import(moduleUrl);
    // In a draft, nothing has been rehearsed, so the children have to compile everything.
    const run = brief || !module.startsCompiler ? withCompiler(module.default) : module.default;
    /** @type {Set<string>} */
    const warnings = new Set();
    const warn = (/** @type {string} */ sentence) => void warnings.add(sentence);
    await compileEagerly(async () => {
      await module.warm?.(args, { keep: freezer.keep });
      if (brief) await rehearseChild(childInit, DRAFT_REHEARSALS);
      else await rehearse(module, warn, internals, childInit);
    }, module.isPatient ?? true);
    if (brief) compactHeap(addon);
    else for (let i = 0; i < LAST_REHEARSALS; i++) await rehearseStart(childInit, module);
    const closed = await freezer.freeze([CONTROL, LIFELINE, CALLER]);
    childInit.drainEntropyCache();
    const greeting = encode(KIND.message, { closed, warnings: [...warnings] });
    process.title = name;
    await settleHeap(addon);
    const kept = [LIFELINE, ...freezer.kept];
    const { serve, awaitRequest, whenEmpty, reviveThreads } = addon;
    const { onEmpty } = childInit;
    const later = setImmediate; // looked up here, not in each child
    serve(CONTROL, CALLER, greeting, kept, words, message);
    if (words[AHEAD]) {
      await rehearseStart(childInit, module, true);
      process.title = SPARE_NAME;
    }
    awaitRequest();
    whenEmpty(onEmpty);
    void runChild(childInit, run);
    later(reviveThreads); // the module's first steps do not need the threads
  } catch (error) {
    writeAllSync(CALLER, encode(KIND.failed, error));
    addon.exitNow(1);
  }
}

/**
 * Runs the module's rehearsal, timers and a child's first steps, so that V8 compiles them in the zygote.
 * @param {any} module @param {(sentence: string) => void} warn
 * @param {import('./internals.js').Internals} internals @param {ChildInit} childInit
 */
async function rehearse(module, warn, internals, childInit) {
  for (const again of [false, true]) {
    await module.rehearse?.({ again, warn });
    for (let i = 0; i < TIMER_REHEARSALS; i++) {
      internals.clearTimers();
      await new Promise((resolve) => setImmediate(resolve)); // as in freeze()
      await startBusyTimers()(TIMER_CALLS);
    }
    await rehearseChild(childInit);
    compactHeap(addon); // also makes V8 discard code compiled for objects that no longer exist
  }
  // The garbage collection has cleared V8's caches, which these runs fill again.
  await rehearseChild(childInit);
  for (let i = 0; i < PREPARE_REHEARSALS; i++) await rehearseStart(childInit, module);
}

/**
 * Runs a child's first steps and the module's prepare(): in the zygote, and in a spare child, so that the pages that
 * they write to are copied before a request comes.
 * @param {ChildInit} childInit @param {any} module @param {boolean} [isChild]
 */
async function rehearseStart(childInit, module, isChild = false) {
  try {
    await rehearseChild(childInit, 1);
    await module.prepare?.({ isChild });
  } catch {
    // The same error occurs again, and is reported, when the child runs.
  }
}

/** Runs a child's first steps without forking. @param {ChildInit} childInit @param {number} [times] */
async function rehearseChild(childInit, times = CHILD_REHEARSALS) {
  const request = encode(KIND.message, { args: {}, name: 'rehearsal' }).subarray(4);
  /** @type {Run[]} two, so that V8 does not inline one, which would not be that of a child */
  const runs = [(_, worker) => worker.send(0), (_, worker) => worker.send(1)];
  for (let i = 0; i < times; i++) {
    const [here, there] = addon.socketPair();
    request.copy(message);
    words[BYTES] = request.length;
    words[COUNT] = 2;
    words.fill(there, DESCRIPTORS, DESCRIPTORS + 2);
    Object.assign(lastRehearsal, await runChild(childInit, runs[i % runs.length]));
    closeSync(here);
    closeSync(there);
  }
}

/**
 * Runs the module in a child, which has its request in `words` and `message`. Rehearsals do the same, and leave no
 * lasting changes. Each child would pay for a branch that they do not take, and for objects of another kind.
 * @param {ChildInit} childInit @param {Run} run the module's default export
 */
async function runChild(childInit, run) {
  const channel = words[DESCRIPTORS];
  const request = readRequest(channel);
  const { name, args } = request;
  childInit.initChild(seed, name);
  const descriptors = [];
  for (let i = 1; i < words[COUNT]; i++) descriptors.push(words[DESCRIPTORS + i]);
  const worker = new Worker(channel, { id: words[ID], name, descriptors });
  childInit.reportEndBy(worker);
  if (words[FAILED] > 0) {
    addon.writeAll(channel, encode(KIND.failed, initFailure(addon.failedCalls())));
    return addon.exitNow(1);
  }
  addon.writeAll(channel, STARTED);
  // Errors of the module are not caught: they end the child like any other process.
  const running = run(args, worker);
  await running;
  return { request, worker };
}

/** Has a child start the compiler first. @param {Run} run @returns {Run} */
function withCompiler(run) {
  return (args, worker) => {
    startCompiler();
    return run(args, worker);
  };
}

/** Decodes the request. @param {number} channel @returns {any} */
function readRequest(channel) {
  const length = words[BYTES];
  const isRead = length <= message.length;
  const bytes = isRead ? message.subarray(0, length) : readExactly(channel, length);
  return bytes ? decodeMessage(bytes) : addon.exitNow(0); // the request was withdrawn
}

/** @param {{call: string, errno: number}[]} failures */
function initFailure(failures) {
  const why = failures.map(({ call, errno }) => `${call}: ${getSystemErrorName(-errno)}`);
  const sentence = `The child could not be set up: ${why.join(', ')}.`;
  return new PitvError('PITV_ZYGOTE_CHILD', sentence, { details: failures[0] });
}

/**
 * Starts timers that repeat until they are cleared, so that a child need not compile their code. They must exist until
 * the last garbage collection, since V8 discards code compiled for timer lists once none is left.
 * @returns {(calls: number) => Promise<void>} resolves after this number of further calls
 */
function startBusyTimers() {
  let left = 0;
  let resolve = () => {};
  /** @param {number} durationMs */
  function start(durationMs) {
    const timer = setTimeout(() => {
      left--;
      if (left % CALLS_PER_NEW_TIMER === 0) setImmediate(start, durationMs);
      else timer.refresh();
      if (left === 0) resolve();
    }, durationMs);
  }
  for (const durationMs of DURATIONS) {
    for (let i = 0; i < TIMERS_PER_DURATION; i++) start(durationMs);
  }
  return (calls) =>
    new Promise((done) => {
      left = calls;
      resolve = done;
    });
}
