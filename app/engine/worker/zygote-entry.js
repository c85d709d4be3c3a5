/** The module that the zygote engine's zygote loads. Each child runs one match. */
import { closeSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { PitvError, messageOf } from '../../errors.js';
import { watchExit } from '../failure.js';
import { lockFork } from '../lock.js';
import { Mailbox, mailboxBytes } from '../mailbox/mailbox.js';
import { native } from '../../native/native.js';
import { ignoreGroupSignals, lowerPriority, makeExpendable } from './process-setup.js';
import { runWorker } from './run.js';
import rehearsal, { sizes } from './rehearsal-job.js';
import { KIND } from '../zygote/channel.js';
import { IS_OLD, startCompiler } from '../zygote/inside/v8.js';
import { Worker } from '../zygote/inside/worker.js';
import { rehearseJob } from './rehearse.js';
import { settleWithin } from './time-limit.js';

const addon = native();
/** Rehearsals of the worker's own code. */
const RUNS = 60;
/** Ticks of one run. The other runs have one tick. */
const LONG_RUN_TICKS = 240;
/** The numbers of runs and ticks are divided by this in a repeated rehearsal. */
const REPEAT_DIVISOR = 4;
/** Shapes of the rehearsed objects. With more than four, V8 compiles code that handles objects of any shape. */
const SHAPES = 6;
/** A task with the properties that host/engine.js sets, in the same order, so that V8 sees the same shape. */
const TASK = {
  inspectBase: undefined,
  moduleUrl: '',
  options: {},
  tickHz: 480,
  checkpointTicks: 15,
  niceness: 0,
  rehearsal: undefined,
  strictFrames: false,
  lock: undefined,
  output: false,
};
/** This module calls startCompiler() by itself. */
export const startsCompiler = true;
/** Time to load a module. */
const LOAD_MS = 10_000;
/** Removes the marks of @pitv/ksm, see UNMERGE_EVENT there. */
const UNMERGE_EVENT = 'ksm:unmerge';
const REHEARSAL_URL = new URL('./rehearsal-job.js', import.meta.url).href;

/** @type {Map<string, any>} loaded modules by URL */
const modules = new Map();
/**
 * Modules that could not be warmed up, by URL, with a sentence. Their jobs run in processes of their own.
 * @type {Map<string, string>}
 */
const leftOut = new Map();

/** Objects of the last rehearsal. V8 discards code compiled for objects of a kind once none of them is left. */
const lastRehearsal = {};

let isRehearsal = false;

/** @param {string} url */
const load = (url) => modules.get(url) ?? import(url);

/**
 * Prepares the zygote and loads the job modules. One that fails is left out.
 * @param {{modules: string[], broken: string[]}} args broken: modules that an earlier zygote has left out
 */
export async function warm({ modules: urls, broken }) {
  makeExpendable();
  ignoreGroupSignals();
  for (const url of broken) leftOut.set(url, '');
  for (const url of urls) {
    if (leftOut.has(url)) continue;
    try {
      await settleWithin(LOAD_MS, loadModule(url), takesTooLong);
    } catch (error) {
      leaveOut(url, `${url} could not be loaded: ${messageOf(error)}`);
    }
  }
}

const takesTooLong = () => new PitvError('PITV_MODULE_FAILED', `it takes over ${LOAD_MS / 1000} s`);

/** @param {string} url */
async function loadModule(url) {
  const module = await import(url);
  modules.set(url, { default: module.default }); // unlike module namespaces, these objects have one shape
  await module.default?.warm?.();
}

/** @param {string} url @param {string} sentence for the log */
function leaveOut(url, sentence) {
  modules.delete(url);
  leftOut.set(url, sentence);
}

/**
 * Rehearses each job and the worker's own code. A job that fails is left out, and a warning names it.
 * @param {{again: boolean, warn: (sentence: string) => void}} how again: it is a repetition, after which code that V8
 *   has discarded meanwhile exists again
 */
export async function rehearse({ again, warn }) {
  for (const [url, { default: job }] of [...modules]) {
    try {
      await rehearseJob(url, job, again);
    } catch (error) {
      leaveOut(url, `${url} failed in its rehearsal: ${messageOf(error)}`);
    }
  }
  for (const sentence of leftOut.values()) if (sentence) warn(sentence);
  const divisor = again ? REPEAT_DIVISOR : 1;
  const runs = RUNS / divisor;
  // A newer V8 counts calls: what runs in ticks only has the most of them when it has just run.
  const long = IS_OLD ? 0 : runs - 1;
  for (let i = 0; i < runs; i++) await rehearseRun(i === long ? LONG_RUN_TICKS / divisor : 1, i);
}

/**
 * Runs in a spare child, before it gets a request, and in the zygote, as a rehearsal of that. The jobs of a TV share
 * most of the code of their start, so one is enough. In the zygote it has been rehearsed.
 * @param {{isChild: boolean}} where
 */
export async function prepare({ isChild }) {
  await rehearseRun(1);
  const jobs = isChild ? [...modules.values()].map((module) => module.default) : [];
  jobs.find((job) => job?.prepare)?.prepare();
}

/**
 * Runs the worker's code with a minimal job.
 * @param {number} ticks @param {number} [round] selects the shapes of the objects
 */
async function rehearseRun(ticks, round = 0) {
  // Never unmapped: once any ArrayBuffer has been detached, V8 compiles slower code for all typed arrays.
  const { buffer, fd } = addon.createMemory(mailboxBytes(sizes));
  const mailbox = Mailbox.create(buffer, sizes);
  const [here, there] = addon.socketPair();
  const worker = new Worker(there, { id: 0, name: 'rehearsal', descriptors: [fd] });
  // Decoded like a real request: how an object was created decides its shape.
  const options = { [`any${round % SHAPES}`]: 0, ticks };
  const args = deserialize(serialize({ task: { ...TASK, moduleUrl: REHEARSAL_URL, options } }));
  const start = round % 2 ? rehearsal.start : startAlternative;
  modules.set(REHEARSAL_URL, { default: { [`any${round % SHAPES}`]: 0, start } });
  isRehearsal = true;
  await run(args, worker);
  isRehearsal = false;
  Object.assign(lastRehearsal, { args, worker, mailbox });
  process.removeAllListeners('uncaughtException');
  for (const end of [here, there]) closeSync(end);
}

/** A second start function, so that V8 does not inline a single one. @param {any} options */
function startAlternative(options) {
  return rehearsal.start(options);
}

/**
 * Maps the mailbox and runs the task.
 * @param {import('./run.js').Task} task
 * @param {number} fd descriptor of the mailbox
 * @param {Worker} worker
 */
async function runTask(task, fd, worker) {
  const memory = addon.mapMemory(fd);
  addon.closeDescriptor(fd);
  if (task.lock) {
    lowerPriority(task.niceness); // code of strangers may loop before its job starts
    // A fork keeps the marks of its zygote, and code of strangers could find out what pages of others contain.
    process.emit(/** @type {any} */ (UNMERGE_EVENT));
    lockFork(task.lock);
  }
  const send = (/** @type {'warning' | 'output'} */ kind, /** @type {string} */ text) =>
    worker.report(KIND[kind], text);
  const reportReady = () => {
    worker.report(KIND.ready);
    if (!isRehearsal) startCompiler(); // not later: a job that computes a lot would begin with slow code
  };
  await runWorker(task, memory, reportReady, send, addon.trimMalloc, load);
}

/** @param {number} code */
function exit(code) {
  if (!isRehearsal) process.exit(code);
}

/** Runs a match in a child. @param {{task: import('./run.js').Task}} args @param {Worker} worker */
export default async function run({ task }, worker) {
  process.on('uncaughtException', fail);
  const unwatchExit = watchExit((error) => worker.report(KIND.failed, error));
  try {
    if (leftOut.has(task.moduleUrl)) {
      worker.report(KIND.leftOut);
      unwatchExit();
      exit(0);
    }
    await runTask(task, worker.descriptors[0], worker);
    unwatchExit();
    exit(0);
  } catch (error) {
    fail(error);
  }

  /** @param {unknown} thrown */
  function fail(thrown) {
    unwatchExit();
    worker.report(KIND.failed, thrown);
    exit(1);
  }
}
