/**
 * Measures the screen page on weak TVs: a Chromium without a GPU, also with its main thread slowed down, and a WebKit
 * without a GPU, at 1280x720. The TV, its match and the browser share the machine.
 */
import { quantile } from 'simple-statistics';
import { startClients, startMatch, startTv } from '../../harness/remote-tv.js';
import { BROWSERS } from './browsers.js';
import { measurePictures, watching } from './pictures.js';

/** Bodies of `collide`. */
const BODIES = [60, 1000];
const SWARM = 'swarm';
const PADS = 4;

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'screen',
  title: 'The screen page on weak TVs, at 1280x720',
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
    const { page } = await BROWSERS[variant]({ after }, tv.url, watching());
    const lobby = await page.waitFor(
      'the lobby is complete',
      () => /** @type {number} */ (Reflect.get(globalThis, 'seen').lobbyMs),
    );
    if (level === SWARM) {
      const counts = { screens: 0, pads: PADS, matches: 1, game: SWARM };
      after((await startClients(tv, counts)).stop);
    } else await startMatch(tv, String(level), { bodies: Number(n) });
    await page.visible('#stage');
    const { fps, gapsMs } = await measurePictures(page, phases.settle, phases.measure);
    return { metrics: { fps, gap_p99: quantile(gapsMs, 0.99), lobby } };
  },

  notes: () => [
    'screen: fps counts the pictures that the page draws; lobby is the time from the navigation, with an empty cache, until the code and the first picture of a game are shown.',
    'screen: the throttled Chromium slows down the main thread of the page only, as DevTools does; it rasterizes at full speed.',
  ],
};
