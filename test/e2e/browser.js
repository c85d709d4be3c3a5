/** A real Chromium: screens, phone-sized pads with touch, and the colours on a canvas. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { loadCatalog } from '../../app/packages/catalog.js';
import { until as pollUntil } from '../support/tv.js';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').Browser} Browser */
/** @typedef {{x: number, y: number}} Point */

export const OUTPUT = fileURLToPath(new URL('../output/', import.meta.url));
export const PHONE = { width: 390, height: 844 };
/** A small screen takes less CPU time. */
export const SMALL_SCREEN = { width: 640, height: 360 };

/** The longest wait for a page, ms. Browsers of other tests may keep the cores busy. */
const TIMEOUT_MS = 90_000;

/** Texts may be this much larger than their place, because browsers round sizes, CSS pixels. */
const ROUNDING_PX = 1;

/** Errors of the pages that are watched, and requests to other hosts. @type {string[]} */
const problems = [];

/**
 * Launches a browser. After the test it is closed, and its pages must have had no problem.
 * @param {{after: (action: () => unknown) => void}} t
 * @param {string[]} [flags]
 */
export async function launchBrowser(t, flags = []) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--disable-gpu', '--disable-quic', ...flags],
  });
  browser.on('context', (context) => context.setDefaultTimeout(TIMEOUT_MS));
  t.after(async () => {
    await browser.close();
    assert.deepEqual(problems.splice(0), []);
  });
  return browser;
}

/**
 * Launches one browser for all tests of a file.
 * @param {string[]} [flags]
 * @returns {Promise<(t: {after: (action: () => unknown) => void}) => Browser>} resolves with a function that returns
 *   the browser in a test, after which all pages are closed: otherwise they would try to reach its TV, and draw, until
 *   the end of the file
 */
export async function shareBrowser(flags) {
  const browser = await launchBrowser({ after }, flags);
  return (t) => {
    t.after(() => Promise.all(browser.contexts().map((context) => context.close())));
    return browser;
  };
}

/** Loads the game Brief, which a press of A ends. */
export const loadBrief = () =>
  loadCatalog(fileURLToPath(new URL('games', import.meta.url)), undefined, 'open');

/** Runs in the page: whether a canvas has a picture, which has many colours. @param {string} selector */
export function isPainted(selector) {
  const canvas = document.querySelector(selector);
  const context = canvas instanceof HTMLCanvasElement ? canvas.getContext('2d') : null;
  if (!context || context.canvas.width === 0) return false;
  const { data } = context.getImageData(0, 0, context.canvas.width, context.canvas.height);
  return new Set(new Uint32Array(data.buffer)).size > 50;
}

/**
 * Saves a picture of a page or an element.
 * @param {Page | import('playwright-core').Locator} page @param {string} name of the file
 * @param {{fullPage?: boolean}} [options]
 */
export const savePicture = (page, name, options) =>
  page.screenshot({ path: join(OUTPUT, `${name}.png`), ...options });

/**
 * Polls a condition until its result is truthy, as long as a page may take.
 * @param {() => unknown} condition @param {string} what for the error
 */
export const until = (condition, what) => pollUntil(condition, what, TIMEOUT_MS);

/**
 * Presses A on a phone until something is visible: a game that still counts down does not notice a press.
 * @param {Page} pad @param {import('playwright-core').Locator} wanted
 */
export const pressUntil = (pad, wanted) =>
  until(async () => {
    await pad.keyboard.press('KeyJ'); // unlike the space bar, it presses no button of the page
    return wanted.isVisible();
  }, 'an effect of A');

/** Records the problems of a page. @param {Page} page @param {string} url of the TV */
export function watch(page, url) {
  const { origin } = new URL(url);
  page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url())) {
      problems.push(`requests another host: ${request.url()}`);
    }
  });
}

/** Opens a screen. @param {Browser} browser @param {string} url @param {{width: number, height: number}} viewport */
export async function openScreen(browser, url, viewport = { width: 1280, height: 720 }) {
  const page = await browser.newPage({ viewport });
  watch(page, url);
  await page.goto(url);
  await page.locator('#code').filter({ hasText: /\w/ }).waitFor();
  return page;
}

/**
 * Opens the admin page, sets a password with the token and logs in.
 * @param {Page} page @param {{url: string, adminToken: string}} tv @param {string} [password]
 */
export async function openAdmin(page, { url, adminToken }, password = 'correct horse') {
  watch(page, url);
  await page.goto(`${url}/admin`);
  await page.locator('#secret').fill(adminToken);
  for (const id of ['#new-password', '#again']) await page.locator(id).fill(password);
  await page.locator('#login-submit').click();
}

/**
 * Opens a pad on a phone and joins with the code.
 * @param {Browser} browser @param {{url: string, code: string}} tv
 * @param {string} name of the player @param {{width: number, height: number}} [viewport]
 */
