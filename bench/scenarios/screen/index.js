/**
 * Measures the screen page on weak TVs: a Chromium without a GPU, also with its main thread slowed down, and a WebKit
 * without a GPU, at 1280x720. The TV, its match and the browser share the machine.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from 'simple-statistics';
import { startClients, startMatch, startTv } from '../../harness/remote-tv.js';
import { BROWSERS } from './browsers.js';

/** Bodies of `collide`. */
const BODIES = [60, 1000];
const SWARM = 'swarm';
const PADS = 4;

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
  ],

  configurations: () =>
    Object.keys(BROWSERS).flatMap((variant) => [
      ...BODIES.map((n) => ({ variant, level: 'collide', n })),
      { variant, level: SWARM },
    ]),

  // settle: until the governor has chosen detail and resolution, and Swarm's first wave is complete
  phases: { settle: [11_000, 8000], measure: [12_000, 6000] },

  async sample({ variant, level, n }, { phases, after }) {
    const tv = await startTv({ engine: 'process', matches: 1 });
    after(tv.stop);
    const { page } = await BROWSERS[variant]({ after }, tv.url, `(${watchPage})()`);
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
    await page.evaluate(takeGaps);
    await sleep(phases.measure);
    const gapsMs = await page.evaluate(takeGaps);
    if (page.errors.length > 0) throw new Error(page.errors.join('; '));
    const fps = (1000 * gapsMs.length) / gapsMs.reduce((sum, gap) => sum + gap, 0);
    return { metrics: { fps, gap_p99: quantile(gapsMs, 0.99), lobby } };
  },

  notes: () => [
    'screen: fps counts the pictures that the page draws; lobby is the time from the navigation, with an empty cache, until the code and the first picture of a game are shown.',
    'screen: the throttled Chromium slows down the main thread of the page only, as DevTools does; it rasterizes at full speed.',
  ],
};
