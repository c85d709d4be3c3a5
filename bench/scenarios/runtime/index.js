/**
 * The paper's run time: from a client's first request to the web server until every game has done its
 * collision pass once. The TV is on by then, no worker is. `ideal` is the same passes back to back in
 * one process without any engine, divided by the cores that could have shared them.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ENGINES } from '../../../app/engine/index.js';
import { cpuMsOfAll, processTree } from '../../machine/proc.js';
import pass from './games/pass.js';
import { openScreen, startMatch, startTv } from '../../harness/remote-tv.js';

const GAMES = fileURLToPath(new URL('./games', import.meta.url));
const WORKERS = [1, 2, 4, 8];
const WORKERS_QUICK = [1, 4];
/** About half a second on a PC of 2020; the engines' cost does not depend on it. */
const PASS = { bodies: 5000, ticks: 1500 };
const PASS_QUICK = { bodies: 2000, ticks: 200 };

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'runtime',
  title: 'From the first request until all games have done one collision pass',
  timeoutMs: 600_000,
  reference: 'process',
  metrics: [
    { name: 'total', unit: 'ms' },
    { name: 'overhead', unit: '% over ideal', compare: false },
    { name: 'cpu', unit: 'ms' },
  ],

  configurations: ({ quick, engines = ENGINES, workers = quick ? WORKERS_QUICK : WORKERS }) =>
    workers.flatMap((count) => [
      { variant: 'ideal', workers: count },
      ...engines.map((engine) => ({ variant: engine, engine, workers: count })),
    ]),

  cost: ({ engine, workers }, { quick }) => {
    const passes = quick ? 0.5 * Number(workers) : 6 * Number(workers);
    const first = engine === 'zygote' ? 50 : engine ? 14 : 4; // that is warmed up for seconds
    return { seconds: 0, starts: first + passes };
  },

  async sample({ engine, workers }, { quick, round }) {
    const games = Number(workers);
    const work = { ...(quick ? PASS_QUICK : PASS), seed: round + 1 };
    return engine ? throughTv(engine, games, work) : backToBack(games, work);
  },

  derive(samples) {
    for (const { configuration, round, metrics } of samples) {
      const ideal = samples.find(
        (other) =>
          other.round === round &&
          other.configuration.variant === 'ideal' &&
          other.configuration.workers === configuration.workers,
      );
      if (!ideal || ideal.configuration === configuration) metrics.overhead = NaN;
      else metrics.overhead = (metrics.total / ideal.metrics.total - 1) * 100;
    }
  },

  notes: () => [
    `ideal: n passes one after the other in one process, divided by ${availableParallelism()} cores (by n where there are more cores than passes).`,
  ],
};

/** @param {number} games @param {Record<string, number>} work */
function backToBack(games, work) {
  const frame = new Uint8Array(pass.sizes(work).frameBytes);
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  for (let i = 0; i < games; i++) {
    const job = pass.start({ ...work, seed: work.seed + i, match: i + 1 });
    while (!job.done) {
      job.step(
        () => 0,
        () => 0,
      );
      job.writeFrame(frame);
    }
  }
  const elapsed = performance.now() - began;
  const { user, system } = process.cpuUsage(cpuBefore);
  const total = elapsed / Math.min(games, availableParallelism());
  return { metrics: { total, cpu: (user + system) / 1000 } };
}

/** @param {string} engine @param {number} games @param {Record<string, number>} work */
async function throughTv(engine, games, work) {
  const tv = await startTv({ engine, matches: games, games: GAMES });
  try {
    const cpuBefore = cpuMsOfAll(processTree(tv.pid));
    const began = performance.now();
    let started = 0;
    /** @type {() => void} */
    let over = () => {};
    /** @type {Promise<void>} */
    const allOver = new Promise((resolve) => (over = resolve));
    /** @type {number[]} */
    let running = [];
    /** @type {Set<number>} */
    const seen = new Set();
    const look = () => started === games && seen.size === games && running.length === 0 && over();
    await (await fetch(tv.url)).text();
    const screen = await openScreen(tv, ({ t, matches }) => {
      if (t !== 'lobby') return;
      running = matches.map((/** @type {{id: number}} */ { id }) => id);
      for (const id of running) seen.add(id);
      look();
    });
    await Promise.all(
      Array.from({ length: games }, async (_, i) => {
        await startMatch(tv, 'pass', { ...work, seed: work.seed + i });
        started++;
        look();
      }),
    );
    await allOver;
    const total = performance.now() - began;
    const cpu = cpuMsOfAll(processTree(tv.pid)) - cpuBefore;
    screen.close();
    return { metrics: { total, cpu } };
  } finally {
    await tv.stop();
  }
}
