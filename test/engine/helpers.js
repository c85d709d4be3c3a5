/** Helpers of the engines' tests. */
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ENGINES, createEngine } from '../../app/engine/index.js';
import { PitvError } from '../../app/errors.js';
import { silentLog } from '../../app/log.js';
import { extent } from '../support/extent.js';

export { sizes as countSizes } from './jobs/count.js';
export { until } from '../support/tv.js';

/** @typedef {import('../../app/engine/index.js').Engine} Engine */
/** @typedef {import('../../app/engine/index.js').EngineOptions} EngineOptions */
/** @typedef {import('node:test').TestContext} TestContext */

/**
 * The engines of tests of what all engines share: a process starts slowly, and `make test` tries it in engine.test.js
 * and kinds/.
 */
export const QUICK_ENGINES = extent(
  ENGINES.filter((name) => name !== 'process'),
  ENGINES,
);

/** @param {string} name of a file in jobs/ */
export const jobUrl = (name) => new URL(`./jobs/${name}.js`, import.meta.url);

/** A lock that lets workers read the jobs. */
export const lock = { readable: [fileURLToPath(new URL('./jobs', import.meta.url))] };

/** Makes a log that keeps its warnings. @returns {{log: any, warnings: string[], abouts: any[]}} abouts: objects */
export function recorder() {
  /** @type {string[]} */
  const warnings = [];
  /** @type {any[]} */
  const abouts = [];
  const warn = (/** @type {any} */ about, /** @type {string} */ text) => {
    abouts.push(about);
    warnings.push(text);
  };
  return { log: Object.assign(silentLog.child({}), { warn }), warnings, abouts };
}

/**
 * Waits for an engine, and skips the test when the engine does not work here.
 * @param {TestContext} t
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
 * @param {TestContext} t
 * @param {string} name
 * @param {EngineOptions} [options]
 * @returns {Promise<Engine | undefined>} undefined when it does not work here; the test is then skipped
 */
export async function engineFor(t, name, options) {
  const engine = await openOrSkip(t, createEngine(name, { log: silentLog, ...options }));
  t.after(() => engine?.close({ graceMs: 0 }));
  return engine;
}

/**
 * Makes a function like test(), whose tests share an engine. The workers of a test are ended after it, the engine after
 * the suite. The tests are skipped where the engine does not work.
 * @param {string} name of the engine
 * @param {EngineOptions} [options]
 * @returns {(title: string, run: (engine: Engine, t: TestContext) => unknown) => void}
 */
export function engineTests(name, options) {
  /** @type {Promise<Engine> | undefined} */
  let opening;
  after(async () => {
    const engine = await opening?.catch(() => undefined);
    await engine?.close({ graceMs: 0 });
  });
  return (title, run) =>
    void test(title, async (t) => {
      opening ??= createEngine(name, { log: silentLog, ...options });
      const engine = await openOrSkip(t, opening);
      if (!engine) return;
      t.after(() => Promise.all(engine.workers.map((each) => each.stop({ graceMs: 0 }))));
      await run(engine, t);
    });
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
