/**
 * A worker runs one job (a match) at a fixed rate beside the main thread. An engine is a way to run
 * workers. Each engine is one file in kinds/, and all keep the same contract:
 *
 *   const engine = await createEngine('thread', { maxWorkers: 4 });
 *   const worker = await engine.start(moduleUrl, { name: 'bumper', sizes, options: { seed: 1 } });
 *   worker.mailbox.takeFrame();           // shared memory; there are no messages on the hot path
 *   worker.on('exit', ({ reason }) => {}); // done | stopped | crashed | hung | out-of-memory
 *   await worker.stop({ graceMs: 1000 });
 *   engine.freeMailbox(worker.mailbox);
 *   await engine.close();
 *
 * worker/run.js describes what a job module exports.
 */
import { readdirSync } from 'node:fs';
import { PitvError } from '../errors.js';
import { callable, checkValue } from '../options.js';
import { findBestEngine } from './host/best-engine.js';
import { checkEngineOptions } from './host/options.js';

/** One file for each engine. */
const KINDS = new URL('kinds/', import.meta.url);

/** @typedef {import('./host/engine.js').Engine} Engine */
/** @typedef {import('./host/engine.js').EngineOptions} EngineOptions */
/** @typedef {import('./host/engine.js').StartOptions} StartOptions */
/** @typedef {import('./host/handle.js').WorkerHandle} WorkerHandle */
/** @typedef {import('./host/handle.js').Exit} Exit */
/** @typedef {import('./host/engine.js').WorkerStats} WorkerStats */

/** Names of the engines in alphabetical order. A machine need not support all of them. */
export const ENGINES = Object.freeze(
  readdirSync(KINDS)
    .filter((name) => name.endsWith('.js'))
    .map((name) => name.slice(0, -'.js'.length))
    .sort(),
);

/**
 * @param {string} name one of ENGINES
 * @param {EngineOptions} [options]
 * @returns {Promise<Engine>}
 * @throws {PitvError} PITV_ENGINE_UNKNOWN; PITV_ENGINE_UNSUPPORTED when this machine lacks what the
 *   engine needs; PITV_OPTION_INVALID when an option is unknown or not what it may be
 */
export async function createEngine(name, options = {}) {
  if (!ENGINES.includes(name)) {
    throw new PitvError(
      'PITV_ENGINE_UNKNOWN',
      `There is no engine "${name}". Choose one of: ${ENGINES.join(', ')}.`,
    );
  }
  const checked = checkEngineOptions(options);
  const { open } = await import(new URL(`${name}.js`, KINDS).href);
  return open(checked);
}

/**
 * The best engine that works here: zygote, or else process, or else thread. Each has to prove it with
 * a worker.
 * @param {(name: string) => EngineOptions} [optionsFor] gives each engine's options
 * @returns {Promise<import('./host/best-engine.js').Choice>} the engine, and why it is this one
 * @throws {PitvError} PITV_ENGINE_UNSUPPORTED when none works; PITV_OPTION_INVALID
 */
export async function createBestEngine(optionsFor = () => ({})) {
  checkValue('createBestEngine()', 'optionsFor', callable(), optionsFor);
  return findBestEngine((name) => createEngine(name, optionsFor(name)));
}
