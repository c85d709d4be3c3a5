/**
 * Measures the start of a worker: from the call until its module is loaded, its job is created and its event loop runs.
 * Each engine is measured in four ways, a thread without the lock:
 *
 * - on demand: nothing has been prepared for this worker. The zygote runs without spare children.
 * - spare: one worker has been started in advance and waits for its task. The TV does this with the zygote only. Spare
 *   threads and processes exist only in this scenario, for a comparison, and have no engine.
 * - locked: the worker of a game of others. It locks itself, then imports the game, which is not in the zygote. The
 *   zygote has its spares, as in the TV.
 * - 8 at once: eight calls in a row, until the last worker is ready. The zygote has its spares, as in the TV.
 * - limit: a C program that has the memory and the mappings of the zygote forks a child, which writes to as many pages.
 *
 * Threads and processes of Node.js, Bun and Deno, without an engine, load and run the same job, on demand and 8 at
 * once. The main process runs in the same runtime as its workers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ENGINES } from '../../../app/engine/index.js';
import { missingForLock } from '../../../app/engine/lock.js';
import { memoryOfSync } from '../../../app/process/memory-account.js';
import { processTree } from '../../../app/process/process-tree.js';
import { cpuMs } from '../../machine/proc.js';
import { RUNTIME_NAMES } from '../../harness/runtimes.js';
import { median } from '../../stats/stats.js';
import job from './job.js';
import { measureLimit, sizeOf } from './limit.js';
import {
  BARE_LEVELS,
  openBare,
  openLikeTv,
  openLocked,
  openOnDemand,
  openWithSpare,
  sparePids,
} from './starters.js';

const JOB = new URL('./job.js', import.meta.url);
const OPTIONS = { bodies: 1000, seed: 1, match: 1 };
/** Pause before each measured start, so that the clean-up of the last worker is done. */
const REST_MS = 500;
const BURST = 8;

/** @typedef {{open: typeof openOnDemand, count: number}} Method count: number of workers that are started at once */

const ON_DEMAND = 'on demand';
const SPARE = 'spare';
const AT_ONCE = `${BURST} at once`;
const LOCKED = 'locked';
const LIMIT = 'limit';
/** @type {Readonly<Record<string, Method>>} */
const METHODS = Object.freeze({
  [ON_DEMAND]: { open: openOnDemand, count: 1 },
  [SPARE]: { open: openWithSpare, count: 1 },
  [AT_ONCE]: { open: openLikeTv, count: BURST },
  [LOCKED]: { open: openLocked, count: 1 },
  [LIMIT]: { open: openOnDemand, count: 1 },
});

/** Variants and runtimes of workers without an engine. */
const BARE_VARIANTS = [ON_DEMAND, AT_ONCE];
const BARE_ENGINES = ['node', ...RUNTIME_NAMES];

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'startup',
  title: 'Time from the start of a worker until it is ready',
  reference: { engine: 'process' },
  metrics: [
    { name: 'ready', unit: 'ms' },
    { name: 'call', unit: 'ms' },
    { name: 'first', unit: 'ms' },
    { name: 'cpu', unit: 'ms' },
    { name: 'peak_unreclaimable', unit: 'KiB' },
    { name: 'worker_unreclaimable', unit: 'KiB' },
    { name: 'zygote_anonymous', unit: 'KiB', compare: false },
    { name: 'zygote_mappings', unit: '', compare: false },
    { name: 'faults', unit: '', compare: false },
  ],

  configurations({ engines = [...ENGINES, ...BARE_ENGINES] }) {
    const own = ENGINES.filter((engine) => engines.includes(engine));
    const bare = BARE_ENGINES.filter((engine) => engines.includes(engine));
    return [
      ...Object.keys(METHODS).flatMap((variant) =>
        own
          .filter(
            (engine) =>
              (variant !== LIMIT || engine === 'zygote') && (variant !== LOCKED || canLock(engine)),
          )
          .map((engine) => ({ variant, engine })),
      ),
      ...BARE_VARIANTS.flatMap((variant) =>
        bare.flatMap((engine) => BARE_LEVELS.map((level) => ({ variant, engine, level }))),
      ),
    ];
  },

  runtime: ({ engine }) => RUNTIME_NAMES.find((name) => name === engine),

  // The rests before the measured starts, after the first start of a main process.
  phases: { rests: [3 * REST_MS, 2 * REST_MS] },

  async sample({ variant, engine, level }, { phases }) {
    const { open, count } = METHODS[variant];
    const starter = level
      ? openBare(level)
      : await open(String(engine), { url: JOB, sizes: job.sizes(OPTIONS) });
    if (variant === LIMIT) return forkProgram(starter, phases.rests / REST_MS);
    return startWorkers(starter, count, phases.rests / REST_MS);
  },

  notes: () => [
    'startup: first is the first start of a main process, whose code is not compiled yet. ready and call (until the call has returned) are medians of later starts. For 8 at once, ready is the time until the last worker is ready.',
    'startup: cpu and peak_unreclaimable are those of all processes and threads until the worker is ready. A zygote forks its next spare after that, which is not included.',
    'startup: worker_unreclaimable is the unreclaimable memory that 8 workers at once add, divided by 8. Spares count among them.',
    'startup: node, bun and deno are threads and processes without an engine, which load and step the same job. The main process runs in the same runtime. They have no mailbox, lock, limits or supervision.',
    'startup, limit: a C program that has as much private memory (zygote_anonymous) in as many mappings (zygote_mappings) as the zygote forks a child, which writes to as many pages as a worker has touched until it is ready (faults), and answers.',
    'startup: a spare process or thread has loaded the job’s module, and waits for its options, without an engine. The TV has a spare with the zygote only.',
  ],
};

