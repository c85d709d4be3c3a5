/**
 * Errors on their way from a worker to the main thread. A structured clone of an error loses its code,
 * and fails when a property can't be cloned; so an error is sent as a description of it.
 */
import { inspect } from 'node:util';

/** A longer message or stack is cut: a failure must fit into one message of a worker. */
const MAX_CHARS = 16 * 1024;
const MAX_CAUSES = 3;
/** Errors of JavaScript's own keep their class. @type {Record<string, ErrorConstructor>} */
const CLASSES = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

/**
 * @typedef {object} Failure
 * @property {string} name
 * @property {string} message
 * @property {string} [stack]
 * @property {string} [code]
 * @property {Failure} [cause]
 */

/**
 * Makes an error of anything that was thrown.
 * @param {unknown} thrown @returns {Error}
 */
export function asError(thrown) {
  return thrown instanceof Error ? thrown : new Error(`${inspect(thrown)} was thrown.`);
}

/** @param {unknown} value @returns {string} */
const cut = (value) => String(value).slice(0, MAX_CHARS);

/**
 * Describes what was thrown.
 * @param {unknown} thrown @param {number} [causes] how many to follow
 * @returns {Failure} structured-clonable and of bounded size
 */
export function describeFailure(thrown, causes = MAX_CAUSES) {
  const { name, message, stack, cause } = asError(thrown);
  const code = Reflect.get(Object(thrown), 'code');
  return {
    name: cut(name),
    message: cut(message),
    stack: typeof stack === 'string' ? cut(stack) : undefined,
    code: typeof code === 'string' ? cut(code) : undefined,
    cause: cause === undefined || causes === 0 ? undefined : describeFailure(cause, causes - 1),
  };
}

/**
 * Makes the error again.
 * @param {Failure} failure
 * @returns {Error} with the name, message, stack, code and cause that it had
 */
export function restoreFailure({ name, message, stack, code, cause }) {
  const options = cause && { cause: restoreFailure(cause) };
  const error = new (Object.hasOwn(CLASSES, name) ? CLASSES[name] : Error)(message, options);
  /** @param {string} key @param {unknown} value */
  const define = (key, value) =>
    Object.defineProperty(error, key, { value, configurable: true, writable: true });
  if (error.name !== name) define('name', name);
  if (stack !== undefined) define('stack', stack);
  if (code !== undefined) Object.assign(error, { code });
  return error;
}
