/** Counts the pictures that a page draws. */
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * @typedef {object} Seen by the page since the last call of takeSeen()
 * @property {number[]} gapsMs between pictures
 * @property {number} width of the canvas @property {number} height
 */

/** Makes the script that counts. It runs before those of the page. */
export const watching = () => `(${watchPage})()`;

/** Runs in the page. */
function watchPage() {
  /** @type {Pick<Seen, 'gapsMs'>} */
  const seen = { gapsMs: [] };
  Reflect.set(globalThis, 'seen', seen);
  let last = 0;
  requestAnimationFrame(function look(now) {
    requestAnimationFrame(look);
    if (last > 0) seen.gapsMs.push(now - last);
    last = now;
  });
}

/** Runs in the page. @returns {Seen} */
function takeSeen() {
  /** @type {Partial<HTMLCanvasElement>} */
  const { width = 0, height = 0 } = document.querySelector('canvas#game') || {};
  const seen = Reflect.get(globalThis, 'seen');
  const taken = { ...seen, width, height };
  seen.gapsMs = [];
  return taken;
}

/**
 * Measures pictures.
 * @param {import('../../browsers/scripted-page.js').ScriptedPage} page @param {number} settleMs time before
 * @param {number} measureMs
 * @returns {Promise<Seen & {fps: number}>}
 * @throws {Error} if the page had errors
 */
export async function measurePictures(page, settleMs, measureMs) {
  await sleep(settleMs);
  await page.evaluate(takeSeen);
  await sleep(measureMs);
  const seen = await page.evaluate(takeSeen);
  if (page.errors.length > 0) throw new Error(page.errors.join('; '));
  const { gapsMs } = seen;
  return { ...seen, fps: (1000 * gapsMs.length) / gapsMs.reduce((sum, gap) => sum + gap, 0) };
}

/**
 * Counts what the page draws: the calls of drawImage() and fillRect(), which are slower meanwhile.
 * @param {import('../../browsers/scripted-page.js').ScriptedPage} page
 * @returns {Promise<{calls: number, area: number}>} in one picture; area: of all calls, px of the canvas
 */
export const countCalls = (page) =>
  page.evaluate(async () => {
    const PICTURES = 60;
    const counted = { calls: 0, area: 0 };
    const { prototype } = CanvasRenderingContext2D;
    const { drawImage, fillRect } = prototype;
    const count = (
      /** @type {CanvasRenderingContext2D} */ context,
      /** @type {number} */ width,
      /** @type {number} */ height,
    ) => {
      const { a, b, c, d } = context.getTransform();
      counted.calls += 1 / PICTURES;
      counted.area += Math.abs(width * height * (a * d - b * c)) / PICTURES;
    };
    prototype.drawImage = function draw(/** @type {any[]} */ ...args) {
      const [width, height] = args.length > 3 ? args.slice(-2) : [args[0].width, args[0].height];
      count(this, width, height);
      return Reflect.apply(drawImage, this, args);
    };
    prototype.fillRect = function fill(x, y, width, height) {
      count(this, width, height);
      fillRect.call(this, x, y, width, height);
    };
    for (let i = 0; i < PICTURES; i++) await new Promise(requestAnimationFrame);
    Object.assign(prototype, { drawImage, fillRect });
    return counted;
  });
