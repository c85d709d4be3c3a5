/**
 * Measures how much memory a game adds to the TV: the growth since before the first game, divided by the number of
 * games, after a second of play and after half a minute. Forks share fewer pages the longer they run.
 *
 * The first reading is taken when the TV has been idle for a while, because the main process returns memory of its
 * start to the kernel every ten seconds (app/process/memory-tuning.js). That is more than a game of the zygote adds.
 * The heap of the main process also grows and shrinks during play, so its part is reported apart from the whole.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ENGINES } from '../../../app/engine/index.js';
import { memoryOfTree } from '../../../app/process/memory-account.js';
import { copyNode } from '../../harness/node-copy.js';
import { Client } from '../../harness/client.js';
import { startMatches, startTv, waitForTicks } from '../../harness/remote-tv.js';
import { notesOnMarginalMemory } from '../../stats/marginal-memory.js';

const WORKERS = [1, 4, 8];
const WORKERS_QUICK = [1, 4];
const BODIES = 1000;
/** Longer than the interval at which the main process returns memory. */
const SETTLE_MS = 12_000;
const TICK_HZ = 60;
const START_TICKS = 60;
const PLAY_TICKS = 1800;
const PLAY_TICKS_QUICK = 300;

/** @typedef {import('../../../app/process/memory-account.js').Memory} Memory */

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'growth',
  title: 'Memory that each game adds to the TV, at its start and after half a minute of play',
  measures: ['app/engine', 'app/match', 'app/games'],
  timeoutMs: 600_000,
  reference: 'process',
  metrics: [
    { name: 'unreclaimable_added_per_worker', unit: 'KiB' },
    { name: 'unreclaimable_added_start', unit: 'KiB' },
    { name: 'main_added_per_worker', unit: 'KiB', compare: false },
    { name: 'pss_added_per_worker', unit: 'KiB' },
    { name: 'pss_added_start', unit: 'KiB' },
  ],

  configurations: ({ quick, engines = ENGINES, workers = quick ? WORKERS_QUICK : WORKERS }) =>
    workers.flatMap((count) =>
      engines.map((engine) => ({ variant: engine, engine, workers: count })),
    ),

  cost: ({ workers }, { quick }) => ({
    seconds: SETTLE_MS / 1000 + (quick ? PLAY_TICKS_QUICK : PLAY_TICKS) / TICK_HZ,
    starts: 8 + Number(workers) * 2,
  }),

  async sample({ engine, workers }, { quick, round, workDir }) {
    const games = Number(workers);
    const request = { engine: String(engine), matches: games };
    const tv = await startTv(request, { node: copyNode(workDir) });
    try {
      const screen = await Client.screen(tv);
      await sleep(SETTLE_MS);
      const before = await memoryOfTree(tv.pid);
      await startMatches(tv, games, 'collide', { bodies: BODIES, seed: round });
      await waitForTicks(tv, games, START_TICKS);
      const start = await memoryOfTree(tv.pid);
      await waitForTicks(tv, games, quick ? PLAY_TICKS_QUICK : PLAY_TICKS);
      const after = await memoryOfTree(tv.pid);
      screen.vanish();
      /** @param {Memory} earlier @param {Memory} later @param {'unreclaimableKib' | 'pssKib'} field */
      const added = (earlier, later, field) => (later[field] - earlier[field]) / games;
      return {
        metrics: {
          unreclaimable_added_per_worker: added(before.total, after.total, 'unreclaimableKib'),
          unreclaimable_added_start: added(before.total, start.total, 'unreclaimableKib'),
          main_added_per_worker: added(mainOf(before), mainOf(after), 'unreclaimableKib'),
          pss_added_per_worker: added(before.total, after.total, 'pssKib'),
          pss_added_start: added(before.total, start.total, 'pssKib'),
        },
      };
    } finally {
      await tv.stop();
    }
  },

  notes: (samples) => [
    `growth: the first reading is taken ${SETTLE_MS / 1000} s after the start of the TV, without games. \`main_added_per_worker\` is the part of the main process, whose heap grows and shrinks by itself; with threads, it contains the workers.`,
    `growth: after ${START_TICKS / TICK_HZ} s and after ${PLAY_TICKS / TICK_HZ} s of play (quick: ${PLAY_TICKS_QUICK / TICK_HZ} s).`,
    ...notesOnMarginalMemory(
      'growth',
      samples,
      ({ metrics, configuration }) =>
        metrics.unreclaimable_added_per_worker * Number(configuration.workers),
      'unreclaimable memory',
    ),
  ],
};

/** @param {{processes: {memory: Memory}[]}} tree @returns {Memory} of the main process */
const mainOf = ({ processes }) => processes[0].memory;
