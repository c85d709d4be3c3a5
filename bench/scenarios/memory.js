/**
 * The paper's figures 3 and 4: memory of the whole TV (web server, websockets, n games), PSS and USS
 * summed over all its Node processes, by engine, and of processes with KSM. Taken when every game has
 * done the same number of ticks and, with KSM, ksmd finds little more.
 *
 * The TV runs from a copy of the Node program: PSS divides a page by the processes that map it, and
 * those of the harness itself would take a share of it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ENGINES } from '../../app/engine/index.js';
import { LEVELS } from '../../ksm/index.js';
import { startMerging } from '../memory/merging.js';
import { nodeOfItsOwn } from '../node-copy.js';
import { memoryOf, processTree } from '../proc.js';
import { openScreen, startMatch, startTv } from '../runtime/remote-tv.js';
import { labelOf } from '../results.js';
import { RUNS } from '../run.js';
import { median } from '../stats.js';

const WORKERS = [1, 2, 4, 8];
const WORKERS_QUICK = [1, 4];
const GAME = { bodies: 1000 };
/** Two seconds of the game: V8 has compiled what is hot. */
const TICKS = 120;
const TICKS_QUICK = 60;
/**
 * Half a minute of play, for what a worker comes to have for itself. It takes its time, so in the
 * first rounds only; in a quick run it is shorter.
 */
const PLAY_TICKS = 1800;
const PLAY_TICKS_QUICK = 300;
const PLAY_ROUNDS = 3;
/** How often to look whether they are done; when it is measured does not hang on it. */
const LOOK_MS = 20;

const TICK_HZ = 60;
const MERGED = 'process + KSM';

/** @type {import('../index.js').Scenario} */
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
    { name: 'pss_added_per_worker', unit: 'KiB' },
  ],

  configurations: ({ quick, engines = ENGINES, workers = quick ? WORKERS_QUICK : WORKERS }) =>
    workers.flatMap((count) => [
      ...engines.map((engine) => ({ variant: engine, engine, workers: count })),
      ...LEVELS.filter((level) => level !== 'off').map((level) => {
        return { variant: MERGED, engine: 'process', level, workers: count };
      }),
    ]),

  cost: ({ workers, level }, { quick }) => {
    const played = quick ? PLAY_TICKS_QUICK : TICKS + (PLAY_TICKS * PLAY_ROUNDS) / RUNS;
    const seconds = (level ? ticksOf(quick) : played) / TICK_HZ;
    return { seconds, starts: 8 + Number(workers) * (level ? 4 : 2) };
  },

  async sample({ engine, level, workers }, { quick, round, workDir }) {
    const games = Number(workers);
    const merging = level ? await startMerging(level) : undefined;
    const execPath = nodeOfItsOwn(workDir);
    const request = { engine: String(engine), matches: games, level: level ?? 'off' };
    const tv = await startTv(request, { execPath });
    try {
      const screen = await openScreen(tv, () => {});
      const before = memoryOf(processTree(tv.pid)).pss;
      await Promise.all(
        Array.from({ length: games }, (_, i) =>
          startMatch(tv, 'collide', { ...GAME, seed: round + i }),
        ),
      );
      await untilPlayed(tv, games, ticksOf(quick), () => merging?.done() ?? true);
      const tree = processTree(tv.pid);
      const { pss, uss, anon, file, shmem, dirty, ksm } = memoryOf(tree);
      let after = NaN;
      if (!level && (quick || round < PLAY_ROUNDS)) {
        await untilPlayed(tv, games, quick ? PLAY_TICKS_QUICK : PLAY_TICKS);
        after = memoryOf(processTree(tv.pid)).pss;
      }
      screen.close();
      return {
        metrics: {
          ...{ pss, uss, pss_anon: anon, pss_file: file, pss_shmem: shmem, pss_dirty: dirty, ksm },
          pss_added_start: (pss - before) / games,
          pss_added_per_worker: (after - before) / games,
        },
        facts: { processes: tree.length, ownNode: execPath !== process.execPath },
      };
    } finally {
      merging?.stop();
      await tv.stop();
    }
  },

  notes(samples) {
    const shared = samples.some(({ facts }) => facts.ownNode === false);
    const labels = new Set(samples.map(labelWithoutWorkers));
    return [
      `pss_added_start, pss_added_per_worker: PSS more than before the first game, by the number of games: at once, and after ${PLAY_TICKS / TICK_HZ} s of play (quick: ${PLAY_TICKS_QUICK / TICK_HZ} s), the latter in the first ${PLAY_ROUNDS} rounds.`,
      ...(shared
        ? ['memory: Node could not be copied; the harness takes its share of the file pages.']
        : []),
      ...[...labels].flatMap((label) => {
        const mine = samples.filter((sample) => labelWithoutWorkers(sample) === label);
        const at = (/** @type {number} */ workers) =>
          mine
            .filter(({ configuration }) => configuration.workers === workers)
            .map(({ metrics }) => metrics.pss);
        const counts = mine.map(({ configuration }) => Number(configuration.workers));
        const [least, most] = [Math.min(...counts), Math.max(...counts)];
        if (least === most) return [];
        const each = (median(at(most)) - median(at(least))) / (most - least) / 1024;
        return `memory, ${label}: each further game adds ${each.toFixed(1)} MiB of PSS.`;
      }),
    ];
  },
};

/** @param {boolean} quick */
const ticksOf = (quick) => (quick ? TICKS_QUICK : TICKS);

/**
 * @param {import('../runtime/remote-tv.js').RemoteTv} tv @param {number} games @param {number} ticks
 * @param {() => boolean} [also]
 */
async function untilPlayed(tv, games, ticks, also = () => true) {
  for (;;) {
    const { matches } = await (await fetch(`${tv.url}/api/matches`)).json();
    if (matches.length < games) throw new Error('a match has ended');
    const played = matches.every((/** @type {{ticks: number}} */ one) => one.ticks >= ticks);
    if (played && also()) return;
    await sleep(LOOK_MS);
  }
}

/** @param {import('../index.js').Sample} sample */
const labelWithoutWorkers = ({ configuration }) => labelOf({ ...configuration, workers: null });
