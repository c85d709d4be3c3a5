/** Helpers of the engines' tests. */
import { after } from 'node:test';
import { ENGINES, createEngine } from '../../app/engine/index.js';
import { PitvError } from '../../app/errors.js';
import { sizes } from './jobs/count.js';

/** @typedef {import('../../app/engine/index.js').Engine} Engine */
/** @typedef {import('../../app/engine/index.js').EngineOptions} EngineOptions */

/** The engines that these tests are for: all files of app/engine/kinds/. */
export const ENGINES_UNDER_TEST = ENGINES;

/** @param {string} name of a file in jobs/ */
export const jobUrl = (name) => new URL(`./jobs/${name}.js`, import.meta.url);

export const countSizes = sizes;

const ignore = () => {};
/** @type {any} */
const silent = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

export { until } from '../support/tv.js';

/**
 * Waits for an engine, and skips the test when the engine does not work here.
 * @param {import('node:test').TestContext} t
 * @param {Promise<Engine>} opening
 * @returns {Promise<Engine | undefined>}
 */
async function openOrSkip(t, opening) {
  try {
    return await opening;
  } catch (error) {
    if (!(error instanceof PitvError && error.code === 'PITV_ENGINE_UNSUPPORTED')) throw error;
    t.skip(error.message);
    return undefined;
  }
}

/**
 * Opens an engine and closes it after the test.
 * @param {import('node:test').TestContext} t
 * @param {string} name
 * @param {EngineOptions} [options]
 * @returns {Promise<Engine | undefined>} undefined when it does not work here; the test is then skipped
 */
export async function engineFor(t, name, options) {
  const engine = await openOrSkip(t, createEngine(name, { log: silent, ...options }));
  t.after(() => engine?.close({ graceMs: 0 }));
  return engine;
}

/**
 * Shares engines between the tests of a suite, one for each set of options. A test's workers are ended after the
 * test, the engines after the suite. Call it in the suite's function.
 * @param {string} name of the engine
 * @returns {(t: import('node:test').TestContext, options?: EngineOptions) => Promise<Engine | undefined>} opens an
 *   engine as engineFor() does, or returns the one that an earlier test opened
 */
export function sharedEngines(name) {
  /** @type {Map<string, Promise<Engine>>} */
  const engines = new Map();
  after(async () => {
    const opened = await Promise.allSettled(engines.values());
    for (const each of opened) {
      if (each.status === 'fulfilled') await each.value.close({ graceMs: 0 });
    }
  });
  return async (t, options = {}) => {
    const key = JSON.stringify(options);
    const opening = engines.get(key) ?? createEngine(name, { log: silent, ...options });
    engines.set(key, opening);
    const engine = await openOrSkip(t, opening);
    t.after(() => Promise.all((engine?.workers ?? []).map((each) => each.stop({ graceMs: 0 }))));
    return engine;
  };
}

/**
 * @param {import('../../app/engine/index.js').WorkerHandle} worker
 * @returns {Promise<import('../../app/engine/index.js').Exit>}
 */
export const exitOf = (worker) => new Promise((resolve) => worker.once('exit', resolve));

/** @param {import('../../app/engine/mailbox/mailbox.js').Mailbox} mailbox @returns the count in its newest frame */
export function countIn(mailbox) {
  mailbox.takeFrame();
  const { bytes } = mailbox.lastFrame;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return bytes.length === 0 ? 0 : view.getUint32(0, true);
}
