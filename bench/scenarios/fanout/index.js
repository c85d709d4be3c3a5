/**
 * Measures what the frames of one match to n screens cost: CPU time of the main thread, and bytes. The match and the
 * clients run in processes of their own, on the same cores. Screens get whole frames, as older pages do, or differences
 * between frames, as those of today.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startLocalTv } from '../../harness/local-tv.js';
import { startClients } from '../../harness/remote-tv.js';

const SCREENS = [1, 64];
const GAMES = ['bumper', 'swarm'];
const FRAMES = 'frames';
const DIFFERENCES = 'differences';
const PADS = 4;
/** Longer than the countdown, and until Swarm's first wave is complete. */
const SETTLE_MS = 6000;
const MEASURE_MS = 5000;
const MEASURE_QUICK_MS = 1500;

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'fanout',
  title: 'Frames of one match to n screens over websockets',
  measures: ['app/server', 'app/match', 'app/game', 'app/games'],
  reference: FRAMES,
  metrics: [
    { name: 'rate', unit: 'frames/s', better: 'higher' },
    { name: 'screen_bytes', unit: 'kB/s' },
    { name: 'pad_bytes', unit: 'kB/s' },
    { name: 'late_p99', unit: 'ms' },
    { name: 'cpu_frame', unit: 'µs' },
    { name: 'cpu', unit: '% of a core' },
    { name: 'loop_p99', unit: 'ms' },
  ],

  configurations: () =>
    GAMES.flatMap((level) =>
      SCREENS.flatMap((n) => [FRAMES, DIFFERENCES].map((variant) => ({ variant, level, n }))),
    ),

  cost: (_configuration, { quick }) => ({
    seconds: (SETTLE_MS + (quick ? MEASURE_QUICK_MS : MEASURE_MS)) / 1000,
    starts: 10,
  }),

  async sample({ variant, level, n }, { quick }) {
    const screens = Number(n);
    const clients = String(screens + PADS);
    const limits = ['--max-clients', clients, '--max-clients-per-address', clients];
    const { tv, close } = await startLocalTv([...limits, '--engine', 'process']);
    try {
      const counts = { screens, pads: PADS, matches: 1, game: String(level) };
      const differences = variant === DIFFERENCES;
      const load = await startClients(tv, { ...counts, differences });
      await sleep(SETTLE_MS);
      tv.resetMeasurements();
      await load.report();
      const before = { cpu: process.cpuUsage(), at: performance.now() };
      await sleep(quick ? MEASURE_QUICK_MS : MEASURE_MS);
      const { user, system } = process.cpuUsage(before.cpu);
      const seconds = (performance.now() - before.at) / 1000;
      const { frames, screenBytes, padBytes, lateP99 } = await load.report();
      const { loop } = tv.measurements();
      await load.stop();
      return {
        metrics: {
          rate: frames / seconds / screens,
          screen_bytes: screenBytes / seconds / screens / 1000,
          pad_bytes: padBytes / seconds / PADS / 1000,
          late_p99: lateP99,
          cpu_frame: (user + system) / frames,
          cpu: (user + system) / 10_000 / seconds,
          loop_p99: loop.p99,
        },
      };
    } finally {
      await close();
    }
  },

  notes: () => [
    'fanout: rate is that of one screen; 60 is all. cpu_frame counts each frame once per screen. screen_bytes and pad_bytes are the payload of the websockets of one client.',
    'fanout: late_p99 is how much later than the fastest frame of the same screen a frame arrives.',
  ],
};
