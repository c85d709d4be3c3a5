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
import { NATIVE_FILE, native } from '../../native.js';
import { KIND, encode, encodeFailure, readValueSync, writeAllSync } from '../channel.js';
import { prepareBirth } from './birth.js';
import { createFreezer } from './freeze.js';
import { openInternals } from './internals.js';
import { Worker } from './worker.js';

const CONTROL = 3;
const LIFELINE = 4;
const FIRST_CALLER = 5;

const addon = native();
const collectGarbage = globalThis.gc;
Reflect.deleteProperty(globalThis, 'gc');
// What this process starts itself shall not be watched.
const preload = (process.env.LD_PRELOAD ?? '').split(':').filter((file) => file !== NATIVE_FILE);
if (preload.join('')) process.env.LD_PRELOAD = preload.join(':');
else delete process.env.LD_PRELOAD;

zygote(FIRST_CALLER);

/** @param {number} caller */
async function zygote(caller) {
  let granted;
  let birth;
  let module;
  try {
    if (!addon.dieWithPipe(LIFELINE)) addon.exitNow(0);
    const internals = openInternals();
    birth = prepareBirth(internals, addon);
    const freezer = await createFreezer(internals, addon);
    do {
      const [, { moduleUrl, args }] = readValueSync(caller) ?? addon.exitNow(0);
      module ??= await import(moduleUrl);
      await module.warm?.(args, { keep: freezer.keep });
      rehearse();
      const closed = await freezer.freeze([CONTROL, LIFELINE, caller]);
      birth.useUpStores();
      const greeting = encode(KIND.started, { closed });
      collectGarbage?.();
      collectGarbage?.();
      granted = addon.serve(CONTROL, caller, greeting);
      caller = granted.descriptors[0];
    } while (!granted.child);
  } catch (error) {
    writeAllSync(caller, encodeFailure(error));
    addon.exitNow(1);
    return;
  }
  await child(granted, birth, module);
}

/** Runs the child's first steps once in the zygote, so that they are compiled. */
function rehearse() {
  const [here, there] = addon.socketPair();
  writeAllSync(here, encode(KIND.message, { args: {}, name: 'rehearsal', id: 0 }));
  readValueSync(there);
  closeSync(here);
  closeSync(there);
}

/**
 * @param {import('../../native.js').Granted} granted
 * @param {ReturnType<typeof prepareBirth>} birth
 * @param {any} module
 */
async function child(granted, birth, module) {
  const [channel, ...descriptors] = granted.descriptors;
  const request = readValueSync(channel);
  if (!request) return addon.exitNow(0); // nobody wants it any more
  const [, { name, args }] = request;
  birth.beBorn(granted, name);
  const worker = new Worker(channel, { id: granted.id, name, descriptors });
  birth.atEnd((code) => worker.leave(code));
  if (granted.failures.length > 0) {
    writeAllSync(channel, encodeFailure(birthFailure(granted.failures)));
    return addon.exitNow(1);
  }
  writeAllSync(channel, encode(KIND.started, undefined));
  // An error is the child's own affair: it ends it like any other process.
  const running = module.default(args, worker);
  addon.reviveThreads(); // not before: the module's first steps don't need them
  await running;
}

/** @param {{call: string, errno: number}[]} failures */
function birthFailure(failures) {
  const why = failures.map(({ call, errno }) => `${call}: ${getSystemErrorName(-errno)}`);
  const sentence = `The child could not be set up: ${why.join(', ')}.`;
  return new PitvError('PITV_ZYGOTE_CHILD', sentence, { details: failures[0] });
}
