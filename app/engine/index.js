/**
 * Creates engines. A worker runs one job (a match) at a fixed rate beside the main thread; an engine runs workers as
 * threads, processes or forks. Each engine kind is one file in kinds/. All keep the same contract:
 *
 *   const engine = await createEngine('thread', { maxWorkers: 4 });
 *   const worker = await engine.start(moduleUrl, { name: 'bumper', sizes, options: { seed: 1 } });
 *   worker.mailbox.takeFrame();            // shared memory: no messages on the hot path
 *   worker.on('exit', ({ reason }) => {}); // done | stopped | crashed | hung | out-of-memory
 *   await worker.stop({ graceMs: 1000 });
 *   engine.freeMailbox(worker.mailbox);
 *   await engine.close();
 *
 * worker/run.js describes what a job module exports.
 */
import '../native/refuse-bundle.js';
import { readdirSync } from 'node:fs';
import { PitvError } from '../errors.js';
import { callable, checkValue } from '../options.js';
import { findBestEngine } from './host/best-engine.js';
import { checkEngineOptions } from './host/options.js';

export { PitvError } from '../errors.js';
export { Mailbox } from './mailbox/mailbox.js';

/** Contains one file per engine kind. */
const KINDS = new URL('kinds/', import.meta.url);

/** @typedef {import('./host/engine.js').Engine} Engine */
/** @typedef {import('./host/options.js').EngineOptions} EngineOptions */
/** @typedef {import('./host/options.js').StartOptions} StartOptions */
/** @typedef {import('./host/options.js').Log} Log */
/** @typedef {import('./host/handle.js').WorkerHandle} WorkerHandle */
/** @typedef {import('./host/handle.js').Exit} Exit */
/** @typedef {import('./host/launcher.js').WorkerStats} WorkerStats */
/** @typedef {import('./mailbox/mailbox.js').MailboxSizes} MailboxSizes */
/** @typedef {import('./worker/run.js').Job} Job */

/** Names of all engines in alphabetical order. A machine may not support all of them. */
export const ENGINES = Object.freeze(
  readdirSync(KINDS)
    .filter((name) => name.endsWith('.js'))
    .map((name) => name.slice(0, -'.js'.length))
    .sort(),
);

/**
 * Creates an engine.
 * @param {string} name one of ENGINES
 * @param {EngineOptions} [options]
 * @returns {Promise<Engine>}
 * @throws {PitvError} PITV_ENGINE_UNKNOWN; PITV_ENGINE_UNSUPPORTED when the engine does not work on this machine;
 *   PITV_OPTION_INVALID when an option is unknown or has a wrong value
 */
export async function createEngine(name, options = {}) {
  if (!ENGINES.includes(name)) {
    const sentence = `There is no engine "${name}". Choose one of: ${ENGINES.join(', ')}.`;
    throw new PitvError('PITV_ENGINE_UNKNOWN', sentence);
  }
  const checked = checkEngineOptions(options);
  const { open } = await import(new URL(`${name}.js`, KINDS).href);
  return open(checked);
}

/**
 * Creates the first engine of zygote, process and thread that runs a test job on this machine.
 * @param {(name: string) => EngineOptions} [optionsFor] returns the options of an engine
 * @returns {Promise<import('./host/best-engine.js').Choice>} the engine and the reason for the choice
 * @throws {PitvError} PITV_ENGINE_UNSUPPORTED when no engine works; PITV_OPTION_INVALID
 */
export async function createBestEngine(optionsFor = () => ({})) {
  checkValue('createBestEngine()', 'optionsFor', callable(), optionsFor);
  return findBestEngine((name) => createEngine(name, optionsFor(name)));
}
