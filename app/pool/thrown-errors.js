/**
 * Converts errors that tasks throw for the way from a worker to the pool. They keep their class, if it is built in,
 * their message, stack, cause and the properties that programs read, such as `code`, `status` and `errors`. A property
 * that cannot be cloned is left out.
 */
import { inspect, types } from 'node:util';
import { ERRORS } from './transport/clone-bytes.js';
import { CloneWriter } from './transport/clone-writer.js';

/** What all texts and properties of an error and of those that it refers to may have together. */
const MAX_BYTES = 1024 * 1024;
const MAX_ERRORS = 100;

/** Classes before those that they extend. @type {Record<string, any>} */
const CLASSES = Object.fromEntries(
  [AggregateError, ...ERRORS.toReversed()].map((each) => [each.name, each]),
);
/** Properties that are described by themselves. */
const KNOWN = new Set(['name', 'message', 'stack', 'cause']);

/**
 * @typedef {{error: number} | {value: any}} Carried an error, by its number, or any other value
 *
 * @typedef {object} Described an error
 * @property {string} class in CLASSES
 * @property {string} name @property {string} message @property {string} [stack]
 * @property {Record<string, Carried>} own
 * @property {Carried} [cause]
 * @property {Carried[]} [errors] of an AggregateError
 *
 * @typedef {{errors: Described[]}} Thrown the first one was thrown, and refers to the others
 */

/** @param {unknown} value @returns {value is Error} */
export const isError = (value) => value instanceof Error || types.isNativeError(value);

/** Reads a property, which may be a getter that throws. @param {any} object @param {string} key @returns {unknown} */
function read(object, key) {
  try {
    return object[key];
  } catch {
    return undefined;
  }
}

/**
 * Describes an error, and those that it refers to by `cause`, `errors` or other properties.
 * @param {Error} error
 * @returns {Thrown} structured-clonable and of bounded size
 */
export function describeThrown(error) {
  let rest = MAX_BYTES;
  const numbers = new Map([[error, 0]]);
  /** @param {unknown} value @returns {string} */
  const text = (value) => {
    const cut = (typeof value === 'string' ? value : inspect(value)).slice(0, rest);
    rest -= cut.length;
    return cut;
  };
  /**
   * @param {unknown} value @param {boolean} [shows] whether what cannot be cloned becomes a text
   * @returns {Carried | undefined} undefined: it cannot be cloned, or is too large
   */
  const carry = (value, shows = false) => {
    if (isError(value)) {
      if (!numbers.has(value) && numbers.size === MAX_ERRORS) return undefined;
      if (!numbers.has(value)) numbers.set(value, numbers.size);
      return { error: /** @type {number} */ (numbers.get(value)) };
    }
    const bytes = bytesOf(value);
    if (bytes > rest) return shows ? { value: text(inspect(value)) } : undefined;
    rest -= bytes;
    return { value };
  };
  return { errors: Array.from(numbers.keys(), (each) => describe(each, text, carry)) };
}

/**
 * Describes one error.
 * @param {Error} error @param {(value: unknown) => string} text
 * @param {(value: unknown, shows?: boolean) => Carried | undefined} carry
 * @returns {Described}
 */
function describe(error, text, carry) {
  const name = text(read(error, 'name') ?? 'Error');
  const stack = read(error, 'stack');
  const known = Object.keys(CLASSES).find((each) => error instanceof CLASSES[each]);
  /** @type {Described} */
  const described = {
    class: known ?? (Object.hasOwn(CLASSES, name) ? name : 'Error'),
    name,
    message: text(read(error, 'message') ?? ''),
    stack: typeof stack === 'string' ? text(stack) : undefined,
    own: {},
  };
  if (Object.hasOwn(error, 'cause')) described.cause = carry(read(error, 'cause'), true);
  const errors = read(error, 'errors');
  const areErrors = Array.isArray(errors);
  if (areErrors) {
    described.errors = errors.slice(0, MAX_ERRORS).flatMap((each) => carry(each, true) ?? []);
  }
  const keys = Object.keys(error).filter(
    (key) => !KNOWN.has(key) && !(areErrors && key === 'errors'),
  );
  // The code of some classes is a getter. That of a DOMException follows from its name.
  if (described.class !== 'DOMException' && !keys.includes('code')) keys.push('code');
  for (const key of keys) {
    const value = read(error, key);
    const carried = value === undefined && key === 'code' ? undefined : carry(value);
    if (carried) described.own[key] = carried;
  }
  return described;
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
 * @returns {Error}
 */
export function restoreThrown(thrown) {
  const { errors } = Object(thrown);
  /** @type {Partial<Described>[]} */
  const described = Array.isArray(errors) ? errors.slice(0, MAX_ERRORS).map(Object) : [{}];
  const created = described.map(create);
  created.forEach((error, i) => fill(error, described[i], created));
  return created[0] ?? new Error();
}

/** @param {unknown} value @returns {string} */
const textOf = (value) => (typeof value === 'string' ? value : inspect(value));

/** @param {Partial<Described>} described @returns {Error} without its properties */
function create({ class: given, name, message }) {
  if (given === 'AggregateError') return new AggregateError([], textOf(message));
  if (given === 'DOMException') return new DOMException(textOf(message), textOf(name));
  return new (Object.hasOwn(CLASSES, String(given)) ? CLASSES[String(given)] : Error)(
    textOf(message),
  );
}

/**
 * Adds the properties of an error.
 * @param {Error} error @param {Partial<Described>} described @param {Error[]} created
 */
function fill(error, { name, stack, own, cause, errors }, created) {
  /** @param {string} key @param {unknown} value @param {boolean} [enumerable] */
  const define = (key, value, enumerable = false) =>
    Object.defineProperty(error, key, { value, enumerable, configurable: true, writable: true });
  /** @param {unknown} carried */
  const restore = (carried) => {
    const { error: number, value } = /** @type {any} */ (Object(carried));
    return number === undefined ? value : created[number];
  };
  if (typeof name === 'string' && error.name !== name) define('name', name);
  if (typeof stack === 'string') define('stack', stack);
  if (cause) define('cause', restore(cause));
  if (Array.isArray(errors)) {
    define('errors', errors.map(restore), !(error instanceof AggregateError));
  }
  for (const [key, carried] of Object.entries(Object(own))) {
    if (!KNOWN.has(key)) define(key, restore(carried), true);
  }
}
