/**
 * Measures the cost of a task that a worker answers with the same payload. Payloads are copied, or lie in memory that
 * pool and workers share (allocated). Two more levels measure the time until a pool answers after a worker was killed,
 * and the memory of idle workers.
 *
 * `Bun Worker`, `Bun IPC`, `Deno Worker` and `Deno IPC` run both sides in that runtime: the same programs of this
 * harness send, answer and measure. They correspond to `bare postMessage` and `bare IPC advanced` of Node.js.
 */
import { POOLS } from './pools.js';
import { sampleIdle, sampleRecovery, sampleTasks } from './samples.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const SIZES = [0, KIB, MIB];
const IDLE_WORKERS = 8;

/**
 * @typedef {import('./pools.js').PoolKind} PoolKind
 * @typedef {Required<Pick<import('../../harness/scenarios.js').Configuration, 'level' | 'workers' | 'n'>>} Place
 */

/** Lists what is measured of a pool. @param {PoolKind} kind @returns {Place[]} */
function placesOf({ allocates, recovers }) {
  return [
    { level: 'copied', workers: 1, n: 0 },
    ...SIZES.map((n) => ({ level: 'copied', workers: 2, n })),
    ...(allocates ? [{ level: 'allocated', workers: 2, n: MIB }] : []),
    { level: 'idle', workers: IDLE_WORKERS, n: 0 },
    ...(recovers ? [{ level: 'killed', workers: 1, n: 0 }] : []),
  ];
}

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'dispatch',
  title: 'A task and its answer; n = bytes in each direction',
  reference: 'piscina',
  metrics: [
    { name: 'cpu', unit: 'µs' },
    { name: 'latency', unit: 'ms' },
    { name: 'latency_idle', unit: 'ms' },
    { name: 'cold', unit: 'ms' },
    { name: 'second_pool', unit: 'ms' },
    { name: 'recovery', unit: 'ms' },
    { name: 'idle_memory', unit: 'KiB' },
  ],

  configurations: ({ engines }) =>
    Object.entries(POOLS)
      .filter(([, { engine }]) => engines === undefined || engines.includes(engine))
      .flatMap(([variant, kind]) => placesOf(kind).map((place) => ({ variant, ...place }))),

  runtime: ({ variant }) => POOLS[variant].runtime,

  // By the end of warm, V8 has compiled what runs for each task. A shorter phase measures the compilers.
  phases: { warm: [1000, 150], busy: [300, 150], alone: [120, 80] },

  async sample({ variant, level, workers, n }, { phases }) {
    const kind = POOLS[variant];
    const count = Number(workers);
    if (level === 'idle') return sampleIdle(kind, count);
    if (level === 'killed') return sampleRecovery(kind, count);
    return sampleTasks(kind, count, { bytes: Number(n), level: String(level) }, phases);
  },

  notes: () => [
    'dispatch: all variants carry n bytes in both directions. Payloads are written and read at both ends only. latency is that of one task after the other, latency_idle that of a task a millisecond after the one before. Bun and Deno run both sides. cold is the time from opening the pool until its first task is done, with loading the library and starting the workers; second_pool is the same for a second pool of the same module.',
  ],
};
