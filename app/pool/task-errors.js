/** The errors by which tasks reject, besides those that their functions throw. */
import { PitvError } from '../errors.js';

/** @param {unknown} reason of the signal */
export function abortError(reason) {
  const error = new PitvError('PITV_TASK_ABORTED', 'The task has been aborted', { cause: reason });
  error.name = 'AbortError';
  return error;
}

/** @param {number} timeoutMs */
export const timeoutError = (timeoutMs) =>
  new PitvError(
    'PITV_TASK_TIMEOUT',
    `The task ran longer than ${timeoutMs} ms. Its worker was replaced.`,
  );

/** @param {number} startMs */
export const startError = (startMs) =>
  new PitvError(
    'PITV_TASK_TIMEOUT',
    `The task's worker was not ready after ${startMs} ms. The worker was replaced.`,
  );

/** Returns the error of a task whose worker was ended because of another one. */
export const neighbourError = () =>
  new PitvError('PITV_TASK_CRASHED', 'The worker was ended because of another task.');

export const closedError = () =>
  new PitvError('PITV_POOL_CLOSED', 'Terminating worker thread: the pool is closed.');

/** @param {boolean} none no task may wait at all */
export const queueError = (none) =>
  new PitvError(
    'PITV_POOL_FULL',
    none ? 'No task queue available and all Workers are busy' : 'Task queue is at limit',
  );

export const filenameError = () =>
  new PitvError('PITV_TASK_HANDLER', 'filename must be provided to run() or in options object');

export const retryError = () =>
  new PitvError(
    'PITV_OPTION_INVALID',
    'run(): a task that moves values cannot run again, because they are gone. Leave out retries or transferList.',
    { details: { option: 'retries' } },
  );

/**
 * Returns the error of a task whose worker has ended.
 * @param {import('./host/kind.js').LaunchEnd} end
 * @returns {Error}
 */
export function workerError({ code, signal, error, outOfMemory }) {
  const details = { code, signal };
  if (outOfMemory) {
    const sentence = 'The worker ran out of memory while it ran the task.';
    return new PitvError('PITV_TASK_MEMORY', sentence, { cause: error, details });
  }
  if (error) return error;
  if (signal) {
    const sentence = `The worker was ended by ${signal} while it ran the task.`;
    return new PitvError('PITV_TASK_CRASHED', sentence, { details });
  }
  return new PitvError('PITV_TASK_EXITED', `worker exited with code: ${code}`, { details });
}
