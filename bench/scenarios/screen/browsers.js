/** The browsers of the scenario. */
import { existsSync } from 'node:fs';
import { PitvError } from '../../../app/errors.js';
import * as chromium from '../../browsers/devtools.js';
import * as webkit from '../../browsers/webkit.js';
import { CpuLimit, missingForCpuLimit } from '../../harness/cpu-limit.js';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** Four cores of a Pi 3 with an eighth of this machine's speed. */
const PI_3_CORES = 0.5;
export const SLOW_OPENGL = 'WebKit, half a core';
const SIZE = Object.freeze({ width: 1280, height: 720 });

/**
 * @typedef {{after: (action: () => unknown) => void}} Ends takes what ends the browser
 * @typedef {object} ScreenPage
 * @property {import('../../browsers/scripted-page.js').ScriptedPage} page
 * @property {() => Promise<number>} heapBytes collects garbage; NaN if the browser does not say
 */

/**
 * Opens a page in Chromium without a GPU.
 * @param {Ends} ends @param {string} url @param {string} init script that runs before the page's own
 * @param {number} slowdown of the page's main thread
 * @returns {Promise<ScreenPage>}
 * @throws {PitvError} PITV_BENCH_UNSUPPORTED
 */
async function openChromium(ends, url, init, slowdown) {
  if (!existsSync(CHROMIUM)) {
    throw new PitvError('PITV_BENCH_UNSUPPORTED', `There is no ${CHROMIUM}.`);
  }
  const browser = await chromium.launch(ends, CHROMIUM);
  const page = await browser.open({ url: 'about:blank', ...SIZE, init });
  await page.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.send('Performance.enable');
  await page.send('Page.navigate', { url });
  return {
    page,
    async heapBytes() {
      await page.send('HeapProfiler.collectGarbage');
      const { metrics } = await page.send('Performance.getMetrics');
      const named = (/** @type {{name: string}} */ { name }) => name === 'JSHeapUsedSize';
      return metrics.find(named).value;
    },
  };
}

/**
 * Opens a page in WebKit without a GPU.
 * @param {Ends} ends @param {string} url @param {string} init
 * @param {object} [how]
 * @param {number} [how.cores] what all threads of the browser get together; default: no limit
 * @param {boolean} [how.opengl] see launch()
 * @returns {Promise<ScreenPage>}
 * @throws {PitvError} PITV_BENCH_UNSUPPORTED
 */
async function openWebKit(ends, url, init, { cores, opengl } = {}) {
  const missing = webkit.whatIsMissing() ?? (cores && (await missingForCpuLimit()));
  if (missing) throw new PitvError('PITV_BENCH_UNSUPPORTED', missing);
  const limit = cores && new CpuLimit(cores);
  if (limit) ends.after(() => limit.close());
  const enter = limit ? limit.enter : [];
  const browser = await webkit.launch(ends, webkit.findMiniBrowser() ?? '', { enter, opengl });
  const page = await browser.open({ url, ...SIZE });
  await page.evaluateText(`(function () { ${init} })()`);
  return { page, heapBytes: async () => NaN };
}

/**
 * Opens a page, by the variant.
 * @type {Record<string, (ends: Ends, url: string, init: string) => Promise<ScreenPage>>}
 */
export const BROWSERS = Object.freeze({
  Chromium: (ends, url, init) => openChromium(ends, url, init, 1),
  'Chromium, 6 times slower': (ends, url, init) => openChromium(ends, url, init, 6),
  WebKit: (ends, url, init) => openWebKit(ends, url, init),
  [SLOW_OPENGL]: (ends, url, init) => openWebKit(ends, url, init, { cores: PI_3_CORES }),
  'WebKit without OpenGL, half a core': (ends, url, init) =>
    openWebKit(ends, url, init, { cores: PI_3_CORES, opengl: false }),
});
