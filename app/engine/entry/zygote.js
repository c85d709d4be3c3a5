/** The module that the zygote of the zygote engine loads; each of its children runs one match. */
import { closeSync } from 'node:fs';
import os from 'node:os';
import { messageOf } from '../../errors.js';
import { Mailbox, mailboxBytes } from '../mailbox.js';
import { native } from '../native.js';
import { asError, runWorker } from '../worker.js';
import { sizes } from './rehearsal.js';

const addon = native();
const REHEARSAL = new URL('./rehearsal.js', import.meta.url).href;
/** Service managers signal all of a service's processes; when to stop is the main process's to say. */
const NOT_OURS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** @param {{modules: string[]}} args */
export async function warm({ modules }) {
  addon.setLimit('core', 0); // a core file takes seconds to write, and the SD card's space
  for (const signal of NOT_OURS) addon.ignoreSignal(os.constants.signals[signal]);
  for (const url of modules) {
    const { default: job } = await import(url);
    await job?.warm?.();
  }
  await rehearse();
}

/** The worker's own code shall be compiled, too. */
async function rehearse() {
  const mailbox = Mailbox.create(new ArrayBuffer(mailboxBytes(sizes)), sizes);
  const task = {
    moduleUrl: REHEARSAL,
    options: undefined,
    tickHz: 1000,
    checkpointTicks: 15,
    niceness: 0,
  };
  await runWorker(task, mailbox.memory, () => {});
}

/**
 * @param {{task: import('../worker.js').Task}} args
 * @param {import('../zygote/inside/worker.js').Worker} worker
 */
export default async function run({ task }, worker) {
  process.on('uncaughtException', fail);
  try {
    const [file] = worker.descriptors;
    const memory = addon.mapMemory(file);
    closeSync(file);
    await runWorker(task, memory, () => worker.send({ ready: true }));
    process.exit(0);
  } catch (error) {
    fail(error);
  }

  /** @param {unknown} thrown */
  function fail(thrown) {
    try {
      worker.send({ failed: asError(thrown) });
    } catch {
      worker.send({ failed: new Error(messageOf(thrown)) }); // it holds what can't be cloned
    }
    process.exit(1);
  }
}
