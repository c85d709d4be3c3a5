/** The browsers of the scenario. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PitvError, messageOf } from '../../../app/errors.js';
import { readText } from '../../../app/process/process-tree.js';
import * as chromium from '../../browsers/devtools.js';
import * as webkit from '../../browsers/webkit.js';
import { poll } from '../../harness/polling.js';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** Four cores of a Pi 3 with an eighth of this machine's speed. */
const PI_3_CORES = 0.5;
const SIZE = Object.freeze({ width: 1280, height: 720 });
const GROUPS = '/sys/fs/cgroup';
const PERIOD_US = 20_000;
/** Children of a process that was killed end a moment later. */
const END_MS = 5000;
let groups = 0;

/**
 * @typedef {{after: (action: () => unknown) => void}} Ends takes what ends the browser
 * @typedef {{width: number, height: number}} Size px
 * @typedef {object} ScreenPage
 * @property {import('../../browsers/scripted-page.js').ScriptedPage} page
 * @property {() => Promise<number>} heapBytes collects garbage; NaN if the browser does not say
 */

/** @param {string} sentence */
const unsupported = (sentence) => new PitvError('PITV_BENCH_UNSUPPORTED', sentence);

/**
 * Limits the CPU time of a group of processes, by a control group of version 1 or 2. Needs root.
 * @param {number} cores such as 0.5
 * @returns {{enter: string[], close: () => Promise<void>}} enter: the command that starts a program in the group,
 *   before its own; close: removes the group, as soon as its processes have ended
 * @throws {PitvError} PITV_BENCH_UNSUPPORTED
 */
function limitCpu(cores) {
  if (process.getuid?.() !== 0) throw unsupported('limiting CPU time needs root');
  const isUnified = existsSync(join(GROUPS, 'cgroup.controllers'));
  const path = join(GROUPS, isUnified ? '' : 'cpu', `pitv-bench-${process.pid}-${groups++}`);
  const write = (/** @type {string} */ name, /** @type {string} */ value) =>
    writeFileSync(join(path, name), value);
  try {
    mkdirSync(path);
    const quota = String(Math.round(PERIOD_US * cores));
    if (isUnified) write('cpu.max', `${quota} ${PERIOD_US}`);
    else {
      write('cpu.cfs_period_us', String(PERIOD_US));
      write('cpu.cfs_quota_us', quota);
    }
  } catch (error) {
    if (existsSync(path)) rmdirSync(path);
    throw unsupported(`there is no control group for CPU time: ${messageOf(error)}`);
  }
  const close = async () => {
    await poll(() => readText(`${path}/cgroup.procs`) === '', END_MS);
    rmdirSync(path);
  };
  return { enter: ['sh', '-c', `echo $$ > ${path}/cgroup.procs && exec "$@"`, 'sh'], close };
}

/**
 * Opens a page in Chromium without a GPU.
 * @param {Ends} ends @param {string} url @param {string} init script that runs before the page's own
 * @param {number} slowdown of the page's main thread @param {Size} [size] of the window
 * @returns {Promise<ScreenPage>}
 * @throws {PitvError} PITV_BENCH_UNSUPPORTED
 */
async function openChromium(ends, url, init, slowdown, size = SIZE) {
  if (!existsSync(CHROMIUM)) throw unsupported(`There is no ${CHROMIUM}.`);
  const browser = await chromium.launch(ends, CHROMIUM);
  const page = await browser.open({ url: 'about:blank', ...size, init });
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
 * @param {Size} [how.size] of the window
 * @returns {Promise<ScreenPage>}
 * @throws {PitvError} PITV_BENCH_UNSUPPORTED
 */
async function openWebKit(ends, url, init, { cores, opengl, size = SIZE } = {}) {
  const missing = webkit.whatIsMissing();
  if (missing) throw unsupported(missing);
  const limit = cores ? limitCpu(cores) : undefined;
  if (limit) ends.after(limit.close);
  const how = { enter: limit?.enter, opengl };
  const browser = await webkit.launch(ends, webkit.findMiniBrowser() ?? '', how);
  const page = await browser.open({ url, ...size });
  await page.driver.evaluateText(`(function () { ${init} })()`);
  return { page, heapBytes: async () => NaN };
}

/**
 * Opens a page, by the variant.
 * @type {Record<string, (ends: Ends, url: string, init: string, size?: Size) => Promise<ScreenPage>>}
 */
export const BROWSERS = Object.freeze({
  Chromium: (ends, url, init, size) => openChromium(ends, url, init, 1, size),
  'Chromium, 6 times slower': (ends, url, init, size) => openChromium(ends, url, init, 6, size),
  WebKit: (ends, url, init, size) => openWebKit(ends, url, init, { size }),
  'WebKit, half a core': (ends, url, init) => openWebKit(ends, url, init, { cores: PI_3_CORES }),
  'WebKit without OpenGL, half a core': (ends, url, init) =>
    openWebKit(ends, url, init, { cores: PI_3_CORES, opengl: false }),
});
