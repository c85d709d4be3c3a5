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
const cut = (value) => (typeof value === 'string' ? value : inspect(value)).slice(0, MAX_CHARS);

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
 * @param {unknown} failure a Failure, or anything: a broken worker may send what it likes
 * @param {number} [causes] how many to follow
 * @returns {Error} with the name, message, stack, code and cause that it had
 */
export function restoreFailure(failure, causes = MAX_CAUSES) {
  const { name, message, stack, code, cause } = /** @type {Partial<Failure>} */ (Object(failure));
  const options =
    cause === undefined || causes <= 0 ? undefined : { cause: restoreFailure(cause, causes - 1) };
  const known = typeof name === 'string' && Object.hasOwn(CLASSES, name);
  const error = new (known ? CLASSES[name] : Error)(cut(message), options);
  /** @param {string} key @param {unknown} value */
  const define = (key, value) =>
    Object.defineProperty(error, key, { value, configurable: true, writable: true });
  if (typeof name === 'string' && error.name !== name) define('name', cut(name));
  if (typeof stack === 'string') define('stack', cut(stack));
  if (typeof code === 'string') Object.assign(error, { code: cut(code) });
  return error;
}
