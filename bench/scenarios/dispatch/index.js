/**
 * What it costs to have a task done elsewhere: an empty one, and one with 1 KB or 1 MB that goes there
 * and comes back. pitv's engines have no tasks. Either a worker is started for each (`thread a task`),
 * or workers that run look into their mailboxes a thousand times a second, as the main thread does for
 * answers (`mailbox`), which bounds the latency from below and costs the same with nothing to do.
 */
import { POOLS, WORKERS } from './pools.js';
import { cpuMs, cpuMsOfAll, processTree } from '../../machine/proc.js';
import { median } from '../../stats/stats.js';

const SIZES = [0, 1024, 1024 * 1024];
const PHASES_MS = { warm: 300, busy: 400, alone: 300 };
const PHASES_QUICK_MS = { warm: 100, busy: 150, alone: 100 };
/** Tasks under way at once while CPU time is taken. */
const IN_FLIGHT = 2 * WORKERS;
/** Slow ones take longer for these. */
const MIN_TASKS = 5;

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'dispatch',
  title: `A task to a worker and back, ${WORKERS} workers; n = bytes each way`,
  reference: 'piscina',
  metrics: [
    { name: 'cpu', unit: 'µs' },
    { name: 'latency', unit: 'ms' },
    { name: 'rate', unit: 'tasks/s', better: 'higher' },
  ],

  configurations: ({ engines }) =>
    SIZES.flatMap((n) =>
      Object.entries(POOLS)
        .filter(([, { engine }]) => engines === undefined || engines.includes(engine))
        .map(([variant]) => ({ variant, n })),
    ),

  async sample({ variant, n }, { quick }) {
    const bytes = Number(n);
    const pool = await POOLS[variant].open(bytes);
    const phases = quick ? PHASES_QUICK_MS : PHASES_MS;
    /** A fresh one each time, for a channel may keep what it has seen. */
    const task = async () => {
      const answer = await pool.run(bytes === 0 ? null : Buffer.alloc(bytes, 7));
      if (bytes > 0 && sizeOf(answer) !== bytes) throw new Error('it did not come back whole');
    };
    await keepGoing(phases.warm, IN_FLIGHT, task);
    // What ended meanwhile is only in the coarse figure.
    const used = POOLS[variant].shortLived ? cpuMsOfAll : cpuMs;
    const tree = processTree(process.pid);
    const before = used(tree);
    const began = performance.now();
    const busy = await keepGoing(phases.busy, IN_FLIGHT, task);
    const seconds = (performance.now() - began) / 1000;
    const cpu = ((used(tree) - before) * 1000) / busy.length;
    const alone = await keepGoing(phases.alone, 1, task);
    await pool.close();
    return { metrics: { cpu, rate: busy.length / seconds, latency: median(alone) } };
  },

  notes: () => [
    'pitv mailbox: a word goes there, n bytes come back; the others carry n both ways.',
  ],
};

/** @param {any} answer JSON makes {type, data} of a Buffer @returns {number} bytes */
function sizeOf(answer) {
  return answer?.data?.length ?? answer?.byteLength ?? Object.keys(answer ?? {}).length;
}

/**
 * @param {number} milliseconds @param {number} atOnce @param {() => Promise<void>} task
 * @returns {Promise<number[]>} how long each task took, ms
 */
async function keepGoing(milliseconds, atOnce, task) {
  const end = performance.now() + milliseconds;
  /** @type {number[]} */
  const times = [];
  const lane = async () => {
    while (times.length < MIN_TASKS || performance.now() < end) {
      const began = performance.now();
      await task();
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return times;
}
