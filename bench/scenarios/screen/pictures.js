/** Counts the pictures that a page draws. */
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * @typedef {object} Seen by the page since the last call of takeSeen()
 * @property {number[]} gapsMs between pictures
 * @property {number} lobbyMs when the code and the first picture of a game were shown, ms after the navigation; or 0
 * @property {number} calls of drawImage() @property {number} area of these, px of the canvas
 * @property {number} width of the canvas @property {number} height
 */

/**
 * Makes the script that counts. It runs before those of the page.
 * @param {boolean} [countsImages] whether it counts the calls of drawImage(), which slows the page down
 */
export const watching = (countsImages = false) => `(${watchPage})(${countsImages})`;

/** Runs in the page. @param {boolean} countsImages */
function watchPage(countsImages) {
  /** @type {Omit<Seen, 'width' | 'height'>} */
  const seen = { gapsMs: [], lobbyMs: 0, calls: 0, area: 0 };
  Reflect.set(globalThis, 'seen', seen);
  let last = 0;
  requestAnimationFrame(function look(now) {
    requestAnimationFrame(look);
    if (!seen.lobbyMs && isLobbyShown()) seen.lobbyMs = performance.now();
    if (last > 0) seen.gapsMs.push(now - last);
    last = now;
  });
  function isLobbyShown() {
    const code = document.querySelector('#lobby #code');
    const hasGames = document.querySelector('#game-list canvas[data-drawn]') !== null;
    return hasGames && code && code.textContent;
  }
  if (!countsImages) return;
  const { prototype } = CanvasRenderingContext2D;
  const { drawImage } = prototype;
  prototype.drawImage = function count(/** @type {any[]} */ ...args) {
    seen.calls++;
    const [image] = args;
    const [width, height] = args.length > 3 ? args.slice(-2) : [image.width, image.height];
    const { a, b, c, d } = this.getTransform();
    seen.area += Math.abs(width * height * (a * d - b * c));
    return Reflect.apply(drawImage, this, args);
  };
}

/** Runs in the page. @returns {Seen} */
function takeSeen() {
  /** @type {Partial<HTMLCanvasElement>} */
  const { width = 0, height = 0 } = document.querySelector('canvas#game') || {};
  const seen = Reflect.get(globalThis, 'seen');
  const taken = { ...seen, width, height };
  Object.assign(seen, { gapsMs: [], calls: 0, area: 0 });
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
