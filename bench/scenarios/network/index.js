/**
 * Measures what a network costs that loses and delays packets, like a busy Wi-Fi, or that is slow: the bytes to screens
 * and pads, and the age of the picture. The TV runs in one network namespace, screens and pads in another one, and
 * network/link.c connects them. A screen in the TV's namespace says when each frame was there. Needs root, /dev/net/tun
 * and a C compiler.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from 'simple-statistics';
import { startClients, startTv } from '../../harness/remote-tv.js';
import { ADDRESS, startLink } from '../../network/link.js';

const SCREENS = [1, 8, 64];
const SCREENS_QUICK = [1, 8];
const GAMES = ['bumper', 'swarm'];
/** @type {Record<string, import('../../network/link.js').Quality>} */
const LINKS = {
  'no loss': { lossPercent: 0, delayMs: 0, jitterMs: 0 },
  '2 % loss, 30 ms jitter': { lossPercent: 2, delayMs: 0, jitterMs: 30 },
};
/** For one screen of Swarm, less than half of what all its frames take. */
const SLOW = '30 kB/s a client';
LINKS[SLOW] = { lossPercent: 0, delayMs: 0, jitterMs: 0, rate: 30_000 };
const PADS = 4;
const AGE_STEP_MS = 1;

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'network',
  title: 'One match to n screens and 4 pads over a network that loses packets',
  reference: 'no loss',
  metrics: [
    { name: 'age_p50', unit: 'ms' },
    { name: 'age_p99', unit: 'ms' },
    { name: 'rate', unit: 'frames/s', better: 'higher' },
    { name: 'screen_bytes', unit: 'kB/s' },
    { name: 'pad_bytes', unit: 'kB/s' },
  ],

  configurations: ({ quick }) =>
    GAMES.flatMap((level) =>
      (quick ? SCREENS_QUICK : SCREENS).flatMap((n) =>
        Object.keys(LINKS)
          .filter((variant) => variant !== SLOW || (level === 'swarm' && n === 1))
          .map((variant) => ({ variant, level, n })),
      ),
    ),

  // settle: longer than the countdown, and until Swarm's first wave is complete
  phases: { settle: [6000, 6000], measure: [6000, 3000] },

  async sample({ variant, level, n }, { phases, after }) {
    const screens = Number(n);
    const link = await startLink(LINKS[variant]);
    after(link.stop);
    const { near, far } = link.sides;
    const clients = String(screens + PADS + 1);
    const limits = ['--max-clients', clients, '--max-clients-per-address', clients];
    const request = { engine: 'process', matches: 1, flags: ['--host', '0.0.0.0', ...limits] };
    const tv = await startTv(request, { launch: near });
    after(tv.stop);
    const common = { game: String(level), differences: true, arrivals: true };
    const remote = { url: tv.url.replace(/\/\/[^:]+/, `//${ADDRESS.near}`), code: tv.code };
    const counts = { ...common, screens, pads: PADS, matches: 1 };
    const load = await startClients(remote, counts, far);
    after(load.stop);
    const witness = await startClients(tv, { ...common, screens: 1, pads: 0, matches: 0 }, near);
    after(witness.stop);
    await sleep(phases.settle);
    await Promise.all([witness.report(), load.report()]);
    const before = performance.now();
    await sleep(phases.measure);
    const [seen, received] = await Promise.all([witness.report(), load.report()]);
    const seconds = (performance.now() - before) / 1000;
    const births = new Map(seen.arrivals[0].map(([tick, at]) => [tick, at]));
    const ages = received.arrivals.flatMap((one) => agesOf(one, births, AGE_STEP_MS));
    return {
      metrics: {
        age_p50: quantile(ages, 0.5),
        age_p99: quantile(ages, 0.99),
        rate: received.frames / seconds / screens,
        screen_bytes: received.screenBytes / seconds / screens / 1000,
        pad_bytes: received.padBytes / seconds / PADS / 1000,
      },
    };
  },

  notes: () => [
    'network: age is that of the newest frame of a screen, at any time; a screen on the TV gets each frame at the age of 0. Between two frames it grows by 17 ms. Loss and jitter are those of each direction, and the jitter is evenly distributed from 0.',
    'network: rate is that of one screen; 60 is all. screen_bytes and pad_bytes are the payload of the websockets of one client.',
  ],
};

/**
 * Lists the age of the newest frame that a screen has, at regular times from its first frame to its last one. A frame
 * without a time of birth counts as not received.
 * @param {number[][]} arrivals tick and arrival of each frame, ms, in the order of arrival
 * @param {Map<number, number>} births by tick: when the frame was there, ms on the same clock
 * @param {number} stepMs time between two ages
 * @returns {number[]} ms
 */
export function agesOf(arrivals, births, stepMs) {
  const known = arrivals.flatMap(([tick, at]) => {
    const born = births.get(tick);
    return born === undefined ? [] : [{ at, born }];
  });
  const ages = [];
  let newest = -Infinity;
  let time = known[0]?.at ?? 0;
  for (let i = 0; i < known.length - 1; i++) {
    newest = Math.max(newest, known[i].born);
    for (; time < known[i + 1].at; time += stepMs) ages.push(time - newest);
  }
  return ages;
}
