/**
 * What merging saves and what it costs: the whole TV (main process, workers, and what else it started),
 * N matches of bumper that people play, at each level. ksmd is driven by the package's own controller.
 * Needs root. With --engines zygote: what it saves where workers share memory without it.
 *
 * Node is run from a copy of its file: PSS divides a page by all processes that map it, and the
 * harness's own processes, and any other Node.js on this machine, would take their share of it.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { KsmController, LEVELS, findKsmd, ksmdCpuMs } from '../../../ksm/index.js';
import { startController } from './start-controller.js';
import { copyNode } from '../../harness/node-copy.js';
import { memoryOf, processTree } from '../../machine/proc.js';
import { median } from '../../stats/stats.js';

const ENGINES = ['process'];
const WORKERS = [1, 2, 4, 8];
const GAME = 'bumper';
const PADS_A_MATCH = 2;
/** From the start of the last match until it is measured: the countdown is over, V8 has compiled. */
const SETTLE_MS = 10_000;
const IDLE_MS = 6000;
const STEADY_TIMEOUT_MS = 60_000;
const LOCK_TIMEOUT_MS = 120_000;
const WATCH_MS = 20_000;
const WATCH_QUICK_MS = 8000;
const POLL_MS = 1000;
const TV = fileURLToPath(new URL('./tv.js', import.meta.url));
const LOAD_CLIENTS = fileURLToPath(new URL('../../harness/load-clients.js', import.meta.url));

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'ksm',
  title: 'Memory of the whole TV with 1..8 running matches, and what merging costs',
  timeoutMs: 300_000,
  reference: { level: 'off' },
  metrics: [
    { name: 'pss', unit: 'KiB' },
    { name: 'saved', unit: '%', better: 'higher', compare: false },
    { name: 'pss_anon', unit: 'KiB', compare: false },
    { name: 'pss_anon_main', unit: 'KiB', compare: false }, // the main process's: never marked
    { name: 'pss_most', unit: 'KiB', compare: false }, // the highest that was seen while watched
    { name: 'ksm', unit: 'KiB', better: 'higher', compare: false },
    { name: 'ksmd_burst', unit: 'ms', compare: false },
    { name: 'ksmd_trickle', unit: 'ms/min', compare: false },
    { name: 'steady_after', unit: 'ms', compare: false },
    { name: 'ticks_idle', unit: '1/s', better: 'higher' },
    { name: 'ticks_scanned', unit: '1/s', better: 'higher' },
    { name: 'late_idle', unit: '%', compare: false },
    { name: 'late_scanned', unit: '%', compare: false },
  ],

  configurations: ({ engines = ENGINES, workers = WORKERS }) =>
    engines
      .filter((engine) => engine !== 'thread') // nothing to merge: one process has them all
      .flatMap((engine) =>
        workers.flatMap((count) =>
          LEVELS.map((level) => ({ variant: level, engine, level, workers: count })),
        ),
      ),

  async sample({ engine, level, workers }, { quick, workDir }) {
    const matches = workers ?? 1;
    const asked = JSON.stringify({ engine, level, matches });
    const { path, env } = copyNode(workDir);
    const tv = fork(TV, [asked], { execPath: path, env });
    try {
      const [told] = await Promise.race([once(tv, 'message'), once(tv, 'exit')]);
      if (typeof told?.url !== 'string') throw new Error('the TV did not come on');
      const { url, code } = told;
      const request = { url, code, game: GAME, matches, screens: matches };
      const clients = fork(LOAD_CLIENTS, [
        JSON.stringify({ ...request, pads: matches * PADS_A_MATCH }),
      ]);
      const [said] = await Promise.race([once(clients, 'message'), once(clients, 'exit')]);
      if (said !== 'ready') throw new Error('the clients could not get in');
      await sleep(SETTLE_MS);
      const metrics = await measure(tv, matches, { off: level === 'off', quick });
      clients.disconnect();
      return { metrics };
    } finally {
      if (tv.connected) tv.disconnect();
      if (tv.exitCode === null && tv.signalCode === null) await once(tv, 'exit');
    }
  },

  derive(samples) {
    for (const { configuration, round, metrics } of samples) {
      const off = samples.find(
        (other) =>
          other.configuration.level === 'off' &&
          other.configuration.engine === configuration.engine &&
          other.configuration.workers === configuration.workers &&
          other.round === round,
      );
      metrics.saved = off ? (1 - metrics.pss / off.metrics.pss) * 100 : NaN;
    }
  },

  notes: () => [
    '`saved` is against `off` of the same engine in the same round; `pss` is the median while the matches were watched.',
  ],
};

