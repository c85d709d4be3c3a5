/** The module that the zygote of the zygote engine loads; each of its children runs one match. */
import { closeSync } from 'node:fs';
import os from 'node:os';
import { deserialize, serialize } from 'node:v8';
import { PitvError, messageOf } from '../../errors.js';
import { describeFailure } from '../failure.js';
import { Mailbox, mailboxBytes } from '../mailbox/mailbox.js';
import { native } from '../../native/native.js';
import { raiseOomScore } from './oom-score.js';
import { runWorker } from './run.js';
import rehearsal, { sizes } from './rehearsal-job.js';
import { Worker } from '../zygote/inside/worker.js';
import { rehearse as rehearseJob } from './rehearse.js';

const addon = native();
/** How often the worker's own code is run, and how many ticks it waits for in the first of them. */
const RUNS = 60;
const WAITS = 240;
const AGAIN = 4; // so much less when it has been done before
/** V8 tells up to four shapes of an object from each other. */
const SHAPES = 6;
/** As host/engine.js makes them, in that order. */
const TASK = {
  inspectBase: undefined,
  moduleUrl: '',
  options: {},
  tickHz: 480,
  checkpointTicks: 15,
  niceness: 0,
  rehearsal: undefined,
  strictFrames: false,
};
const REHEARSAL = new URL('./rehearsal-job.js', import.meta.url).href;
/** Service managers signal all of a service's processes; when to stop is the main process's to say. */
const NOT_OURS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** @type {Map<string, any>} modules that are there already, by URL */
const modules = new Map();

/** Of the last rehearsal: V8 drops what it has compiled for a kind of objects when none of them is left. */
const kept = {};

/** Replaced while it is rehearsed. @type {(code: number) => void} */
let leave = process.exit;

/** @param {string} url */
const load = (url) => modules.get(url) ?? import(url);

/** @param {{modules: string[]}} args */
export async function warm({ modules: urls }) {
  addon.setLimit('core', 0); // a core file takes seconds to write, and the SD card's space
  raiseOomScore();
  for (const signal of NOT_OURS) addon.ignoreSignal(os.constants.signals[signal]);
  for (const url of urls) {
    try {
      const module = await import(url);
      modules.set(url, { default: module.default }); // V8 tells modules from each other, but not these
      await module.default?.warm?.();
    } catch (cause) {
      const sentence = `${url} could not be loaded ahead: ${messageOf(cause)}`;
      throw new PitvError('PITV_MODULE_FAILED', sentence, { cause });
    }
  }
}

/**
 * Plays each job for a while, and runs the worker's own code. A job that fails is named in a warning; the
 * others are rehearsed nevertheless.
 * @param {{again: boolean, warn: (sentence: string) => void}} how again: it has been done, but V8 may have
 *   dropped some of its code
 */
export async function rehearse({ again, warn }) {
  for (const [url, { default: job }] of modules) {
    try {
      await rehearseJob(url, job, again);
    } catch (error) {
      warn(`${url} failed in its rehearsal: ${messageOf(error)}`);
    }
  }
  const few = again ? AGAIN : 1;
  for (let i = 0; i < RUNS / few; i++) await rehearseRun(i === 0 ? WAITS / few : 1, i);
}

/** In a child that was forked ahead, before anybody wants it. */
export async function prepare() {
  await rehearseRun(1);
}

/** @param {number} ticks of a job that does nothing @param {number} [round] objects are of another shape each time */
async function rehearseRun(ticks, round = 0) {
  // Never unmapped: V8 does not forget that a buffer was detached, and trusts no typed array then.
  const { buffer, fd } = addon.createMemory(mailboxBytes(sizes));
  const mailbox = Mailbox.create(buffer, sizes);
  const [here, there] = addon.socketPair();
  const worker = new Worker(there, { id: 0, name: 'rehearsal', descriptors: [fd] });
  // As it comes in: V8 tells objects from each other by how they were made.
  const options = { [`any${round % SHAPES}`]: 0, ticks };
  const args = deserialize(serialize({ task: { ...TASK, moduleUrl: REHEARSAL, options } }));
  const start = round % 2 ? rehearsal.start : startAnother;
  modules.set(REHEARSAL, { default: { [`any${round % SHAPES}`]: 0, start } });
  leave = () => {};
  await run(args, worker);
  leave = process.exit;
  Object.assign(kept, { args, worker, mailbox });
  process.removeAllListeners('uncaughtException');
  for (const end of [here, there]) closeSync(end);
}

/** As there are several games: V8 must not expect one of them. @param {any} options */
function startAnother(options) {
  return rehearsal.start(options);
}

/**
 * @param {import('./run.js').Task} task
 * @param {number} file the mailbox
 * @param {{send: (message: object) => unknown}} worker
 */
async function play(task, file, worker) {
  const memory = addon.mapMemory(file);
  closeSync(file);
  await runWorker(task, memory, () => worker.send({ ready: true }), load);
}

/**
 * @param {{task: import('./run.js').Task}} args
 * @param {Worker} worker
 */
export default async function run({ task }, worker) {
  process.on('uncaughtException', fail);
  try {
    await play(task, worker.descriptors[0], worker);
    leave(0);
  } catch (error) {
    fail(error);
  }

  /** @param {unknown} thrown */
  function fail(thrown) {
    worker.send({ failed: describeFailure(thrown) });
    leave(1);
  }
}
