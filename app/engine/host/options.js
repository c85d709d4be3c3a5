/** Defines and checks the options of engines and of their workers. */
import { totalmem } from 'node:os';
import {
  anything,
  boolean,
  callable,
  checkOptions,
  checkValue,
  integer,
  list,
  object,
  text,
  url,
} from '../../options.js';
import { Mailbox } from '../mailbox/mailbox.js';

const BYTES_PER_MB = 1024 * 1024;
const MAX_MODULES = 1024;
const DEFAULT_MEMORY_MB = Math.max(8, Math.min(256, Math.floor(totalmem() / BYTES_PER_MB / 4)));
/** Longest time that stop() may wait for a last checkpoint. */
const MAX_GRACE_MS = 600_000;

/** Paths that a locked worker may read. */
const MAX_READABLE = 32;

const ENGINE_FIELDS = {
  log: object(),
  maxWorkers: integer(1, 256, 64),
  readyTimeoutMs: integer(100, 600_000, 30_000),
  hangMs: integer(50, 60_000, 600),
  heapMb: integer(4, 16_384, 64),
  memoryMb: integer(8, 65_536, DEFAULT_MEMORY_MB),
  modules: list(url, 0, MAX_MODULES),
  thorough: boolean(false),
  spawn: callable(),
  rehearsal: object(),
  inspectDir: text(4096),
  strictFrames: boolean(),
  output: callable(),
};
const REHEARSAL_FIELDS = {
  ticks: integer(1, 1_000_000),
  options: object(),
  event: text(64),
};
const START_FIELDS = {
  name: text(64, 'worker'),
  sizes: object(),
  mailbox: object(Mailbox, 'a mailbox of this engine'),
  options: anything,
  tickHz: integer(1, 1000, 60),
  checkpointTicks: integer(1, 1_000_000, 15),
  niceness: integer(0, 19, 5),
  signal: object(AbortSignal),
  lock: object(),
};
const LOCK_FIELDS = { readable: list(text(4096), 0, MAX_READABLE), bestEffort: boolean() };
/** The sizes of a mailbox. mailbox/layout.js checks the ranges. */
export const SIZES_FIELDS = {
  inputSlots: anything,
  frameBytes: anything,
  checkpointBytes: anything,
  tickStats: anything,
};
const STOP_FIELDS = { graceMs: integer(0, MAX_GRACE_MS, 1000) };

/**
 * @typedef {object} Log pino's loggers and console have these methods
 * @property {(about: object, message: string) => void} info
 * @property {(about: object, message: string) => void} warn
 * @property {(about: object, message: string) => void} error
 *
 * @typedef {object} EngineOptions
 * @property {Log} [log] default: no log
 * @property {number} [maxWorkers] workers that may run at once, 1..256; default 64
 * @property {number} [readyTimeoutMs] longest start, 100..600,000; default 30,000
 * @property {number} [hangMs] a running worker whose tick counter does not change for this long after the time of a
 *   tick is killed; 50..60,000, default 600
 * @property {number} [heapMb] V8's old generation of one worker, 4..16,384; default 64
 * @property {number} [memoryMb] a worker that uses more memory than this is killed. Processes: USS; threads: heap and
 *   buffers, as the worker reports them. 8..65,536; default 256 or a quarter of the machine's memory, whichever is less
 * @property {(string | URL)[]} [modules] job modules that the zygote engine loads in advance. Their default export may
 *   have a warm() function
 * @property {boolean} [thorough] zygote engine: createEngine() resolves only after the rehearsals, which otherwise
 *   run while the first workers already start; default false
 * @property {(spawn: import('./process-worker.js').SpawnOptions, locked: boolean) =>
 *   import('./process-worker.js').SpawnOptions} [spawn] changes how processes are spawned; locked: those whose workers
 *   are locked
 * @property {import('../worker/run.js').Rehearsal} [rehearsal] runs in each worker before its job
 * @property {boolean} [strictFrames] a frame that is longer than the mailbox has room for ends the worker with an
 *   error. Otherwise it is cut and logged. Default: true if NODE_ENV is `development`, else false
 * @property {(name: string, text: string) => void} [output] is called with lines that a worker writes to stdout or
 *   stderr from JavaScript, at most some KiB a second. Default: unlocked workers write to those of this process, locked
 *   ones to the log
 * @property {string} [inspectDir] a directory with access for the owner only, in which workers receive requests for
 *   profiles (host/inspect-worker.js)
 *
 * @typedef {object} StartOptions
 * @property {string} [name] for logs and the process list, up to 64 characters; default 'worker'
 * @property {import('../mailbox/mailbox.js').MailboxSizes} [sizes] required without `mailbox`
 * @property {Mailbox} [mailbox] a mailbox of this engine whose worker has ended; the new worker resumes from the newest
 *   checkpoint
 * @property {unknown} [options] for the module's start(); structured-clonable
 * @property {number} [tickHz] 1..1000; default 60
 * @property {number} [checkpointTicks] ticks between two checkpoints, 1..1,000,000; default 15
 * @property {number} [niceness] 0..19; default 5. A locked worker has 5 more
 * @property {AbortSignal} [signal] kills the worker, even while it starts
 * @property {import('../lock.js').Lock} [lock] locks the worker before it loads its module. Engines whose
 *   workers are processes can do that
 *
 * @typedef {EngineOptions & Limits & {modules: string[], thorough: boolean, strictFrames: boolean}}
 *   CheckedEngineOptions
 * @typedef {Required<Pick<EngineOptions, 'maxWorkers' | 'readyTimeoutMs' | 'hangMs' | 'heapMb' | 'memoryMb'>>} Limits
 * @typedef {StartOptions & Required<Pick<StartOptions, 'name' | 'tickHz' | 'checkpointTicks' | 'niceness'>>}
 *   CheckedStartOptions
 */

/**
 * Checks an engine's options and fills in defaults.
 * @param {unknown} options
 * @returns {CheckedEngineOptions}
 * @throws {import('../../errors.js').PitvError} PITV_OPTION_INVALID
 */
export function checkEngineOptions(options) {
  const { modules = [], ...checked } = checkOptions('createEngine()', ENGINE_FIELDS, options);
  const { rehearsal } = checked;
  if (rehearsal) checkOptions('rehearsal of createEngine()', REHEARSAL_FIELDS, rehearsal);
  return {
    ...checked,
    modules: modules.map((/** @type {string | URL} */ module) => new URL(module).href),
    strictFrames: checked.strictFrames ?? process.env.NODE_ENV === 'development',
  };
}

/**
 * Checks the options of start() and fills in defaults.
 * @param {unknown} options
 * @returns {CheckedStartOptions}
 * @throws {import('../../errors.js').PitvError} PITV_OPTION_INVALID
 */
export function checkStartOptions(options) {
  const checked = checkOptions('start()', START_FIELDS, options);
  const { lock } = checked;
  if (lock) {
    checkOptions('lock of start()', LOCK_FIELDS, lock);
    checkValue('lock of start()', 'readable', LOCK_FIELDS.readable, lock.readable);
  }
  return checked;
}

/**
 * Checks the options of stop() or close() and fills in defaults.
 * @param {string} owner name of the function, for the message @param {unknown} options
 * @returns {{graceMs: number}}
 * @throws {import('../../errors.js').PitvError} PITV_OPTION_INVALID
 */
export const checkStopOptions = (owner, options) => checkOptions(owner, STOP_FIELDS, options);
