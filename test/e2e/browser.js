/** A real Chromium: screens, phone-sized pads with touch, and what is to be seen on the canvas. */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').Browser} Browser */
/** @typedef {{x: number, y: number}} Point */

export const OUTPUT = fileURLToPath(new URL('../output/', import.meta.url));

/** @param {import('node:test').TestContext} t */
export async function launchBrowser(t) {
  mkdirSync(OUTPUT, { recursive: true });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  t.after(() => browser.close());
  return browser;
}

/**
 * Fails the test on anything that a page throws, and on any request to another host.
 * @param {Page} page @param {string} url @param {string[]} problems
 */
function watch(page, url, problems) {
  page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) {
      problems.push(`asks another host: ${request.url()}`);
    }
  });
}

/**
 * @param {Browser} browser @param {string} url @param {string[]} problems
 * @param {{width: number, height: number}} viewport
 */
export async function openScreen(browser, url, problems, viewport = { width: 1280, height: 720 }) {
  const page = await browser.newPage({ viewport });
  watch(page, url, problems);
  await page.goto(url);
  await page.locator('#code').filter({ hasText: /\w/ }).waitFor();
  return page;
}

/**
 * A phone: joins with the code under a name.
 * @param {Browser} browser @param {string} url @param {string[]} problems
 * @param {{name: string, code: string, viewport: {width: number, height: number}}} player
 */
export async function openPad(browser, url, problems, { name, code, viewport }) {
  const context = await browser.newContext({ viewport, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  watch(page, url, problems);
  await page.goto(`${url}/p?c=${code}`);
  await page.locator('#join-name').fill(name);
  await page.locator('#join-form button[type=submit]').tap();
  await page.locator('#lobby').waitFor();
  return page;
}

/**
 * Puts a thumb onto the stick and pushes it; it stays there until release() is called.
 * @param {Page} pad @param {Point} direction unit vector
 */
export async function pushStick(pad, direction) {
  const box = await pad.locator('#stick').boundingBox();
  if (!box) throw new Error('the pad shows no stick');
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

/**
 * Where on the screen's canvas the most pixels have a colour's hue: the player's ball.
 * @param {Page} screen @param {string} color '#rrggbb'
 * @returns {Promise<Point | null>} in pixels of the canvas, and null when the hue is not to be seen
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
      const most = Math.max(r, g, b);
      const span = most - Math.min(r, g, b);
      if (most < 90 || span < most * 0.55) return -1;
      if (most === r) return ((g - b) / span + 6) % 6;
      return most === g ? (b - r) / span + 2 : (r - g) / span + 4;
    };
    const number = parseInt(hex.slice(1), 16);
    const wanted = hueOf(number >> 16, (number >> 8) & 255, number & 255);
    const size = 20;
    const cells = new Map();
    for (let y = 0; y < small.height; y++) {
      for (let x = 0; x < small.width; x++) {
        const i = (y * small.width + x) * 4;
        const hue = hueOf(data[i], data[i + 1], data[i + 2]);
        if (hue < 0 || Math.abs(hue - wanted) > 0.25) continue;
        const key = Math.floor(y / size) * 1000 + Math.floor(x / size);
        const cell = cells.get(key) ?? { n: 0, x: 0, y: 0 };
        cell.n++;
        cell.x += x;
        cell.y += y;
        cells.set(key, cell);
      }
    }
    // The ball may lie across cells: take the best one with its neighbours.
    let best = { n: 0, x: 0, y: 0 };
    for (const key of cells.keys()) {
      const sum = { n: 0, x: 0, y: 0 };
      for (const near of [-1001, -1000, -999, -1, 0, 1, 999, 1000, 1001]) {
        const cell = cells.get(key + near);
        if (!cell) continue;
        sum.n += cell.n;
        sum.x += cell.x;
        sum.y += cell.y;
      }
      if (sum.n > best.n) best = sum;
    }
    return best.n < 20 ? null : { x: best.x / best.n, y: best.y / best.n };
  }, color);
}
