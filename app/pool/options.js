/** Defines and checks the options of a pool and of its tasks. */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import {
  anyText,
  anything,
  boolean,
  callable,
  checkOptions,
  integer,
  list,
  number,
  object,
  oneOf,
  text,
} from '../options.js';
import { PitvError } from '../errors.js';
import { FixedQueue } from './task-queue.js';

const MAX_THREADS = 256;
const MAX_MS = 2 ** 31 - 1;
const MAX_CONCURRENCY = 1024;
const MAX_RETRIES = 100;
const DEFAULT_CLOSE_MS = 30_000;
const MAX_NICE = 39;
/** Threads per core when more tasks wait than threads run, as in piscina. */
const THREADS_PER_CORE = 1.5;

/** @typedef {import('../options.js').Field} Field */

/** @param {Field} field @returns {Field} */
const orNull = (field) => ({
  ...field,
  allowed: `${field.allowed}, or null`,
  accepts: (value) => value === null || field.accepts(value),
});
/** @param {string} allowed @param {(value: any) => boolean} accepts @returns {Field} */
const field = (allowed, accepts) => ({ allowed, accepts });
const filename = field('an absolute path or a file: URL', (value) => {
  if (typeof value !== 'string' && !(value instanceof URL)) return false;
  try {
    return value instanceof URL ? fileURLToPath(value) !== '' : pathOf(value) !== '';
  } catch {
    return false; // for example, it has a host
  }
});
/** @param {string[]} methods @returns {(value: any) => boolean} */
const has = (methods) => (value) => methods.every((name) => typeof value?.[name] === 'function');
const signal = field(
  'an AbortSignal or an event emitter',
  (value) =>
    has(['addEventListener', 'removeEventListener'])(value) ||
    has(['once', 'removeListener'])(value),
);
const count = (/** @type {number} */ max) =>
  field(
    `a number from 0 to ${max}, or Infinity`,
    (value) => value === Infinity || (value >= 0 && value <= max && typeof value === 'number'),
  );

const POOL_FIELDS = {
  engine: oneOf(['thread', 'process', 'zygote']),
  filename: orNull(filename),
  name: orNull(text(1024)),
  minThreads: number(0, MAX_THREADS), // half of an odd number of cores
  maxThreads: number(1, MAX_THREADS),
  idleTimeout: { ...count(MAX_MS), fallback: 0 },
  maxQueue: field(
    `a number, Infinity or 'auto'`,
    (value) => value === 'auto' || (typeof value === 'number' && value >= 0),
  ),
  concurrentTasksPerWorker: integer(1, MAX_CONCURRENCY, 1),
  atomics: orNull(oneOf(['sync', 'async', 'disabled'])),
  resourceLimits: object(),
  argv: orNull(list(anything, 0, 1024)),
  execArgv: orNull(list(anyText(1 << 20), 0, 1024)),
  env: anything,
  workerData: anything,
  taskQueue: field(
    'an object with size, shift(), remove() and push()',
    (value) => has(['shift', 'remove', 'push'])(value) && 'size' in Object(value),
  ),
  niceIncrement: integer(0, MAX_NICE, 0),
  trackUnmanagedFds: boolean(true),
  closeTimeout: { ...count(MAX_MS), fallback: DEFAULT_CLOSE_MS },
  recordTiming: boolean(true),
  workerHistogram: boolean(false),
  stricterFIFO: boolean(true),
  loadBalancer: callable(),
  taskTimeoutMs: integer(1, MAX_MS),
  memoryMb: integer(8, 65_536),
  retries: integer(0, MAX_RETRIES, 0),
  locked: boolean(false),
  readable: list(text(4096), 0, 31),
  addon: boolean(true),
};

const RUN_FIELDS = {
  transferList: list(anything, 0, 2 ** 32 - 1),
  filename: orNull(filename),
  name: orNull(text(1024)),
  signal: orNull(signal),
  taskTimeoutMs: integer(1, MAX_MS),
  retries: integer(0, MAX_RETRIES),
};
const CLOSE_FIELDS = { force: boolean(false) };

/**
 * @typedef {import('./types.js').PoolOptions} PoolOptions
 * @typedef {import('./types.js').RunOptions} RunOptions
 * @typedef {import('./types.js').CheckedPoolOptions} CheckedPoolOptions
 */

/** @param {string | URL | null | undefined} name @returns {string | null} a path */
export function pathOf(name) {
  if (!name) return null; // as in piscina, also an empty one
  const given = String(name);
  return given.startsWith('file:') ? fileURLToPath(given) : given;
}

/**
 * Copies options. A missing one is undefined, whatever Object.prototype has. V8 would keep an object that is created
 * without a prototype as a hash table, which takes longer to read.
 * @template {object} T @param {T} options @returns {T}
 */
const withoutPrototype = (options) => Object.setPrototypeOf({ ...options }, null);

/**
 * Returns the options that an object itself has. Those of its prototype do not count, as in piscina.
 * @param {unknown} given
 */
const ownOf = (given) =>
  typeof given === 'object' && given !== null && !Array.isArray(given)
    ? withoutPrototype(given)
    : given;

/**
 * Checks the options of a pool and fills in defaults.
 * @param {unknown} given
 * @returns {CheckedPoolOptions}
 * @throws {PitvError} PITV_OPTION_INVALID
 */
export function checkPoolOptions(given) {
  const options = withoutPrototype(checkOptions('new Pool()', POOL_FIELDS, ownOf(given)));
  const cores = availableParallelism();
  const { minThreads, maxThreads, maxQueue = Infinity, engine = 'thread', locked } = options;
  if (minThreads > maxThreads) {
    const sentence = 'new Pool(): minThreads must not be larger than maxThreads.';
    throw new PitvError('PITV_OPTION_INVALID', sentence, { details: { option: 'minThreads' } });
  }
  if (locked && engine === 'thread') {
    const sentence = `new Pool(): locked needs the engine 'process' or 'zygote': a thread cannot be locked.`;
    throw new PitvError('PITV_LOCK_UNSUPPORTED', sentence);
  }
  const most = maxThreads ?? Math.max(Math.floor(cores * THREADS_PER_CORE), minThreads ?? 1);
  return withoutPrototype({
    ...options,
    engine,
    filename: pathOf(options.filename),
    name: options.name ?? 'default',
    maxThreads: most,
    minThreads: minThreads ?? Math.min(Math.max(Math.floor(cores / 2), 1), most),
    maxQueue: maxQueue === 'auto' ? most ** 2 : maxQueue,
    atomics: options.atomics ?? 'sync',
    taskQueue: options.taskQueue ?? new FixedQueue(),
    readable: options.readable ?? [],
  });
}

/** The options of most calls of run(). */
const NO_OPTIONS = Object.freeze(withoutPrototype({}));

/** Checks the options of run(). @param {unknown} given @returns {RunOptions} @throws {PitvError} PITV_OPTION_INVALID */
export const checkRunOptions = (given) =>
  given === undefined
    ? NO_OPTIONS
    : withoutPrototype(checkOptions('run()', RUN_FIELDS, ownOf(given)));

/** Checks the options of close(). @param {unknown} given @returns {{force: boolean}} */
export const checkCloseOptions = (given) => checkOptions('close()', CLOSE_FIELDS, given);
