/**
 * The paper's figure 3: memory of the whole TV (web server, websockets, n games), PSS and USS summed
 * over all its Node processes. Taken when every game has done the same number of ticks.
 *
 * The TV runs from a copy of the Node program: PSS divides a page by the processes that map it, and
 * those of the harness itself would take a share of it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ENGINES } from '../../app/engine/index.js';
import { nodeOfItsOwn } from '../node-copy.js';
import { memoryOf, processTree } from '../proc.js';
import { openScreen, startMatch, startTv } from '../runtime/remote-tv.js';
import { median } from '../stats.js';

const WORKERS = [1, 2, 4, 8];
const WORKERS_QUICK = [1, 4];
const GAME = { bodies: 1000 };
/** Three seconds of the game: V8 has compiled what is hot. */
const TICKS = 180;
const TICKS_QUICK = 60;
/** How often to look whether they are done; when it is measured does not hang on it. */
const LOOK_MS = 20;

/** @type {import('../index.js').Scenario} */
export default {
  name: 'memory',
  title: 'Memory of the whole TV with games running',
  reference: 'process',
  metrics: [
    { name: 'pss', unit: 'KiB' },
    { name: 'uss', unit: 'KiB' },
    { name: 'pss_anon', unit: 'KiB', compare: false },
    { name: 'pss_file', unit: 'KiB', compare: false },
    { name: 'pss_shmem', unit: 'KiB', compare: false },
    { name: 'pss_dirty', unit: 'KiB', compare: false },
    { name: 'ksm', unit: 'KiB', compare: false },
  ],

  configurations: ({ quick, engines = ENGINES, workers = quick ? WORKERS_QUICK : WORKERS }) =>
    workers.flatMap((count) =>
      engines.map((engine) => ({ variant: engine, engine, workers: count })),
    ),

  async sample({ engine, workers }, { quick, round, workDir }) {
    const games = Number(workers);
    const request = { engine: String(engine), matches: games };
    const tv = await startTv(request, { execPath: nodeOfItsOwn(workDir) });
    try {
      const screen = await openScreen(tv, () => {});
      for (let i = 0; i < games; i++) await startMatch(tv, 'collide', { ...GAME, seed: round + i });
      const ticks = quick ? TICKS_QUICK : TICKS;
      for (;;) {
        const { matches } = await (await fetch(`${tv.url}/api/matches`)).json();
        if (matches.length < games) throw new Error('a match has ended');
        if (matches.every((/** @type {{ticks: number}} */ match) => match.ticks >= ticks)) break;
        await sleep(LOOK_MS);
      }
      const tree = processTree(tv.pid);
      const memory = memoryOf(tree);
      screen.close();
      const { pss, uss, anon, file, shmem, dirty, ksm } = memory;
      return {
        metrics: {
          ...{ pss, uss, pss_anon: anon, pss_file: file, pss_shmem: shmem, pss_dirty: dirty, ksm },
        },
        facts: { processes: tree.length },
      };
    } finally {
      await tv.stop();
    }
  },

  notes(samples) {
    const engines = new Set(samples.map(({ configuration }) => String(configuration.engine)));
    return [...engines].flatMap((engine) => {
      const at = (/** @type {number | undefined} */ workers) =>
        samples
          .filter(({ configuration: one }) => one.engine === engine && one.workers === workers)
          .map(({ metrics }) => metrics.pss);
      const counts = samples
        .filter(({ configuration }) => configuration.engine === engine)
        .map(({ configuration }) => Number(configuration.workers));
      const [least, most] = [Math.min(...counts), Math.max(...counts)];
      if (least === most) return [];
      const each = (median(at(most)) - median(at(least))) / (most - least) / 1024;
      return `memory, ${engine}: each further game adds ${each.toFixed(1)} MiB of PSS.`;
    });
  },
};
