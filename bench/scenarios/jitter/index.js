/**
 * Measures how evenly a match ticks. Bots play a game at a rate that gives many ticks in a short time. In children of a
 * zygote, garbage collection and compilation run on the same thread as the ticks.
 *
 * The scenario separates two causes of long ticks:
 *
 * - Garbage collection: V8 reports its collections with their times (PerformanceObserver, 'gc'). `tick_p999_no_gc`
 *   subtracts those that fall into a tick. A child of the zygote collects between two ticks.
 * - Compilation and deoptimization: V8 reports no times. The control runs the same ticks with the optimizing compilers
 *   switched off (`--no-opt --no-maglev`). Nothing is optimized or deoptimized there, but the code is slower: compare
 *   `tick_p50`, too.
 *
 * `locked` runs the same ticks in a worker that has locked itself. Its difference to an unlocked one of the same engine
 * is what the lock costs a tick: mostly the filter of system calls, of which the loop makes some for each tick. The
 * difference of their memory is that of the lock alone.
 */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ENGINES, createEngine } from '../../../app/engine/index.js';
import { missingForLock } from '../../../app/engine/lock-support.js';
import job, { FIGURES } from './job.js';

const JOB = new URL('./job.js', import.meta.url);
const GAME = { seed: 1, match: 1 };
const TICK_HZ = 250;
const TICKS = 6000;
const TICKS_QUICK = 2000;
const POLL_MS = 100;
const NO_OPTIMIZER = 'no optimizing compiler';
const LOCKED = 'locked';
/** What the job imports, besides the code of pitv that the zygote or the lock of a process has. */
const READABLE = [
  '.',
  '../../../app',
  '../../../package.json',
  '../../../node_modules/simple-statistics',
];

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'jitter',
  title: `Duration of a match's ticks, and interval between them, at ${TICK_HZ} Hz`,
  measures: ['app/engine', 'app/games/bumper'],
  reference: 'process',
  metrics: [
    { name: 'tick_p50', unit: 'ms' },
    { name: 'tick_p999', unit: 'ms' },
    { name: 'tick_p999_no_gc', unit: 'ms' },
    { name: 'gc', unit: 'ms per 1,000 ticks' },
    { name: 'gc_in_ticks', unit: 'ms per 1,000 ticks' },
    { name: 'gap_p999', unit: 'ms' },
    { name: 'cpu', unit: 'ms per 1,000 ticks' },
    { name: 'uss', unit: 'KiB' },
  ],

  configurations: ({ engines = ENGINES }) =>
    engines.flatMap((engine) => [
      { variant: engine, engine },
      { variant: engine, engine, level: NO_OPTIMIZER },
      ...(engine === 'thread' || missingForLock()
        ? []
        : [{ variant: engine, engine, level: LOCKED }]),
    ]),

  cost: (_, { quick }) => ({ seconds: (quick ? TICKS_QUICK : TICKS) / TICK_HZ, starts: 5 }),

  async sample({ engine, level }, { quick }) {
    const ticks = quick ? TICKS_QUICK : TICKS;
    const host = await createEngine(String(engine), { modules: [JOB], thorough: true });
    const options = { game: GAME, ticks, noOptimizer: level === NO_OPTIMIZER };
    const sizes = job.sizes(options);
    const readable = READABLE.map((path) => fileURLToPath(new URL(path, import.meta.url)));
    const lock = level === LOCKED ? { readable } : undefined;
    const worker = await host.start(JOB, { sizes, options, tickHz: TICK_HZ, lock });
    const figures = await new Promise((resolve, reject) => {
      once(worker, 'exit').then(([{ reason }]) => reject(new Error(`the worker ended: ${reason}`)));
      const timer = setInterval(() => {
        worker.mailbox.takeFrame();
        const { bytes } = worker.mailbox.lastFrame;
        if (bytes.length === 0) return;
        clearInterval(timer);
        resolve(new Float64Array(bytes.slice().buffer));
      }, POLL_MS);
    });
    const { ussKib } = await worker.stats();
    await host.close();
    const measured = Object.fromEntries(FIGURES.map((name, i) => [name, figures[i]]));
    return { metrics: { ...measured, uss: ussKib ?? NaN } };
  },

  notes: () => [
    'jitter: tick_p999_no_gc is without the time of garbage collections, as V8 reports it. gc counts all collections, gc_in_ticks only those that fall into ticks. `no optimizing compiler` runs without V8’s optimizing compilers, so nothing is compiled late or deoptimized, and all code is slower.',
    'jitter: cpu is the CPU time of the worker’s process, between and within its ticks; with the engine thread, that of the whole program. uss is the memory that the process shares with no other one; a thread has none of its own.',
  ],
};
