/**
 * The program that a zygote runs: load the module, let it warm up, close what is open, collect the
 * garbage, then stand still and fork. A child comes out of serve() and runs the module.
 *
 * Descriptors it is started with: 3 requests, 4 the pipe that ends with the main process,
 * 5 the first conversation (warm up; answered when the zygote is ready).
 */
import { closeSync } from 'node:fs';
import { getSystemErrorName } from 'node:util';
import { PitvError } from '../../../errors.js';
import { NATIVE_FILE, native } from '../../../native/native.js';
import { describeFailure } from '../../failure.js';
import { KIND, encode, readValueSync, writeAllSync } from '../channel.js';
import { prepareChildInit } from './child-init.js';
import { compilingSooner } from './compiler.js';
import { createFreezer } from './freeze.js';
import { collect, settle } from './heap.js';
import { openInternals } from './internals.js';
import { keepTimersBusy } from './timers.js';
import { Worker } from './worker.js';

const CONTROL = 3;
const LIFELINE = 4;
const FIRST_CALLER = 5;

const addon = native();
const STARTED = encode(KIND.started, undefined);
/** How often a child's first steps are run before there is one. */
const REHEARSALS = 60;
/** How often what the module has for a child that is forked ahead. */
const PREPARATIONS = 30;
/** How often timers are run and cleared before there is one, and how many are due each time. */
const TIMERS_CLEARED = 3;
const TIMERS = 500;
const SPARE_NAME = 'pitv:spare';
// What this process starts itself shall not be watched.
const preload = (process.env.LD_PRELOAD ?? '').split(':').filter((file) => file !== NATIVE_FILE);
if (preload.join('')) process.env.LD_PRELOAD = preload.join(':');
else delete process.env.LD_PRELOAD;
delete process.env.LD_BIND_NOW;

/** Of the last rehearsal: V8 drops what it has compiled for a kind of objects when none of them is left. */
const kept = {};

zygote(FIRST_CALLER);

/** @param {number} caller whose conversation is to be answered when the zygote is ready */
async function zygote(caller) {
  try {
    if (!addon.dieWithPipe(LIFELINE)) addon.exitNow(0);
    const internals = openInternals();
    const childInit = prepareChildInit(internals, addon);
    const freezer = await createFreezer(internals, addon);
    /** @type {any} the author's */
    let module;
    for (;;) {
      const [, request] = readValueSync(caller) ?? addon.exitNow(0);
      const { name, moduleUrl, args, draft, spare } = request;
      module ??= await import(moduleUrl);
      /** @type {Set<string>} */
      const warnings = new Set();
      const warn = (/** @type {string} */ sentence) => void warnings.add(sentence);
      await compilingSooner(async () => {
        await module.warm?.(args, { keep: freezer.keep });
        if (draft) return rehearseChildInit(childInit);
        for (const again of [false, true]) {
          await module.rehearse?.({ again, warn });
          for (let i = 0; i < TIMERS_CLEARED; i++) {
            internals.clearTimers();
            await new Promise((resolve) => setImmediate(resolve)); // as before a zygote stands still
            await keepTimersBusy()(TIMERS);
          }
          await rehearseChildInit(childInit);
          collect(); // and V8 drops code that it compiled for objects which are gone
        }
        // That again, and what the collection has cleared: V8's caches.
        await rehearseChildInit(childInit);
        for (let i = 0; i < PREPARATIONS; i++) await prepare(childInit, module);
      });
      if (draft) collect();
      const closed = await freezer.freeze([CONTROL, LIFELINE, caller]);
      childInit.drainEntropyCache();
      const greeting = encode(KIND.started, { closed, warnings: [...warnings] });
      process.title = name;
      await settle(addon);
      let granted = addon.serve(CONTROL, caller, greeting, spare);
      if (granted.spare) {
        await prepare(childInit, module);
        granted = addon.awaitRequest();
      }
      if (granted.child) return void child(granted, childInit, module);
      caller = granted.descriptors[0];
    }
  } catch (error) {
    writeAllSync(caller, encode(KIND.failed, describeFailure(error)));
    addon.exitNow(1);
  }
}

/**
 * In a child that was forked ahead: runs the first steps once more, so that what they write to has been
 * copied by the time it is wanted.
 * @param {ReturnType<typeof prepareChildInit>} childInit @param {any} module
 */
async function prepare(childInit, module) {
  try {
    await rehearseChildInit(childInit, 1);
    await module.prepare?.();
  } catch {
    // What does not work here tells when the child is wanted.
  }
  process.title = SPARE_NAME;
}

/**
 * Runs a child's first steps in the zygote, so that they are compiled.
 * @param {ReturnType<typeof prepareChildInit>} childInit @param {number} [times]
 */
async function rehearseChildInit(childInit, times = REHEARSALS) {
  const request = encode(KIND.message, { args: {}, name: 'rehearsal' });
  const seed = new ArrayBuffer(16);
  const nothing = {
    default: (/** @type {unknown} */ _, /** @type {Worker} */ worker) => worker.send(0),
  };
  for (let i = 0; i < times; i++) {
    const [here, there] = addon.socketPair();
    writeAllSync(here, request);
    // Made as serve() makes it, property by property: V8 has then seen such an object.
    const about = { child: false, spare: false, id: 0, descriptors: [there], seed, failures: [] };
    const granted = Object.assign({}, about);
    Object.assign(kept, { granted, ...(await child(granted, childInit, nothing)) });
    closeSync(here);
    closeSync(there);
  }
}

/**
 * @param {import('../../../native/native.js').Granted} granted no child: a rehearsal, which changes nothing for good
 * @param {ReturnType<typeof prepareChildInit>} childInit
 * @param {any} module
 */
async function child(granted, childInit, module) {
  const { id, failures, descriptors } = granted;
  const [channel, ...others] = descriptors;
  const request = readValueSync(channel);
  if (!request) return addon.exitNow(0); // nobody wants it any more
  const [, { name, args }] = request;
  childInit.initChild(granted, name);
  const worker = new Worker(channel, { id, name, descriptors: others });
  childInit.onExit((code) => worker.leave(code));
  childInit.onUncaught((error) => worker.fail(error));
  if (failures.length > 0) {
    writeAllSync(channel, encode(KIND.failed, describeFailure(initFailure(failures))));
    return addon.exitNow(1);
  }
  if (granted.child) addon.whenEmpty(childInit.onEmpty);
  writeAllSync(channel, STARTED);
  // An error is the child's own affair: it ends it like any other process.
  const running = module.default(args, worker);
  if (granted.child) addon.reviveThreads(); // not before: the module's first steps don't need them
  await running;
  return { request, worker };
}

/** @param {{call: string, errno: number}[]} failures */
function initFailure(failures) {
  const why = failures.map(({ call, errno }) => `${call}: ${getSystemErrorName(-errno)}`);
  const sentence = `The child could not be set up: ${why.join(', ')}.`;
  return new PitvError('PITV_ZYGOTE_CHILD', sentence, { details: failures[0] });
}
