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
import { KIND, encode, readMessageSync, writeAllSync } from '../channel.js';
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

// The preloaded addon watches the zygote's threads (native/zygote/revive.c). Other programs must not inherit it.
const preload = (process.env.LD_PRELOAD ?? '').split(':').filter((file) => file !== NATIVE_FILE);
if (preload.join('')) process.env.LD_PRELOAD = preload.join(':');
else delete process.env.LD_PRELOAD;
delete process.env.LD_BIND_NOW;

/** Objects of the last rehearsal. V8 discards code compiled for objects of a kind once none of them is left. */
const lastRehearsal = {};

/** Whether nothing has been rehearsed, so the children have to compile everything. */
let isDraft = false;

/** @typedef {ReturnType<typeof prepareChildInit>} ChildInit */

runZygote();

async function runZygote() {
  try {
    if (!addon.dieAsGroup(LIFELINE)) addon.exitNow(0);
    const internals = openInternals();
    const childInit = prepareChildInit(internals, addon);
    const freezer = await createFreezer(internals, addon);
    const request = readMessageSync(CALLER) ?? addon.exitNow(0);
    const { name, moduleUrl, args, brief, spares } = request;
    isDraft = brief;
    const module = await import(moduleUrl);
    /** @type {Set<string>} */
    const warnings = new Set();
    const warn = (/** @type {string} */ sentence) => void warnings.add(sentence);
    await compileEagerly(async () => {
      await module.warm?.(args, { keep: freezer.keep });
      if (brief) await rehearseChild(childInit, DRAFT_REHEARSALS);
      else await rehearse(module, warn, internals, childInit);
    }, module.isPatient ?? true);
    if (brief) compactHeap();
    else for (let i = 0; i < LAST_REHEARSALS; i++) await rehearseStart(childInit, module);
    const closed = await freezer.freeze([CONTROL, LIFELINE, CALLER]);
    childInit.drainEntropyCache();
    const greeting = encode(KIND.message, { closed, warnings: [...warnings] });
    process.title = name;
    await settleHeap(addon);
    let served = addon.serve(CONTROL, CALLER, greeting, spares, [LIFELINE, ...freezer.kept]);
    if (served.spare) {
      await rehearseStart(childInit, module);
      process.title = SPARE_NAME;
      served = addon.awaitRequest();
    }
    void runChild(served, childInit, module);
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
    compactHeap(); // also makes V8 discard code compiled for objects that no longer exist
  }
  // The garbage collection has cleared V8's caches, which these runs fill again.
  await rehearseChild(childInit);
  for (let i = 0; i < PREPARE_REHEARSALS; i++) await rehearseStart(childInit, module);
}

/**
 * Runs a child's first steps and the module's prepare(): in the zygote, and in a spare child, so that the pages that
 * they write to are copied before a request comes.
 * @param {ChildInit} childInit @param {any} module
 */
async function rehearseStart(childInit, module) {
  try {
    await rehearseChild(childInit, 1);
    await module.prepare?.();
  } catch {
    // The same error occurs again, and is reported, when the child runs.
  }
}

/** Runs a child's first steps without forking. @param {ChildInit} childInit @param {number} [times] */
async function rehearseChild(childInit, times = CHILD_REHEARSALS) {
  const request = encode(KIND.message, { args: {}, name: 'rehearsal' });
  const seed = new ArrayBuffer(16);
  const module = {
    default: (/** @type {unknown} */ _, /** @type {Worker} */ worker) => worker.send(0),
  };
  for (let i = 0; i < times; i++) {
    const [here, there] = addon.socketPair();
    writeAllSync(here, request);
    // The same properties in the same order as those of serve(), so that V8 has seen such an object.
    const about = { child: false, spare: false, id: 0, descriptors: [there], seed, failures: [] };
    const served = Object.assign({}, about);
    Object.assign(lastRehearsal, { served, ...(await runChild(served, childInit, module)) });
    closeSync(here);
    closeSync(there);
  }
}

/**
 * Runs the module in a child.
 * @param {import('../../../native/native.js').Granted} served result of serve(). With `child: false` it is a rehearsal
 *   in the zygote, which leaves no lasting changes
 * @param {ChildInit} childInit
 * @param {any} module
 */
async function runChild(served, childInit, module) {
  const { id, failures, descriptors } = served;
  const [channel, ...others] = descriptors;
  const request = readMessageSync(channel);
  if (!request) return addon.exitNow(0); // the request was withdrawn
  const { name, args } = request;
  childInit.initChild(served, name);
  const worker = new Worker(channel, { id, name, descriptors: others });
  childInit.onExit((code) => worker.announceExit(code));
  childInit.onUncaught((error) => worker.reportError(error));
  if (failures.length > 0) {
    writeAllSync(channel, encode(KIND.failed, initFailure(failures)));
    return addon.exitNow(1);
  }
  if (served.child) addon.whenEmpty(childInit.onEmpty);
  writeAllSync(channel, STARTED);
  if (served.child && (isDraft || !module.startsCompiler)) startCompiler();
  // Errors of the module are not caught: they end the child like any other process.
  const running = module.default(args, worker);
  // The module's first steps do not need the threads, so they need not wait for them.
  if (served.child) setImmediate(addon.reviveThreads); // a closure would be compiled in each child
  await running;
  return { request, worker };
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