/**
 * @param {import('node:child_process').ChildProcess} tv @param {number} matches
 * @param {{off: boolean, quick: boolean}} how off: without ksmd
 */
async function measure(tv, matches, { off, quick }) {
  const ksmd = findKsmd();
  const cpuMs = () => (ksmd === undefined ? 0 : (ksmdCpuMs(ksmd) ?? 0));
  const watchMs = quick ? WATCH_QUICK_MS : WATCH_MS;
  const idle = await rate(tv, matches, () => sleep(IDLE_MS));
  const controller = new KsmController();
  const putBack = () => controller.stop();
  process.once('exit', putBack);
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(1));
  const cpu = { before: cpuMs(), steady: 0, after: 0 };
  let steadyMs = 0;
  /** @type {(import('../../machine/proc.js').Memory & {main: number})[]} */
  const looks = [];
  try {
    const scanned = await rate(tv, matches, async (pids) => {
      if (!off) {
        await startController(controller, { timeoutMs: LOCK_TIMEOUT_MS, everyMs: POLL_MS });
        const startedAt = performance.now();
        cpu.before = cpuMs();
        await modeOf(controller, 'trickle');
        steadyMs = performance.now() - startedAt;
      }
      cpu.steady = cpuMs();
      const until = performance.now() + watchMs;
      while (performance.now() < until) {
        await sleep(POLL_MS);
        looks.push({ ...memoryOf(pids), main: memoryOf(pids.slice(0, 1)).anon });
      }
      cpu.after = cpuMs();
    });
    /** @param {'pss' | 'anon' | 'main' | 'ksm'} key */
    const typical = (key) => median(looks.map((look) => look[key]));
    return {
      pss: typical('pss'),
      pss_anon: typical('anon'),
      pss_anon_main: typical('main'),
      pss_most: Math.max(...looks.map(({ pss }) => pss)),
      ksm: typical('ksm'),
      saved: 0, // see derive()
      ksmd_burst: cpu.steady - cpu.before,
      ksmd_trickle: ((cpu.after - cpu.steady) / watchMs) * 60_000,
      steady_after: steadyMs,
      ticks_idle: idle.ticks,
      ticks_scanned: scanned.ticks,
      late_idle: idle.late,
      late_scanned: scanned.late,
    };
  } finally {
    controller.stop();
  }
}

/** @param {KsmController} controller @param {string} mode */
async function modeOf(controller, mode) {
  const timeout = AbortSignal.timeout(STEADY_TIMEOUT_MS);
  const given = once(controller, 'yield', { signal: timeout }).then(() => {
    throw new Error('somebody else changed the settings of ksmd');
  });
  while (controller.mode !== mode) {
    await Promise.race([once(controller, 'mode', { signal: timeout }), given]);
    if (controller.mode === 'off') throw new Error('the controller says that it does not pay');
  }
  given.catch(() => {});
}

/**
 * How fast the workers tick while something else is done.
 * @param {import('node:child_process').ChildProcess} tv @param {number} matches
 * @param {(pids: number[]) => Promise<unknown>} meanwhile pids: the TV and all below it
 * @returns {Promise<{ticks: number, late: number}>} a worker, a second; percent of them
 */
async function rate(tv, matches, meanwhile) {
  const ask = async () => {
    tv.send('?');
    /** @type {[{ticks: number, lateTicks: number}[]]} */
    const [workers] = /** @type {any} */ (await once(tv, 'message'));
    if (workers.length !== matches) throw new Error(`${workers.length} of ${matches} matches run`);
    return {
      at: performance.now(),
      ticks: workers.reduce((sum, worker) => sum + worker.ticks, 0),
      late: workers.reduce((sum, worker) => sum + worker.lateTicks, 0),
    };
  };
  const before = await ask();
  await meanwhile(processTree(tv.pid ?? 0));
  const after = await ask();
  const ticks = after.ticks - before.ticks;
  return {
    ticks: (ticks / matches / (after.at - before.at)) * 1000,
    late: ((after.late - before.late) / ticks) * 100,
  };
}
