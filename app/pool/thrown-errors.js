/**
 * Converts errors that tasks throw for the way from a worker to the pool. They keep their class, if it is built in,
 * their message, stack, cause and the properties that programs read, such as `code`, `status` and `errors`. A property
 * that cannot be cloned is left out.
 */
import { inspect, types } from 'node:util';
import { CloneWriter } from './transport/clone-writer.js';

/** Longer messages and stacks are cut. */
const MAX_CHARS = 16 * 1024;
/** What all properties of an error and of its causes may have together. */
const MAX_BYTES = 256 * 1024;
const MAX_ERRORS = 100;
const MAX_CAUSES = 5;

/** Classes before those that they extend. @type {Record<string, any>} */
const CLASSES = {
  AggregateError,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
  DOMException,
  Error,
};
/** Properties that are described by themselves. */
const KNOWN = new Set(['name', 'message', 'stack', 'cause']);

/**
 * @typedef {{error: Thrown} | {value: any}} Carried an error or any other value
 *
 * @typedef {object} Thrown
 * @property {string} class in CLASSES
 * @property {string} name @property {string} message @property {string} [stack]
 * @property {Record<string, Carried>} own
 * @property {Carried} [cause]
 * @property {Carried[]} [errors] of an AggregateError
 *
 * @typedef {{bytes: number, errors: number, causes: number}} Budget what may still be described
 */

/** @param {unknown} value @returns {value is Error} */
export const isError = (value) => value instanceof Error || types.isNativeError(value);

/** @param {unknown} value @returns {string} */
const cut = (value) => (typeof value === 'string' ? value : inspect(value)).slice(0, MAX_CHARS);

/** Reads a property, which may be a getter that throws. @param {any} object @param {string} key @returns {unknown} */
function read(object, key) {
  try {
    return object[key];
  } catch {
    return undefined;
  }
}

/**
 * Describes an error.
 * @param {Error} error @param {Budget} [budget]
 * @returns {Thrown} structured-clonable and of bounded size
 */
export function describeThrown(
  error,
  budget = { bytes: MAX_BYTES, errors: MAX_ERRORS, causes: MAX_CAUSES },
) {
  const name = cut(read(error, 'name') ?? 'Error');
  const stack = read(error, 'stack');
  const known = Object.keys(CLASSES).find((each) => error instanceof CLASSES[each]);
  const nested = { ...budget, causes: budget.causes - 1 };
  /** @param {unknown} value @param {boolean} [shows] whether what cannot be cloned becomes a text */
  const carry = (value, shows) => {
    const carried = carryValue(value, nested, shows);
    budget.bytes = nested.bytes;
    budget.errors = nested.errors;
    return carried;
  };
  /** @type {Thrown} */
  const thrown = {
    class: known ?? (Object.hasOwn(CLASSES, name) ? name : 'Error'),
    name,
    message: cut(read(error, 'message') ?? ''),
    stack: typeof stack === 'string' ? cut(stack) : undefined,
    own: {},
  };
  if (Object.hasOwn(error, 'cause')) thrown.cause = carry(read(error, 'cause'), true);
  const errors = read(error, 'errors');
  const areErrors = Array.isArray(errors);
  if (areErrors) {
    thrown.errors = errors.slice(0, MAX_ERRORS).flatMap((each) => carry(each, true) ?? []);
  }
  const keys = Object.keys(error).filter(
    (key) => !KNOWN.has(key) && !(areErrors && key === 'errors'),
  );
  // The code of some classes is a getter. That of a DOMException follows from its name.
  if (thrown.class !== 'DOMException' && !keys.includes('code')) keys.push('code');
  for (const key of keys) {
    const value = read(error, key);
    const carried = value === undefined && key === 'code' ? undefined : carry(value);
    if (carried) thrown.own[key] = carried;
  }
  return thrown;
}

/**
 * @param {unknown} value @param {Budget} budget @param {boolean} [shows]
 * @returns {Carried | undefined} undefined: it cannot be cloned, or is too large
 */
function carryValue(value, budget, shows = false) {
  if (isError(value)) {
    if (budget.causes < 0 || budget.errors-- <= 0) return undefined;
    return { error: describeThrown(value, budget) };
  }
  const bytes = bytesOf(value);
  if (bytes > budget.bytes) return shows ? { value: cut(inspect(value)) } : undefined;
  budget.bytes -= bytes;
  return { value };
}

/** @param {unknown} value @returns {number} its length as a clone; Infinity if it cannot be cloned */
function bytesOf(value) {
  const writer = new CloneWriter({ carriesParts: false });
  try {
    writer.write(value, []);
  } catch {
    return Infinity;
  }
  return writer.segments.reduce((sum, { length }) => sum + length, writer.length);
}

/**
 * Creates an error from a description.
 * @param {unknown} thrown a Thrown; any other value gives an error as well, since a broken worker may send anything
 * @param {number} [causes] length of the chain of causes
 * @returns {Error}
 */
export function restoreThrown(thrown, causes = MAX_CAUSES + 1) {
  const { name, message, stack, own, cause, errors, ...others } = /** @type {Partial<Thrown>} */ (
    Object(thrown)
  );
  const error = create(String(others.class), cut(message), name);
  /** @param {string} key @param {unknown} value @param {boolean} [enumerable] */
  const define = (key, value, enumerable = false) =>
    Object.defineProperty(error, key, { value, enumerable, configurable: true, writable: true });
  /** @param {unknown} carried */
  const restore = (carried) => {
    const { error: inner, value } = /** @type {any} */ (Object(carried));
    return inner && causes > 0 ? restoreThrown(inner, causes - 1) : value;
  };
  if (typeof name === 'string' && error.name !== name) define('name', cut(name));
  if (typeof stack === 'string') define('stack', cut(stack));
  if (cause) define('cause', restore(cause));
  if (Array.isArray(errors)) {
    define('errors', errors.map(restore), !(error instanceof AggregateError));
  }
  for (const [key, carried] of Object.entries(Object(own))) {
    if (!KNOWN.has(key)) define(key, restore(carried), true);
  }
  return error;
}

/** @param {string} name of a class @param {string} message @param {unknown} exceptionName @returns {Error} */
function create(name, message, exceptionName) {
  if (name === 'AggregateError') return new AggregateError([], message);
  if (name === 'DOMException') return new DOMException(message, cut(exceptionName));
  return new (Object.hasOwn(CLASSES, name) ? CLASSES[name] : Error)(message);
}
