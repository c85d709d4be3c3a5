/**
 * What a worker comes to have for itself while it plays: PSS more than before the first game, by the
 * number of games, when they start to play and after half a minute. Forks share less and less.
 */
import { ENGINES } from '../../../app/engine/index.js';
import { copyNode } from '../../harness/node-copy.js';
import { notesOnMarginalMemory } from '../../stats/marginal-memory.js';
import { memoryOf, processTree } from '../../machine/proc.js';
import { openScreen, startMatch, startTv, waitForTicks } from '../../harness/remote-tv.js';

const WORKERS = [1, 2, 4, 8];
const WORKERS_QUICK = [1, 4];
const GAME = { bodies: 1000 };
const TICK_HZ = 60;
const START_TICKS = 60;
const PLAY_TICKS = 1800;
const PLAY_TICKS_QUICK = 300;

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'growth',
  title: 'Memory that each game adds to the TV, at its start and after half a minute of play',
  timeoutMs: 600_000,
  reference: 'process',
  metrics: [
    { name: 'pss_added_per_worker', unit: 'KiB' },
    { name: 'pss_added_start', unit: 'KiB' },
  ],

  configurations: ({ quick, engines = ENGINES, workers = quick ? WORKERS_QUICK : WORKERS }) =>
    workers.flatMap((count) =>
      engines.map((engine) => ({ variant: engine, engine, workers: count })),
    ),

  cost: ({ workers }, { quick }) => ({
    seconds: (quick ? PLAY_TICKS_QUICK : PLAY_TICKS) / TICK_HZ,
    starts: 8 + Number(workers) * 2,
  }),

  async sample({ engine, workers }, { quick, round, workDir }) {
    const games = Number(workers);
    const request = { engine: String(engine), matches: games };
    const tv = await startTv(request, { node: copyNode(workDir) });
    try {
      const screen = await openScreen(tv, () => {});
      const pss = () => memoryOf(processTree(tv.pid)).pss;
      const before = pss();
      await Promise.all(
        Array.from({ length: games }, (_, i) =>
          startMatch(tv, 'collide', { ...GAME, seed: round + i }),
        ),
      );
      await waitForTicks(tv, games, START_TICKS);
      const start = pss();
      await waitForTicks(tv, games, quick ? PLAY_TICKS_QUICK : PLAY_TICKS);
      const after = pss();
      screen.close();
      return {
        metrics: {
          pss_added_per_worker: (after - before) / games,
          pss_added_start: (start - before) / games,
        },
      };
    } finally {
      await tv.stop();
    }
  },

  notes: (samples) => [
    `growth: after ${START_TICKS / TICK_HZ} s and after ${PLAY_TICKS / TICK_HZ} s of play (quick: ${PLAY_TICKS_QUICK / TICK_HZ} s).`,
    ...notesOnMarginalMemory(
      'growth',
      samples,
      ({ metrics, configuration }) => metrics.pss_added_per_worker * Number(configuration.workers),
    ),
  ],
};
