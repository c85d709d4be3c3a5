/**
 * Converts errors for the way from a worker to the main thread. A structured clone of an error loses its code, and
 * fails when a property cannot be cloned. So a worker sends a description of the error.
 */
import { inspect } from 'node:util';

/** Longer messages and stacks are cut. */
const MAX_CHARS = 8 * 1024;
const MAX_CAUSES = 3;
/** An encoded failure with more has fewer causes. Without causes it is always shorter. */
const MAX_BYTES = 200 * 1024;
/** Errors that workers have reported. @type {WeakSet<Error>} */
const reported = new WeakSet();
/** The built-in errors, which keep their class. @type {Record<string, ErrorConstructor>} */
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
 * Returns a thrown value if it is an Error, else an Error that describes it.
 * @param {unknown} thrown @returns {Error}
 */
export function asError(thrown) {
  return thrown instanceof Error ? thrown : new Error(`${inspect(thrown)} was thrown.`);
}

/** @param {unknown} value @returns {string} */
const cut = (value) => (typeof value === 'string' ? value : inspect(value)).slice(0, MAX_CHARS);

/**
 * Describes a thrown value.
 * @param {unknown} thrown @param {number} [causes] length of the chain of causes
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
 * Encodes a thrown value as JSON, for restoreFailure().
 * @param {unknown} thrown @param {number} [causes] see describeFailure() @returns {Buffer} at most 200 KiB
 */
export function encodeFailure(thrown, causes = MAX_CAUSES) {
  const bytes = Buffer.from(JSON.stringify(describeFailure(thrown, causes)));
  return bytes.length > MAX_BYTES && causes > 0 ? encodeFailure(thrown, causes - 1) : bytes;
}

/**
 * Reports when code of this process ends it by process.exit(). The stack of the error names the caller.
 * @param {(error: Error) => void} report is called before the process ends
 * @returns {() => void} stops to watch
 */
export function watchExit(report) {
  const onExit = (/** @type {number} */ code) =>
    report(new Error(`process.exit(${code}) was called`));
  const stop = () => {
    process.off('exit', onExit);
    process.off('uncaughtExceptionMonitor', stop);
  };
  process.once('exit', onExit);
  process.once('uncaughtExceptionMonitor', stop); // after an error, a thread exits by itself
  return stop;
}

/**
 * Creates an error from a description.
 * @param {unknown} failure a Failure; any other value gives an error as well, since a broken worker may send anything
 * @param {number} [causes] length of the chain of causes
 * @returns {Error} with the original name, message, stack, code and cause
 */
export function restoreFailure(failure, causes = MAX_CAUSES) {
  const { name, message, stack, code, cause } = /** @type {Partial<Failure>} */ (Object(failure));
  const options =
    cause === undefined || causes <= 0 ? undefined : { cause: restoreFailure(cause, causes - 1) };
  const known = typeof name === 'string' && Object.hasOwn(CLASSES, name);
  const sentence = typeof message === 'string' ? cut(message) : 'The error cannot be read.';
  const error = new (known ? CLASSES[name] : Error)(sentence, options);
  /** @param {string} key @param {unknown} value */
  const define = (key, value) =>
    Object.defineProperty(error, key, { value, configurable: true, writable: true });
  if (typeof name === 'string' && error.name !== name) define('name', cut(name));
  if (typeof stack === 'string') define('stack', cut(stack));
  if (typeof code === 'string') Object.assign(error, { code: cut(code) });
  reported.add(error);
  return error;
}

/**
 * Tells whether a worker has reported an error, or the cause of one. Where it runs code of others, the error may say
 * anything.
 * @param {unknown} error @returns {boolean}
 */
export function isReported(error) {
  if (!(error instanceof Error)) return false;
  return reported.has(error) || isReported(error.cause);
}
