/** Creates the errors of requests to a zygote. */
import { getSystemErrorName } from 'node:util';
import { PitvError, messageOf } from '../../errors.js';

/** For a request that was not answered before the zygote ended. */
export const zygoteDied = () =>
  new PitvError('PITV_ZYGOTE_DIED', 'The zygote ended before it could fork.');

/** Returns the name of an addon error's errno (ENOMEM, ...), or '' without one. @param {unknown} error */
export function errnoName(error) {
  const errno = Number(Reflect.get(Object(error), 'errno'));
  return errno > 0 ? getSystemErrorName(-errno) : '';
}

/** @param {unknown} cause */
export function requestNotSent(cause) {
  const sentence = `The request could not be sent to the zygote: ${messageOf(cause)}`;
  return new PitvError('PITV_ZYGOTE_FORK', sentence, { cause });
}

/** @param {number} errno */
export function forkFailed(errno) {
  const sentence = `fork() failed: ${getSystemErrorName(-errno)} (errno ${errno}).`;
  return new PitvError('PITV_ZYGOTE_FORK', sentence, { details: { errno } });
}

/** @param {string} end signal or exit status */
export function endedEarly(end) {
  const sentence = `The child ended with ${end} before the module's code ran.`;
  return new PitvError('PITV_ZYGOTE_CHILD', sentence);
}
