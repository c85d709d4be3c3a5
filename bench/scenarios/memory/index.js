/**
 * The paper's figures 3 and 4: memory of the whole TV (web server, websockets, n games), PSS and USS
 * summed over all its Node processes, by engine, and of processes with KSM. Taken when every game has
 * done the same number of ticks and, with KSM, ksmd finds little more.
 *
 * The TV runs from a copy of Node: PSS divides a page by the processes that map it, and
 * those of the harness itself would take a share of it.
 */
import { ENGINES } from '../../../app/engine/index.js';
import { LEVELS } from '../../../ksm/index.js';
import { notesOnMarginalMemory } from '../../stats/marginal-memory.js';
import { startMerging } from './merging.js';
import { copyNode } from '../../harness/node-copy.js';
import { memoryOf, processTree } from '../../machine/proc.js';
import { openScreen, startMatch, startTv, waitForTicks } from '../../harness/remote-tv.js';

const WORKERS = [1, 2, 4, 8];
const WORKERS_QUICK = [1, 4];
const GAME = { bodies: 1000 };
/** Two seconds of the game: V8 has compiled what is hot. */
const TICKS = 120;
const TICKS_QUICK = 60;
const TICK_HZ = 60;
const MERGED = 'process + KSM';

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'memory',
  title: 'Memory of the whole TV with games running',
  timeoutMs: 600_000,
  reference: 'process',
  metrics: [
    { name: 'pss', unit: 'KiB' },
    { name: 'uss', unit: 'KiB' },
    { name: 'pss_anon', unit: 'KiB', compare: false },
    { name: 'pss_file', unit: 'KiB', compare: false },
    { name: 'pss_shmem', unit: 'KiB', compare: false },
    { name: 'pss_dirty', unit: 'KiB', compare: false },
    { name: 'ksm', unit: 'KiB', compare: false },
    { name: 'pss_added_start', unit: 'KiB' },
  ],

  configurations: ({ quick, engines = ENGINES, workers = quick ? WORKERS_QUICK : WORKERS }) =>
    workers.flatMap((count) => [
      ...engines.map((engine) => ({ variant: engine, engine, workers: count })),
      ...LEVELS.filter((level) => level !== 'off').map((level) => {
        return { variant: MERGED, engine: 'process', level, workers: count };
      }),
    ]),

  cost: ({ engine, workers, level }, { quick }) => {
    const seconds = ticksOf(quick) / TICK_HZ;
    const first = engine === 'zygote' ? 45 : 8; // it is warmed up for seconds
    return { seconds, starts: first + Number(workers) * (level ? 4 : 2) };
  },

  async sample({ engine, level, workers }, { quick, round, workDir }) {
    const games = Number(workers);
    const merging = level ? await startMerging(level) : undefined;
    const node = copyNode(workDir);
    const request = { engine: String(engine), matches: games, level: level ?? 'off' };
    const tv = await startTv(request, { node });
    try {
      const screen = await openScreen(tv, () => {});
      const before = memoryOf(processTree(tv.pid)).pss;
      await Promise.all(
        Array.from({ length: games }, (_, i) =>
          startMatch(tv, 'collide', { ...GAME, seed: round + i }),
        ),
      );
      await waitForTicks(tv, games, ticksOf(quick), () => merging?.done() ?? true);
      const tree = processTree(tv.pid);
      const { pss, uss, anon, file, shmem, dirty, ksm } = memoryOf(tree);
      screen.close();
      return {
        metrics: {
          ...{ pss, uss, pss_anon: anon, pss_file: file, pss_shmem: shmem, pss_dirty: dirty, ksm },
          pss_added_start: (pss - before) / games,
        },
        facts: { processes: tree.length, ownNode: node.own },
      };
    } finally {
      merging?.stop();
      await tv.stop();
    }
  },

  notes(samples) {
    const shared = samples.some(({ facts }) => facts.ownNode === false);
    return [
      'pss_added_start: PSS more than before the first game, by the number of games; after half a minute of play it is scenario `growth`.',
      ...(shared
        ? ['memory: Node could not be copied; the harness takes its share of the file pages.']
        : []),
      ...notesOnMarginalMemory('memory', samples, ({ metrics }) => metrics.pss),
    ];
  },
};

/** @param {boolean} quick */
const ticksOf = (quick) => (quick ? TICKS_QUICK : TICKS);
