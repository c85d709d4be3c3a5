/**
 * Measures the screen page on weak TVs: a Chromium without a GPU, also with its main thread slowed down, and a WebKit
 * without a GPU, at 1280x720. The TV, its match and the browser share the machine.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from 'simple-statistics';
import { startClients, startMatch, startTv } from '../../harness/remote-tv.js';
import { BROWSERS, SLOW_OPENGL } from './browsers.js';

/** Bodies of `collide`. */
const BODIES = [60, 1000];
const SWARM = 'swarm';
const EMPTY = 'empty canvas';
/** A page that only fills a canvas, as large as a match's with the lowest resolution. */
const EMPTY_PAGE = `data:text/html,${encodeURIComponent(`<!doctype html>
<style>canvas { position: fixed; top: 0; left: 0; width: 100%; height: 100% }</style>
<canvas width="640" height="360"></canvas>
<script>
  const context = document.querySelector('canvas').getContext('2d', { alpha: false });
  let n = 0;
  requestAnimationFrame(function draw() {
    requestAnimationFrame(draw);
    context.fillStyle = n++ % 2 ? 'navy' : 'black';
    context.fillRect(0, 0, 640, 360);
  });
</script>`)}`;
const PADS = 4;
/** Until a page that does not choose its detail draws evenly. */
const SETTLE_EMPTY_MS = 8000;
const MS_PER_MINUTE = 60_000;
const BYTES_PER_MB = 1e6;

/** Runs in the page: records when the lobby is complete, and then the time between pictures. */
function watchPage() {
  /** @type {{lobbyMs: number, gapsMs: number[]}} */
  const seen = { lobbyMs: 0, gapsMs: [] };
  Reflect.set(globalThis, 'seen', seen);
  let last = 0;
  const look = (/** @type {number} */ now) => {
    const code = document.querySelector('#lobby #code');
    const hasGames = document.querySelector('#game-list canvas[data-drawn]') !== null;
    if (!seen.lobbyMs && hasGames && code && code.textContent) seen.lobbyMs = performance.now();
    if (last > 0) seen.gapsMs.push(now - last);
    last = now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** Runs in the page: returns the time between the pictures since the last call. @returns {number[]} ms */
const takeGaps = () => Reflect.get(globalThis, 'seen').gapsMs.splice(0);

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'screen',
  title: 'The screen page on weak TVs, at 1280x720',
  measures: ['app/web/screen', 'app/web/lib', 'app/game'],
  reference: 'Chromium',
  timeoutMs: 300_000,
  metrics: [
    { name: 'fps', unit: 'pictures/s', better: 'higher' },
    { name: 'gap_p99', unit: 'ms' },
    { name: 'lobby', unit: 'ms' },
    { name: 'heap', unit: 'MB', compare: false },
    { name: 'heap_growth', unit: 'MB/min', compare: false },
  ],

  configurations: () =>
    Object.keys(BROWSERS).flatMap((variant) => [
      ...BODIES.map((n) => ({ variant, level: 'collide', n })),
      { variant, level: SWARM },
      ...(variant === SLOW_OPENGL ? [{ variant, level: EMPTY }] : []),
    ]),

  // settle: until the governor has chosen detail and resolution, and Swarm's first wave is complete
  phases: { settle: [11_000, 8000], measure: [12_000, 6000] },

  async sample({ variant, level, n }, { phases, after }) {
    const open = (/** @type {string} */ url) =>
      BROWSERS[variant]({ after }, url, `(${watchPage})()`);
    if (level === EMPTY) {
      const { page } = await open(EMPTY_PAGE);
      await sleep(SETTLE_EMPTY_MS);
      return { metrics: await measurePictures(page, phases.measure) };
    }
    const tv = await startTv({ engine: 'process', matches: 1 });
    after(tv.stop);
    const { page, heapBytes } = await open(tv.url);
    const lobby = await page.waitFor(
      'the lobby is complete',
      () => /** @type {number} */ (Reflect.get(globalThis, 'seen').lobbyMs),
    );
    if (level === SWARM) {
      const counts = { screens: 0, pads: PADS, matches: 1, game: SWARM };
      after((await startClients(tv, counts)).stop);
    } else await startMatch(tv, String(level), { bodies: Number(n) });
    await page.visible('#stage');
    await sleep(phases.settle);
    const before = await heapBytes();
    const start = performance.now();
    /** @type {Record<string, number>} */
    const metrics = { ...(await measurePictures(page, phases.measure)), lobby };
    const minutes = (performance.now() - start) / MS_PER_MINUTE;
    const heap = await heapBytes();
    if (page.errors.length > 0) throw new Error(page.errors.join('; '));
    if (Number.isFinite(heap)) {
      metrics.heap = heap / BYTES_PER_MB;
      metrics.heap_growth = (heap - before) / BYTES_PER_MB / minutes;
    }
    return { metrics };
  },

  notes: () => [
    'screen: fps counts the pictures that the page draws; lobby is the time from the navigation, with an empty cache, until the code and the first picture of a game are shown. heap is that of JavaScript after a collection of garbage; WebKit does not say.',
    'screen: an empty canvas is a page that only fills a canvas with one colour: no page can be faster there.',
    'screen: the throttled Chromium slows down the main thread of the page only, as DevTools does; it rasterizes at full speed.',
  ],
};

/**
 * Measures the time between pictures for a while.
 * @param {import('../../browsers/scripted-page.js').ScriptedPage} page @param {number} ms
 */
async function measurePictures(page, ms) {
  await page.evaluate(takeGaps);
  await sleep(ms);
  const gapsMs = await page.evaluate(takeGaps);
  return {
    fps: (1000 * gapsMs.length) / gapsMs.reduce((sum, gap) => sum + gap, 0),
    gap_p99: quantile(gapsMs, 0.99),
  };
}
