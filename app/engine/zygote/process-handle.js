/**
 * Signals a process that is no child of this one. A handle never reaches another process that has got the same id: it
 * holds a descriptor of the process (pidfd_open(2)), or before Linux 5.3 compares when the process has started.
 */
import os from 'node:os';
import { isMainThread } from 'node:worker_threads';
import { native } from '../../native/native.js';
import { statOf } from '../../process/process-tree.js';

/** Indexes of state and starttime in statOf() (proc(5)). */
const STATE_FIELD = 0;
const START_FIELD = 19;

export class ProcessHandle {
  #pid;
  #fd = -1;
  #startedAt;

  /** @param {number} pid */
  constructor(pid) {
    this.#pid = pid;
    try {
      this.#fd = native().openProcess(pid);
      native().ownDescriptor(this.#fd);
    } catch {
      this.#startedAt = readStartTime(pid); // Linux before 5.3, or the process has ended
    }
  }

  /**
   * Sends a signal.
   * @param {NodeJS.Signals | 0} signal 0 only tests whether the process exists
   * @returns {boolean} false when the process has ended
   */
  kill(signal) {
    try {
      if (this.#fd >= 0)
        return native().signalProcess(this.#fd, signal && os.constants.signals[signal]);
      if (this.#startedAt === undefined || readStartTime(this.#pid) !== this.#startedAt)
        return false;
      return process.kill(this.#pid, signal);
    } catch {
      return false;
    }
  }

  close() {
    if (this.#fd >= 0) native().closeDescriptor(this.#fd);
    this.#fd = -1;
    this.#startedAt = undefined;
  }
}

/**
 * @typedef {object} ProcessEnd
 * @property {number | null} code
 * @property {NodeJS.Signals | null} signal
 * @property {Error} [error] why it did not start, or what it has reported
 */

/**
 * Waits for the end of a child process, and has it end with this thread: Node.js leaves it as a zombie, because the
 * event loop that waits for it is gone.
 * @param {import('node:child_process').ChildProcess} child @param {import('node:net').Socket} socket of its messages
 * @returns {Promise<ProcessEnd>} resolves after the last message; never rejects
 */
export function endOfChild(child, socket) {
  if (!isMainThread && child.pid) {
    const handle = new ProcessHandle(child.pid);
    child.once('exit', () => handle.close());
  }
  const closed = new Promise((resolve) => socket.once('close', resolve));
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => closed.then(() => resolve({ code, signal })));
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ code: null, signal: null, error });
    });
  });
}

/**
 * @param {number} pid @returns {string | undefined} clock ticks since the system's start; undefined when it has ended
 */
function readStartTime(pid) {
  const fields = statOf(pid);
  return fields[STATE_FIELD] === 'Z' ? undefined : fields[START_FIELD];
}
