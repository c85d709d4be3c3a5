/** What the engines' tests share. */
import { createEngine } from '../../app/engine/index.js';
import { PitvError } from '../../app/errors.js';
import { sizes } from './jobs/count.js';

/** The engines these tests are for. */
export const ENGINES_UNDER_TEST = ['thread', 'process', 'zygote'];

/** @param {string} name of a file in jobs/ */
export const jobUrl = (name) => new URL(`./jobs/${name}.js`, import.meta.url);

export const countSizes = sizes;

const ignore = () => {};
/** @type {any} */
const silent = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

const POLL_MS = 2;
const PATIENCE_MS = 20_000;

/**
 * Waits for a counter or a state. The time is only there so that a test that fails ends.
 * @param {() => unknown} condition @param {string} what
 */
export async function until(condition, what) {
  const deadline = performance.now() + PATIENCE_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * An engine that is closed when the test ends, or undefined and the test skipped where it can't work.
 * @param {import('node:test').TestContext} t
 * @param {string} name
 * @param {import('../../app/engine/index.js').EngineOptions} [options]
 */
export async function engineFor(t, name, options) {
  try {
    const engine = await createEngine(name, { log: silent, ...options });
    t.after(() => engine.close({ graceMs: 0 }));
    return engine;
  } catch (error) {
    if (error instanceof PitvError && error.code === 'PITV_ENGINE_UNSUPPORTED') {
      t.skip(error.message);
      return undefined;
    }
    throw error;
  }
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
