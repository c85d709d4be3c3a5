/**
 * Measures whether the main thread stays responsive: the event-loop delay, and the time from a pad's message until the
 * first frame that shows it is sent, with 0..8 matches and 32 clients. `bumper` is the real game. `busy` computes for
 * 14 ms of each tick of 16.7 ms, so that one match per core keeps all cores busy. The clients run on the same cores.
 * The control has no workers: the main thread steps the busy games itself.
 */
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ENGINES } from '../../../app/engine/index.js';
import { loadBenchGames, startLocalTv } from '../../harness/local-tv.js';
import { startClients } from '../../harness/remote-tv.js';
import busy from './games/busy.js';

const SCREENS = 8;
const PADS = 24;
const MATCHES = [0, 2, 8];
const CONTROL = 'busy, main thread';
const TICK_MS = 1000 / 60;
const GAMES = fileURLToPath(new URL('./games', import.meta.url));

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'loop',
  title: `Event-loop delay and input-to-frame latency with ${SCREENS + PADS} clients; n = matches`,
  minWorkers: 0,
  metrics: [
    { name: 'loop_p50', unit: 'ms' },
    { name: 'loop_p99', unit: 'ms' },
    { name: 'loop_max', unit: 'ms' },
    { name: 'latency_p50', unit: 'ms' },
    { name: 'latency_p99', unit: 'ms' },
    { name: 'late_ticks', unit: '%' },
  ],

  // `--workers` selects numbers of matches.
  configurations: ({ engines = ENGINES, workers = MATCHES }) =>
    workers.flatMap((n) => [
      ...engines.flatMap((engine) =>
        (n === 0 ? ['bumper'] : ['bumper', 'busy']).map((variant) => ({ variant, engine, n })),
      ),
      ...(n === 0 ? [] : [{ variant: CONTROL, n }]),
    ]),

  // settle: longer than the countdown of the first round
  phases: { settle: [4000, 4000], measure: [6000, 4000] },

  async sample({ variant, engine, n }, { phases, after }) {
    const isControl = variant === CONTROL;
    const matches = isControl ? 0 : (n ?? 0);
    const limits = ['--max-pads-per-address', String(PADS), '--max-matches', '8'];
    const options = { games: await loadBenchGames(GAMES), thorough: true };
    const flags = ['--engine', engine ?? 'thread', ...limits];
    const { tv, close } = await startLocalTv(flags, options);
    after(close);
    const counts = { matches, screens: SCREENS, pads: PADS };
    after((await startClients(tv, { game: variant, ...counts })).stop);
    if (isControl) playInMainThread(n ?? 0);
    await sleep(phases.settle);
    const before = await tv.engine.stats();
    tv.server.resetMeasurements();
    await sleep(phases.measure);
    const { loop, latency } = tv.server.measurements();
    const end = await tv.engine.stats();
    /** @param {'ticks' | 'lateTicks'} field */
    const increaseOf = (field) =>
      end.reduce((sum, worker, i) => sum + worker[field] - (before[i]?.[field] ?? 0), 0);
    if (loop.count === 0) throw new Error('the event loop was not measured');
    if (matches > 0 && latency.count === 0) throw new Error('no input was shown by any frame');
    const ofMatches = {
      latency_p50: latency.p50,
      latency_p99: latency.p99,
      late_ticks: (100 * increaseOf('lateTicks')) / increaseOf('ticks'),
    };
    return {
      metrics: {
        loop_p50: loop.p50,
        loop_p99: loop.p99,
        loop_max: loop.max,
        ...(matches > 0 && ofMatches),
      },
    };
  },

  notes() {
    return [
      `loop: this machine has ${availableParallelism()} cores; a tick lasts 16.7 ms.`,
      `loop: \`${CONTROL}\` steps the same games in the event loop of the main thread, without workers.`,
    ];
  },
};

/** Steps games in this thread until the process ends. @param {number} count */
function playInMainThread(count) {
  const noInput = () => 0;
  for (let i = 0; i < count; i++) {
    const job = busy.start({ seed: i + 1, match: i + 1 });
    setInterval(() => job.step(noInput, noInput), TICK_MS);
  }
}