/** @param {string} engine */
const canLock = (engine) => engine !== 'thread' && !missingForLock();

/**
 * Forks a C program of the zygote's size.
 * @param {import('./starters.js').Starter} starter @param {number} repeats
 * @returns {Promise<import('../../harness/scenarios.js').SampleResult>}
 */
async function forkProgram({ engine, prepare }, repeats) {
  const worker = await engine.start(JOB, { ...(await prepare()), options: OPTIONS });
  const size = sizeOf(worker.pid);
  await worker.stop();
  await engine.close();
  const { anonymousKib: zygote_anonymous, mappings: zygote_mappings, faults } = size;
  return {
    metrics: { ...measureLimit(size, repeats, REST_MS), zygote_anonymous, zygote_mappings, faults },
  };
}

/**
 * Starts workers and measures the time, the CPU time and the memory.
 * @param {import('./starters.js').Starter} starter @param {number} count number of workers that are started at once
 * @param {number} repeats
 * @returns {Promise<import('../../harness/scenarios.js').SampleResult>}
 */
async function startWorkers({ engine, prepare }, count, repeats) {
  /** Starts workers at once. @param {number} number of workers @returns measurements until the last one was ready */
  const start = async (number) => {
    const prepared = await prepare();
    const spares = sparePids();
    const others = processTree();
    const memoryBefore = memoryOfSync(others.filter((pid) => !spares.includes(pid)));
    const before = cpuMs(others);
    const began = performance.now();
    const workers = await Promise.all(
      Array.from({ length: number }, () => engine.start(JOB, { ...prepared, options: OPTIONS })),
    );
    const readyMs = number === 1 ? workers[0].startup.readyMs : performance.now() - began;
    const tree = [...new Set([...others, ...workers.map(({ pid }) => pid)])];
    const cpu = cpuMs(tree) - before;
    const memory = memoryOfSync(tree);
    const callMs = median(workers.map(({ startup }) => startup.spawnMs));
    await Promise.all(workers.map((worker) => worker.stop()));
    for (const { mailbox } of workers) engine.freeMailbox?.(mailbox);
    const addedKib = (memory.unreclaimableKib - memoryBefore.unreclaimableKib) / number;
    return { readyMs, callMs, cpu, memory, addedKib };
  };
  const first = await start(1);
  /** @type {Awaited<ReturnType<typeof start>>[]} */
  const measured = [];
  for (let i = 0; i < repeats; i++) {
    await sleep(REST_MS);
    measured.push(await start(count));
  }
  await engine.close();
  const typical = (/** @type {'readyMs' | 'callMs' | 'cpu' | 'addedKib'} */ field) =>
    median(measured.map((one) => one[field]));
  return {
    metrics: {
      ready: typical('readyMs'),
      call: typical('callMs'),
      first: first.readyMs,
      cpu: typical('cpu'),
      peak_unreclaimable: Math.max(...measured.map(({ memory }) => memory.unreclaimableKib)),
      // One worker adds less than the memory that the last one has left to the main process.
      ...(count > 1 && { worker_unreclaimable: typical('addedKib') }),
    },
  };
}
