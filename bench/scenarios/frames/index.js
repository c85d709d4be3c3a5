/**
 * Compares the pictures per second of the screen page, with a match of eight players, and of a page that calls
 * drawImage() as often as the screen page draws an image or a square, and does nothing else: on a canvas of the
 * window's size, and on one as small as the screen page has chosen for itself. Without a GPU; the TV, its match and the
 * browser share the machine.
 */
import { openScope } from '../../harness/polling.js';
import { startClients, startTv } from '../../harness/remote-tv.js';
import { BROWSERS } from './browsers.js';
import { countCalls, measurePictures, watching } from './pictures.js';

const GAMES = ['bumper', 'ducklings', 'kick-off', 'lanterns', 'rally', 'swarm'];
const PADS = 8;
/** Widths of the window, by its height. @type {Record<number, number>} */
const WIDTHS = { 720: 1280, 1080: 1920 };
const SETTLE_PLAIN_MS = 2000;

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

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'frames',
  title: 'Pictures of the screen page, against a page that only draws as many pictures',
  timeoutMs: 300_000,
  metrics: [
    { name: 'fps', unit: 'pictures/s', better: 'higher' },
    { name: 'plain_fps', unit: 'pictures/s', better: 'higher', compare: false },
    { name: 'ratio', unit: '', better: 'higher', compare: false },
    { name: 'same_fps', unit: 'pictures/s', better: 'higher', compare: false },
    { name: 'same_ratio', unit: '', better: 'higher', compare: false },
    { name: 'calls', unit: 'a picture', compare: false },
    { name: 'canvas', unit: 'lines', better: 'higher', compare: false },
  ],

  configurations: () =>
    Object.keys(BROWSERS).flatMap((variant) =>
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
    const browser = openScope();
    after(browser.close);
    const page = await BROWSERS[variant](browser, tv.url, size, watching());
    await page.visible(`[data-game=${level}]`);
    const counts = { screens: 0, pads: PADS, matches: 1, game: String(level) };
    after((await startClients(tv, counts)).stop);
    await page.visible('#stage');
    const drawn = await measurePictures(page, phases.settle, phases.measure);
    const { calls, area } = await countCalls(page);
    await browser.close();

    /** @param {number} lines of the canvas @returns {Promise<number>} pictures per second */
    const measurePlain = async (lines) => {
      const scale = lines / drawn.height;
      const side = Math.max(1, Math.round(Math.sqrt(area / calls) * scale));
      const url = plainPage(Math.round(drawn.width * scale), lines, Math.round(calls), side);
      const plain = openScope();
      after(plain.close);
      const second = await BROWSERS[variant](plain, url, size, watching());
      const { fps } = await measurePictures(second, SETTLE_PLAIN_MS, phases.plain);
      await plain.close();
      return fps;
    };
    const { fps, height: canvas } = drawn;
    const plain = await measurePlain(height);
    const same = canvas === height ? plain : await measurePlain(canvas);
    return {
      metrics: {
        fps,
        plain_fps: plain,
        ratio: fps / plain,
        same_fps: same,
        same_ratio: fps / same,
        calls,
        canvas,
      },
    };
  },

  notes: () => [
    'frames: eight players. calls counts the images and squares in a picture. plain_fps is that of a page with a canvas of the size of the window that draws as many images of the same mean size, and nothing else, while the TV and its match go on; same_fps is that of such a page whose canvas is as small as the one that the screen page has chosen, whose height is canvas. No page draws more than the display shows, 60.',
  ],
};
