/** Runs the program of a process that host/locked-process.js has started. */
import { native } from '../../native/native.js';
import { watchExit } from '../failure.js';
import { lockProcess } from '../lock.js';
import { KIND, readMessageSync } from '../zygote/channel.js';
import { Worker } from '../zygote/inside/worker.js';
import { limitMemory, makeExpendable } from './process-setup.js';

/** The descriptor before FIRST_DESCRIPTOR of host/locked-process.js. */
export const CHANNEL_FD = 3;
/** A program that waits for something that never happens must not end by itself. */
const KEEP_ALIVE_MS = 1_000_000;

/**
 * Runs a program, then exits. An error of the program is reported to the main process. A process that is not to be
 * locked gets its limits here.
 * @template Request
 * @param {(request: Request, worker: Worker, lock: () => void) => Promise<void>} program calls lock() before it loads
 *   code of others; without a lock, that does nothing
 * @param {{reportsEnd?: boolean}} [how] reportsEnd: whether uncaught errors and calls of process.exit() are reported;
 *   true by default
 */
export async function runLocked(program, { reportsEnd = true } = {}) {
  const request = readMessageSync(CHANNEL_FD) ?? process.exit(1);
  const { parentPid, lock, memoryMb, count } = request;
  if (!native().dieWithParent(parentPid)) process.exit(1);
  const descriptors = Array.from({ length: count }, (_, i) => CHANNEL_FD + 1 + i);
  const worker = new Worker(CHANNEL_FD, { id: 0, name: 'locked', descriptors });
  if (!lock) {
    makeExpendable(); // the main process and the lock do it otherwise
    if (memoryMb > 0) limitMemory(memoryMb);
  }
  if (reportsEnd) process.on('uncaughtException', fail);
  const reportError = (/** @type {unknown} */ error) => worker.reportLast(KIND.failed, error);
  const unwatchExit = reportsEnd ? watchExit(reportError) : () => {};
  setInterval(() => {}, KEEP_ALIVE_MS);
  try {
    await program(request, worker, () => lock && lockProcess(lock, memoryMb));
    unwatchExit();
    process.exit(0);
  } catch (error) {
    fail(error);
  }

  /** Reports an error and exits. @param {unknown} thrown */
  function fail(thrown) {
    unwatchExit();
    reportError(thrown);
    process.exit(1);
  }
}
