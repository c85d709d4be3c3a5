/** The browsers of the scenario, without a GPU. */
import { existsSync } from 'node:fs';
import { PitvError } from '../../../app/errors.js';
import * as chromium from '../../browsers/devtools.js';
import * as webkit from '../../browsers/webkit.js';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/**
 * @typedef {{after: (action: () => unknown) => void}} Ends takes what ends the browser
 * @typedef {{width: number, height: number}} Size of the window, px
 * @typedef {import('../../browsers/scripted-page.js').ScriptedPage} ScriptedPage
 */

/** @param {string} sentence */
const unsupported = (sentence) => new PitvError('PITV_BENCH_UNSUPPORTED', sentence);

/**
 * Opens a page in Chromium.
 * @param {Ends} ends @param {string} url @param {Size} size
 * @param {string} [init] script that runs before the page's own
 * @param {number} [slowdown] of the page's main thread
 * @throws {PitvError} PITV_BENCH_UNSUPPORTED
 */
export async function openChromium(ends, url, size, init, slowdown = 1) {
  if (!existsSync(CHROMIUM)) throw unsupported(`There is no ${CHROMIUM}.`);
  const browser = await chromium.launch(ends, CHROMIUM);
  const page = await browser.open({ url: 'about:blank', ...size, init });
  await page.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.send('Page.navigate', { url });
  return page;
}

/**
 * Opens a page in WebKit.
 * @param {Ends} ends @param {string} url @param {Size} size @param {string} init
 * @throws {PitvError} PITV_BENCH_UNSUPPORTED
 */
async function openWebKit(ends, url, size, init) {
  const missing = webkit.whatIsMissing();
  if (missing) throw unsupported(missing);
  const browser = await webkit.launch(ends);
  const page = await browser.open({ url, ...size });
  await page.driver.evaluateText(`(function () { ${init} })()`);
  return page;
}

/**
 * Opens a page, by the variant.
 * @type {Record<string, (ends: Ends, url: string, size: Size, init: string) => Promise<ScriptedPage>>}
 */
export const BROWSERS = Object.freeze({
  Chromium: openChromium,
  'Chromium, 6 times slower': (...args) => openChromium(...args, 6),
  WebKit: openWebKit,
});
