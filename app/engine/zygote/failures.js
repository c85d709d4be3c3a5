/** What goes wrong between the main process and a zygote. */
import { getSystemErrorName } from 'node:util';
import { PitvError, messageOf } from '../../errors.js';

export const died = () =>
  new PitvError('PITV_ZYGOTE_DIED', 'The zygote ended before it could fork.');

/** @param {unknown} error of the addon @returns {string} ENOMEM, ...; empty when it has no number */
export function errorName(error) {
  const errno = Number(Reflect.get(Object(error), 'errno'));
  return errno > 0 ? getSystemErrorName(-errno) : '';
}

/** @param {unknown} cause */
export function sendFailure(cause) {
  const sentence = `The request could not be sent to the zygote: ${messageOf(cause)}`;
  return new PitvError('PITV_ZYGOTE_FORK', sentence, { cause });
}

/** @param {number} errno */
export function forkFailure(errno) {
  const sentence = `fork() failed: ${getSystemErrorName(-errno)} (errno ${errno}).`;
  return new PitvError('PITV_ZYGOTE_FORK', sentence, { details: { errno } });
}

/** @param {string} how */
export function neverRan(how) {
  const sentence = `The child ended with ${how} before the module's code ran.`;
  return new PitvError('PITV_ZYGOTE_CHILD', sentence);
}