export async function openPad(browser, { url, code }, name, viewport = PHONE) {
  const context = await browser.newContext({ viewport, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  watch(page, url);
  await page.goto(`${url}/p?c=${code}`);
  await page.locator('#join-name').fill(name);
  await page.locator('#join-form button[type=submit]').tap();
  await page.locator('#lobby').waitFor();
  return page;
}

/** Waits until an element is shown, and returns its box. @param {Page} page @param {string} selector */
export async function boxOf(page, selector) {
  await page.locator(selector).waitFor();
  return (await page.locator(selector).boundingBox()) ?? assert.fail(selector);
}

/** Pushes the stick with a thumb until release() is called. @param {Page} pad @param {Point} direction unit vector */
export async function pushStick(pad, direction) {
  const box = await boxOf(pad, '#stick');
  const touch = await pad.context().newCDPSession(pad);
  const x = box.x + box.width / 2;
  const y = box.y + box.height / 2;
  const reach = Math.min(box.width, box.height) / 2 - 2;
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
  await touch.send('Input.dispatchTouchEvent', {
    type: 'touchMove',
    touchPoints: [{ x: x + direction.x * reach, y: y + direction.y * reach }],
  });
  return async function release() {
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await touch.detach();
  };
}

/** Puts a finger on an element, near its corner, and leaves it there. @param {Page} page @param {string} selector */
export async function putFinger(page, selector) {
  const { x, y } = await boxOf(page, selector);
  const touch = await page.context().newCDPSession(page);
  const touchPoints = [{ x: x + 10, y: y + 10 }];
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
}

/** Runs in the page: whether something is cut off or scrolls sideways. */
export const isWide = () => document.documentElement.scrollWidth > innerWidth;

/** Checks that nothing of a page is cut off at the side. @param {Page} page */
export const checkWidth = async (page) => assert.equal(await page.evaluate(isWide), false);

/**
 * Finds the player's ball on the screen's canvas: the middle of the pixels of a hue, most of which are the ball's.
 * @param {Page} screen @param {string} color '#rrggbb'
 * @returns {Promise<Point | null>} in a picture of 640 x 360; null when the hue is not visible
 */
export function findColor(screen, color) {
  return screen.evaluate((hex) => {
    const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('game'));
    const small = document.createElement('canvas');
    small.width = 640;
    small.height = 360;
    const context = /** @type {CanvasRenderingContext2D} */ (small.getContext('2d'));
    context.drawImage(canvas, 0, 0, small.width, small.height);
    const { data } = context.getImageData(0, 0, small.width, small.height);
    /** @param {number} r @param {number} g @param {number} b */
    const hueOf = (r, g, b) => {
      const max = Math.max(r, g, b);
      const span = max - Math.min(r, g, b);
      if (max < 90 || span < max * 0.55) return -1;
      if (max === r) return ((g - b) / span + 6) % 6;
      return max === g ? (b - r) / span + 2 : (r - g) / span + 4;
    };
    const number = parseInt(hex.slice(1), 16);
    const wanted = hueOf(number >> 16, (number >> 8) & 255, number & 255);
    /** @type {number[]} */
    const found = [];
    for (let pixel = 0; 4 * pixel < data.length; pixel++) {
      const hue = hueOf(data[4 * pixel], data[4 * pixel + 1], data[4 * pixel + 2]);
      if (hue >= 0 && Math.abs(hue - wanted) <= 0.25) found.push(pixel);
    }
    if (found.length < 20) return null;
    const middle = Math.floor(found.length / 2);
    const columns = found.map((pixel) => pixel % small.width).sort((a, b) => a - b);
    return { x: columns[middle], y: Math.floor(found[middle] / small.width) };
  }, color);
}

/**
 * Lists the texts in a box that stick out of it, are cut off, or overlap each other.
 * @param {import('playwright-core').Page} page
 * @param {string} box selector
 * @param {string} texts selector of elements in the box; hidden and empty ones do not count
 * @returns {Promise<string[]>} one sentence for each
 */
export async function misfits(page, box, texts) {
  await page.evaluate(() => document.fonts.ready);
  return page.evaluate(findMisfits, { box, texts, rounding: ROUNDING_PX });
}

/** Runs in the page. @param {{box: string, texts: string, rounding: number}} where */
function findMisfits({ box, texts, rounding }) {
  const place = /** @type {Element} */ (document.querySelector(box));
  const outer = place.getBoundingClientRect();
  const shown = [...place.querySelectorAll(texts)]
    .filter((element) => element.textContent && element.getClientRects().length > 0)
    .map((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const { left, right } = range.getBoundingClientRect();
      const { top, bottom } = element.getBoundingClientRect();
      return { element, left, right, top, bottom, name: `“${element.textContent}”` };
    });
  /** @type {string[]} */
  const found = [];
  shown.forEach((text, i) => {
    const { left, right, top, bottom, name } = text;
    const above = Math.max(outer.left - left, outer.top - top);
    const below = Math.max(right - outer.right, bottom - outer.bottom);
    if (Math.max(above, below) > rounding) found.push(`${name} sticks out of ${box}`);
    for (let one = text.element; ; one = /** @type {Element} */ (one.parentElement)) {
      const width = one.scrollWidth - one.clientWidth;
      const height = one.scrollHeight - one.clientHeight;
      if (getComputedStyle(one).overflow !== 'visible' && Math.max(width, height) > rounding) {
        found.push(`${name} is cut off by ${one.id || one.className}`);
      }
      if (one === place) break;
    }
    for (const other of shown.slice(i + 1)) {
      const across = Math.min(right, other.right) - Math.max(left, other.left);
      const down = Math.min(bottom, other.bottom) - Math.max(top, other.top);
      if (Math.min(across, down) > rounding) found.push(`${name} overlaps ${other.name}`);
    }
  });
  return found;
}
