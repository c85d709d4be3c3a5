/**
 * Compares the pictures that the screen page draws of a match of eight players with those of a page that draws as many
 * pictures of the same size with drawImage() and nothing else, on a canvas of the same size. Without a GPU; the TV, its
 * match and the browser share the machine.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startClients, startTv } from '../../harness/remote-tv.js';
import { BROWSERS } from '../screen/browsers.js';

const GAMES = ['bumper', 'kick-off', 'swarm'];
const PADS = 8;
/** Widths of the window, by its height. @type {Record<number, number>} */
const WIDTHS = { 720: 1280, 1080: 1920 };
const SETTLE_PLAIN_MS = 2000;

/**
 * @typedef {object} Drawn
 * @property {number} frames @property {number} ms in which they were drawn
 * @property {number} calls of drawImage() @property {number} area of these, px of the canvas
 */

/** Runs in the page: counts its pictures, and the calls of drawImage(). */
function watchPage() {
  /** @type {Drawn} */
  const drawn = { frames: 0, ms: 0, calls: 0, area: 0 };
  Reflect.set(globalThis, 'drawn', drawn);
  const { prototype } = CanvasRenderingContext2D;
  const { drawImage } = prototype;
  prototype.drawImage = function count(/** @type {any[]} */ ...args) {
    drawn.calls++;
    const [image] = args;
    const [width, height] = args.length > 3 ? args.slice(-2) : [image.width, image.height];
    const { a, b, c, d } = this.getTransform();
    drawn.area += Math.abs(width * height * (a * d - b * c));
    return Reflect.apply(drawImage, this, args);
  };
  let last = 0;
  requestAnimationFrame(function look(now) {
    requestAnimationFrame(look);
    if (last > 0) drawn.ms += now - last;
    if (last > 0) drawn.frames++;
    last = now;
  });
}

/** Runs in the page: returns what it has drawn since the last call, and the size of its canvas. */
function takeDrawn() {
  const canvas = document.querySelector('canvas#game');
  const { width, height } = /** @type {HTMLCanvasElement} */ (canvas);
  const drawn = Reflect.get(globalThis, 'drawn');
  const taken = { ...drawn, width, height };
  Object.assign(drawn, { frames: 0, ms: 0, calls: 0, area: 0 });
  return taken;
}

/**
 * Returns the address of the page that only draws pictures.
 * @param {number} width of the canvas @param {number} height
 * @param {number} calls of drawImage() in a frame @param {number} side of their pictures, px
 */
const plainPage = (width, height, calls, side) =>
  `data:text/html,${encodeURIComponent(`<!doctype html>
<style>canvas { position: fixed; top: 0; left: 0; width: 100%; height: 100% }</style>
<canvas id="game" width="${width}" height="${height}"></canvas>
<script>
  const context = document.getElementById('game').getContext('2d', { alpha: false });
  const sprite = document.createElement('canvas');
  sprite.width = sprite.height = ${side};
  const paint = sprite.getContext('2d');
  paint.fillStyle = '#f80a';
  paint.arc(${side / 2}, ${side / 2}, ${side / 2}, 0, 7);
  paint.fill();
  let n = 0;
  requestAnimationFrame(function draw() {
    requestAnimationFrame(draw);
    context.fillStyle = '#0b1020';
    context.fillRect(0, 0, ${width}, ${height});
    n++;
    for (let i = 0; i < ${calls}; i++) {
      const x = (i * 61 + n * 3) % ${Math.max(1, width - side)};
      const y = (i * 37 + n * 2) % ${Math.max(1, height - side)};
      context.drawImage(sprite, x, y);
    }
  });
</script>`)}`;

const fpsOf = (/** @type {Drawn} */ { frames, ms }) => (1000 * frames) / ms;

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'frames',
  title: 'Pictures of the screen page, against a page that only draws as many pictures',
  measures: ['app/web/screen', 'app/web/lib'],
  timeoutMs: 300_000,
  metrics: [
    { name: 'fps', unit: 'pictures/s', better: 'higher' },
    { name: 'plain_fps', unit: 'pictures/s', compare: false },
    { name: 'ratio', unit: '', better: 'higher', compare: false },
    { name: 'calls', unit: 'a picture', compare: false },
    { name: 'canvas', unit: 'lines', compare: false },
  ],

  configurations: () =>
    ['Chromium', 'Chromium, 6 times slower', 'WebKit'].flatMap((variant) =>
      GAMES.flatMap((level) => Object.keys(WIDTHS).map((n) => ({ variant, level, n: Number(n) }))),
    ),

  // settle: until the governor has chosen detail and resolution, and Swarm's first wave is complete
  phases: { settle: [11_000, 8000], measure: [12_000, 6000], plain: [12_000, 6000] },

  async sample({ variant, level, n }, { phases, after }) {
    const height = Number(n);
    const size = { width: WIDTHS[height], height };
    const flags = ['--untrusted-games', 'open'];
    const tv = await startTv({ engine: 'process', matches: 1, isBundled: true, flags });
    after(tv.stop);
    /** @type {(() => unknown)[]} */
    const ends = [];
    const close = async () => {
      for (const end of ends.splice(0)) await end();
    };
    after(close);
    const browser = { after: (/** @type {() => unknown} */ end) => ends.unshift(end) };
    const watched = await BROWSERS[variant](browser, tv.url, `(${watchPage})()`, size);
    await watched.page.visible(`[data-game=${level}]`);
    const counts = { screens: 0, pads: PADS, matches: 1, game: String(level) };
    after((await startClients(tv, counts)).stop);
    await watched.page.visible('#stage');
    await sleep(phases.settle);
    await watched.page.evaluate(takeDrawn);
    await sleep(phases.measure);
    const drawn = await watched.page.evaluate(takeDrawn);
    if (watched.page.errors.length > 0) throw new Error(watched.page.errors.join('; '));
    await close();

    const calls = Math.round(drawn.calls / drawn.frames);
    const side = Math.round(Math.sqrt(drawn.area / drawn.calls));
    const url = plainPage(drawn.width, drawn.height, calls, side);
    const { page } = await BROWSERS[variant](browser, url, `(${watchPage})()`, size);
    await sleep(SETTLE_PLAIN_MS);
    await page.evaluate(takeDrawn);
    await sleep(phases.plain);
    const plain = await page.evaluate(takeDrawn);
    const [fps, plainFps] = [fpsOf(drawn), fpsOf(plain)];
    const metrics = { fps, plain_fps: plainFps, ratio: fps / plainFps, calls };
    return { metrics: { ...metrics, canvas: drawn.height } };
  },

  notes: () => [
    'frames: eight players. plain_fps is that of a page whose canvas is as large and which draws as many pictures of the same mean size, and nothing else, while the TV and its match go on; canvas is the height that the screen page has chosen for its own. Both stand still at the rate of the display, 60.',
  ],
};
