/**
 * Runs a TV with visitors. In each cycle phones, screens and scripts come and go and workers are killed; then all
 * visitors leave, and the TV is sampled at rest. Samples at rest do not depend on the visitors of the moment, so small
 * leaks show.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { BROWSERS } from '../../bench/scenarios/screen/browsers.js';
import { seededIndex } from '../../bench/stats/stats.js';
import { openScope } from '../support/polling.js';
import { TvUnderTest } from '../support/tv-under-test.js';
import { visit } from './actors.js';

const MAX_MATCHES = 6;
/** The default rest of a cycle, in which connections time out and a killed zygote is replaced. */
const REST_MS = 8000;

/**
 * @typedef {{atMs: number, rest: boolean, screenHeapKib?: number} & ReturnType<TvUnderTest['sample']>} Timed
 *   screenHeapKib: the JavaScript heap of a screen page after a collection of garbage; at rest only
 *
 * @typedef {object} SoakResult
 * @property {Timed[]} samples
 * @property {Record<string, number>} counts
 * @property {string[]} errors logged by the TV
 * @property {boolean} survived whether the first main process still runs
 */

/**
 * Runs a soak.
 * @param {object} options
 * @param {number} options.minutes
 * @param {number} options.seed
 * @param {string} [options.engine]
 * @param {number} [options.cycleMs] one cycle with its rest
 * @param {number} [options.restMs] the part of a cycle without visitors
 * @param {number} [options.sampleMs]
 * @param {boolean} [options.screen] whether a Chromium without a GPU shows the TV all the time, and its heap is sampled
 *   at rest
 * @param {AbortSignal} [options.signal] ends the run after the current cycle
 * @param {(sample: Timed) => void} [options.onSample]
 * @returns {Promise<SoakResult>}
 */
export async function soak({
  minutes,
  seed,
  engine = 'auto',
  cycleMs = 50_000,
  restMs = REST_MS,
  sampleMs = 5000,
  screen = false,
  signal: interrupted,
  onSample,
}) {
  const args = ['--engine', engine, '--max-matches', String(MAX_MATCHES)];
  const serve = new TvUnderTest({ args: [...args, '--checkpoint-seconds', '1'] });
  /** @type {SoakResult} */
  const result = { samples: [], counts: {}, errors: [], survived: false };
  const began = performance.now();
  const scope = openScope();
  /** @type {import('../../bench/scenarios/screen/browsers.js').ScreenPage | undefined} */
  let page;
  const sample = async (/** @type {boolean} */ rest) => {
    const atMs = performance.now() - began;
    const heap = page && rest && { screenHeapKib: (await page.heapBytes()) / 1024 };
    const taken = { atMs, rest, ...serve.sample(), ...heap };
    result.samples.push(taken);
    onSample?.(taken);
  };
  try {
    await serve.start();
    const { pid } = serve;
    if (screen) page = await BROWSERS.Chromium(scope, serve.url, '');
    const random = seededIndex(seed);
    const isOver = () => interrupted?.aborted || performance.now() - began >= minutes * 60_000;
    while (!isOver() && serve.running) {
      const timer = setInterval(() => void sample(false), sampleMs);
      const signal = AbortSignal.timeout(cycleMs - restMs);
      setMaxListeners(0, signal); // every pause of every visitor adds a listener
      await visit({ serve, random, signal, counts: result.counts }).finally(() =>
        clearInterval(timer),
      );
      await delay(restMs);
      await sample(true);
    }
    if (page && page.page.errors.length > 0) result.errors.push(...page.page.errors);
    result.survived = serve.running && serve.pid === pid;
    return result;
  } finally {
    await scope.close();
    result.errors.push(
      ...serve.errors.map(({ msg, error = '', problem = error }) =>
        problem ? `${msg}: ${problem}` : msg,
      ),
    );
    await serve.stop();
  }
}
