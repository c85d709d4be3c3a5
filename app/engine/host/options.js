/** The options of engines and of their workers. */
import { totalmem } from 'node:os';
import { anything, boolean, callable, checkOptions, integer } from '../../options.js';
import { list, object, text, url } from '../../options.js';
import { Mailbox } from '../mailbox/mailbox.js';

const BYTES_PER_MB = 1024 * 1024;
const MAX_MODULES = 1024;
const DEFAULT_MEMORY_MB = Math.max(8, Math.min(256, Math.floor(totalmem() / BYTES_PER_MB / 4)));
/** A worker that is to write its last checkpoint may take this long. */
const MAX_GRACE_MS = 600_000;

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
};
/** Their ranges are mailbox/layout.js's. */
const SIZES_FIELDS = {
  inputSlots: anything,
  frameBytes: anything,
  checkpointBytes: anything,
  inputLogTicks: anything,
};
const STOP_FIELDS = { graceMs: integer(0, MAX_GRACE_MS, 1000) };

/**
 * @typedef {import('./engine.js').EngineOptions} EngineOptions
 * @typedef {import('./engine.js').StartOptions} StartOptions
 *
 * @typedef {EngineOptions & Limits & {modules: string[], thorough: boolean, strictFrames: boolean}} CheckedEngineOptions
 * @typedef {Required<Pick<EngineOptions, 'maxWorkers' | 'readyTimeoutMs' | 'hangMs' | 'heapMb' | 'memoryMb'>>} Limits
 * @typedef {StartOptions & Required<Pick<StartOptions, 'name' | 'tickHz' | 'checkpointTicks' | 'niceness'>>} CheckedStartOptions
 */

/**
 * @param {unknown} options
 * @returns {CheckedEngineOptions} all that has a default is filled in
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
 * @param {unknown} options
 * @returns {CheckedStartOptions}
 * @throws {import('../../errors.js').PitvError} PITV_OPTION_INVALID
 */
export const checkStartOptions = (options) => checkOptions('start()', START_FIELDS, options);

/**
 * @param {string} owner stop() or close() @param {unknown} options
 * @returns {{graceMs: number}}
 * @throws {import('../../errors.js').PitvError} PITV_OPTION_INVALID
 */
export const checkStopOptions = (owner, options) => checkOptions(owner, STOP_FIELDS, options);

/**
 * @param {unknown} sizes of a mailbox
 * @throws {import('../../errors.js').PitvError} PITV_OPTION_INVALID
 */
export const checkSizes = (sizes) => void checkOptions('sizes of a mailbox', SIZES_FIELDS, sizes);
