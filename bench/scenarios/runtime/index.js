/**
 * Measures the run time as the paper (bench/report/paper.js) does, and its parts. The TV is running, without workers.
 *
 * - total: from a client's first request to the web server until every game has done one collision pass
 * - startup: the part of that until the last worker is ready. Games that are ready earlier compute in that time
 * - computing: the same passes without start-up, from a common start of all ready workers until the last pass is done
 *
 * `ideal` is the time of the same passes, one after the other in one process without an engine, divided by the number
 * of cores that could share them.
 */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENGINES } from '../../../app/engine/index.js';
import { processTree } from '../../../app/process/process-tree.js';
import { cpuMsOfAll } from '../../machine/proc.js';
import { Client } from '../../harness/client.js';
import { poll } from '../../harness/polling.js';
import { listMatches, startMatches, startTv } from '../../harness/remote-tv.js';
import { findInRound } from '../../harness/scenarios.js';
import { median } from '../../stats/stats.js';
import pass, { FOLDER_VARIABLE, sharedClock } from './games/pass.js';

const GAMES = fileURLToPath(new URL('./games', import.meta.url));
const WORKERS = [1, 2, 4, 8];
const WORKERS_QUICK = [1, 4];
/** About half a second on a PC of 2020. The engines' cost does not depend on it. */
const PASS = { bodies: 5000, ticks: 1500 };
const PASS_QUICK = { bodies: 2000, ticks: 200 };
/** @typedef {typeof PASS & {seed: number}} Work */

/** Interval at which results of passes are read. */
const POLL_MS = 5;
/** Interval at which the list of matches is read. */
const CHECK_MS = 50;

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'runtime',
  title: 'Time from the first request until all games have done one collision pass',
  timeoutMs: 600_000,
  reference: 'process',
  metrics: [
    { name: 'total', unit: 'ms' },
    { name: 'overhead', unit: '% over ideal', compare: false },
    { name: 'startup', unit: 'ms' },
    { name: 'startup_share', unit: '% of total', compare: false },
    { name: 'computing', unit: 'ms' },
    { name: 'computing_overhead', unit: '% over ideal', compare: false },
    { name: 'throughput', unit: 'steps/s of a game', better: 'higher', compare: false },
    { name: 'cpu', unit: 'ms' },
  ],

  configurations: ({ quick, engines = ENGINES, workers = quick ? WORKERS_QUICK : WORKERS }) =>
    workers.flatMap((count) => [
      { variant: 'ideal', workers: count },
      ...engines.map((engine) => ({ variant: engine, engine, workers: count })),
    ]),

  async sample({ engine, workers }, { quick, round, after }) {
    const games = Number(workers);
    const work = { ...(quick ? PASS_QUICK : PASS), seed: round + 1 };
    const { metrics } = engine
      ? await runOnTvs(engine, games, work, after)
      : runInOneProcess(games, work);
    return { metrics, facts: { bodies: work.bodies, steps: work.ticks } };
  },

  derive(samples) {
    for (const sample of samples) {
      const { configuration, metrics } = sample;
      const { workers } = configuration;
      const ideal = findInRound(samples, sample, { variant: 'ideal', workers });
      const over = (/** @type {number} */ ms) =>
        ideal && ideal !== sample ? (ms / ideal.metrics.total - 1) * 100 : NaN;
      metrics.overhead = over(metrics.total);
      metrics.computing_overhead = over(metrics.computing);
    }
  },

  notes: (samples) => [
    ...new Set(
      samples.map(
        ({ facts: { bodies, steps } }) =>
          `runtime: a pass is ${steps.toLocaleString('en')} steps of ${bodies.toLocaleString('en')} bodies.`,
      ),
    ),
    'runtime: `total` includes `startup`, the time until the last worker is ready. For `computing` and `throughput`, all passes begin together when all workers are ready.',
    `runtime: ideal is the time of n passes, one after the other in one process, divided by ${availableParallelism()} cores, or by n if there are more cores than passes.`,
  ],
};

/** Measures the passes in this process, without an engine. @param {number} games @param {Work} work */
function runInOneProcess(games, work) {
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
  const throughput = (work.ticks / total) * 1000;
  return { metrics: { total, computing: total, throughput, cpu: (user + system) / 1000 } };
}

/**
 * Measures the passes on a TV, and then those that begin together on another one.
 * @param {string} engine @param {number} games @param {Work} work
 * @param {import('../../harness/scenarios.js').SampleContext['after']} after
 */
async function runOnTvs(engine, games, work, after) {
  const folder = mkdtempSync(join(tmpdir(), 'pitv-pass-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const request = { engine, matches: games, games: GAMES };
  const tv = await startTv(request);
  const whole = await measureTotal(tv, games, work).finally(tv.stop);
  const waiting = await startTv(request, { env: { [FOLDER_VARIABLE]: folder } });
  after(waiting.stop);
  const computing = await measureComputing(waiting, games, work, folder);
  return { metrics: { ...whole, ...computing } };
}

/**
 * Measures the time from the first request until all games have ended.
 * @param {import('../../harness/remote-tv.js').RemoteTv} tv @param {number} games
 * @param {Work} work
 */
async function measureTotal(tv, games, work) {
  const cpuBefore = cpuMsOfAll(processTree(tv.pid));
  const began = performance.now();
  /** @type {(at: number) => void} */
  let over = () => {};
  /** @type {(error: unknown) => void} */
  let fail = () => {};
  /** @type {Promise<number>} */
  const allOver = new Promise((resolve, reject) => ([over, fail] = [resolve, reject]));
  let started = false;
  // All games have ended when the list of matches is empty. It is also polled, because the TV sends no lobby message if
  // a match starts and ends between two of them.
  const checkOver = async () => {
    const at = performance.now();
    // After the end, an error has no effect: the TV may have stopped during the last check.
    if (started && (await listMatches(tv).catch(fail))?.length === 0) over(at);
  };
  await (await fetch(tv.url)).text();
  const screen = await Client.screen(tv);
  screen.socket.on('message', (_data, isBinary) => {
    const { t, matches } = screen.messages.at(-1) ?? {};
    if (isBinary) return;
    if (t === 'ended' || (t === 'lobby' && matches.length === 0)) void checkOver();
  });
  const timer = setInterval(checkOver, CHECK_MS).unref();
  await startMatches(tv, games, 'pass', work);
  const startup = performance.now() - began;
  started = true;
  void checkOver();
  const total = (await allOver) - began;
  clearInterval(timer);
  const cpu = cpuMsOfAll(processTree(tv.pid)) - cpuBefore;
  screen.vanish();
  return { total, startup, startup_share: (startup / total) * 100, cpu };
}

/**
 * Starts games whose passes wait, lets them begin together, and measures the time until the last pass is done.
 * @param {import('../../harness/remote-tv.js').RemoteTv} tv @param {number} games
 * @param {Work} work @param {string} folder see games/pass.js
 */
async function measureComputing(tv, games, work, folder) {
  await startMatches(tv, games, 'pass', work);
  const began = sharedClock();
  writeFileSync(join(folder, 'go'), '');
  const ends = () =>
    readdirSync(folder)
      .filter((name) => name.startsWith('done-'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .filter((text) => text !== ''); // created, but not written yet
  await poll(() => ends().length === games || tv.child.exitCode !== null, Infinity, POLL_MS);
  if (tv.child.exitCode !== null) throw new Error('the TV has ended');
  const elapsed = ends().map((text) => Number(text) - began);
  const throughput = (work.ticks / median(elapsed)) * 1000;
  return { computing: Math.max(...elapsed), throughput };
}
