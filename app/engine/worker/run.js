/**
 * Runs one job inside a worker; the same code serves every engine. It loads the job's module, restores the newest
 * checkpoint if there is one, and steps the job at a fixed rate until the main thread asks it to stop, the job is done
 * or something throws. The hot path carries no messages: at each tick the worker reads requests from the mailbox and
 * writes results there.
 *
 * A job module's default export has start(options) -> Job. The methods of a Job are synchronous:
 *   job.step(readWord(slot) -> int32, readSequence(slot) -> uint32)   runs one tick
 *   job.writeFrame(target) -> bytes written         if the mailbox has room for frames. A frame that is longer than
 *     the target is cut; with the engine's option strictFrames it ends the worker instead
 *   job.checkpoint(target) -> bytes written         if the mailbox has room for checkpoints. A checkpoint that is
 *     longer than the target is dropped
 *   job.restore(source)                             restores a checkpoint
 *   job.done                                        true: the job has ended
 *   job.takeWarning() -> string | undefined         optional: something that is wrong with the job, for the log. It is
 *     called after each tick, outside development until it has returned a sentence
 *   job.bodies, job.contacts                        optional: numbers of the last tick, for statistics in development
 * For the zygote engine, the default export may also have sizes(options), rehearsalOptions(run) (see rehearse.js),
 * warm(), and prepare(), which runs the code of a start in a process that waits for its task, and leaves little memory.
 */
import { messageOf } from '../../errors.js';
import { asError } from '../failure.js';
import { Mailbox, STATE, mailboxBytes } from '../mailbox/mailbox.js';
import { Loop } from './loop.js';
import { forwardOutput } from './output.js';
import { lowerPriority } from './process-setup.js';
import { Ticker, writeCheckpoint } from './ticker.js';

/**
 * @typedef {import('./ticker.js').Job} Job
 *
 * @typedef {object} Task what the main thread sends to a worker; structured-clonable
 * @property {string} moduleUrl
 * @property {unknown} options for the module's start()
 * @property {number} tickHz 1..1000
 * @property {number} checkpointTicks 1..
 * @property {number} niceness 0..19
 * @property {Rehearsal} [rehearsal]
 * @property {boolean} [strictFrames] whether a frame that is too long is an error
 * @property {import('../lock.js').Lock} [lock] locks the process before it loads the module
 * @property {boolean} [output] whether what the job writes to stdout and stderr is forwarded
 * @property {string} [inspectBase] path of the request and answer files of an inspection, without their suffixes
 *
 * @typedef {object} Rehearsal a run before the job, with the same steps in every worker. V8 then compiles the same code
 *   in the same order everywhere, so that the workers' memory is alike (see docs/ksm.md), and the job's first
 *   ticks are no slower than later ones
 * @property {number} ticks 1..
 * @property {Record<string, unknown>} [options] replace those of the task's options that have the same names: the
 *   options in which jobs differ
 * @property {string} [event] emitted on `process` after the rehearsal
 */

/**
 * The last loop. V8 discards a class's compiled code with its last object, and the code is needed in forks.
 * @type {Loop | undefined}
 */
let lastLoop;

/**
 * Runs a job.
 * @param {Task} task
 * @param {ArrayBuffer | SharedArrayBuffer} memory contains a mailbox
 * @param {() => void} reportReady
 * @param {(kind: 'warning' | 'output', text: string) => void} send reports a problem or output of the job
 * @param {() => void} [trim] returns memory that the process has freed to the system, such as that of compilations. It
 *   is called between two ticks, once in 600
 * @param {(url: string) => any} [load] loads a module
 * @returns {Promise<'done' | 'stopped'>}
 * @throws {Error} what the module threw
 */
export async function runWorker(
  task,
  memory,
  reportReady,
  send,
  trim,
  load = (url) => import(url),
) {
  const mailbox = Mailbox.attach(memory);
  const warn = (/** @type {string} */ sentence) => send('warning', sentence);
  try {
    if (task.output) forwardOutput((text) => send('output', text));
    const job = await startJob(await load(task.moduleUrl), task, mailbox);
    lowerPriority(task.niceness); // only now, since players wait for the start
    reportReady();
    lastLoop = new Loop(job, task, mailbox, warn, trim);
    const end = await lastLoop.run();
    mailbox.state = end === 'done' ? STATE.done : STATE.stopped;
    return end;
  } catch (error) {
    mailbox.state = STATE.failed;
    throw asError(error);
  }
}

/** @param {any} module @param {Task} task @param {Mailbox} mailbox @returns {Promise<Job>} */
async function startJob(module, task, mailbox) {
  if (typeof module.default?.start !== 'function') {
    throw new TypeError(`${task.moduleUrl} has no default export with a start() function.`);
  }
  if (task.rehearsal) {
    lowerPriority(task.niceness);
    await runRehearsal(module.default, task, mailbox.sizes);
  }
  const job = await module.default.start(task.options);
  const checkpoint = mailbox.checkpoint;
  if (checkpoint) {
    job.restore(checkpoint.bytes);
    mailbox.tick = checkpoint.tick;
  } else {
    mailbox.tick = 0;
    writeCheckpoint(job, mailbox);
  }
  return job;
}

/**
 * Runs another job of the module with a private mailbox. If it fails, a warning names the module, and the job itself
 * starts nevertheless.
 * @param {{start: (options: any) => Job | Promise<Job>}} module
 * @param {Task} task @param {import('../mailbox/mailbox.js').MailboxSizes} sizes
 */
async function runRehearsal(module, task, sizes) {
  const { ticks, options: replaced = {}, event } = /** @type {Rehearsal} */ (task.rehearsal);
  try {
    const mailbox = Mailbox.create(new ArrayBuffer(mailboxBytes(sizes)), sizes);
    const options = structuredClone(task.options); // a job may change its options
    for (const [name, value] of Object.entries(replaced)) {
      if (Object.hasOwn(Object(options), name)) Reflect.set(Object(options), name, value);
    }
    const ticker = new Ticker(await module.start(options), task, mailbox);
    for (let i = 0; i < ticks && !ticker.tick(); i++);
  } catch (error) {
    process.emitWarning(`${task.moduleUrl} failed in its rehearsal: ${messageOf(error)}`, {
      code: 'PITV_REHEARSAL_FAILED',
      detail: asError(error).stack,
    });
  }
  if (event) process.emit(/** @type {any} */ (event));
}
