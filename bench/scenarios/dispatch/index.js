/**
 * Measures the cost of a task that a worker answers with the same payload: none, 1 KiB or 1 MiB.
 *
 * pitv's engines have no tasks. Either each task starts a worker (`pitv thread a task`), or workers and the main thread
 * poll their mailboxes a thousand times a second (`pitv mailbox`). Polling limits the latency, and costs the same when
 * there is no task. A mailbox carries at most 1 KiB to a worker, so this variant does not exist for 1 MiB.
 */
import { POOLS, WORKERS } from './pools.js';
import { processTree } from '../../../app/process/process-tree.js';
import { cpuMs, cpuMsOfAll } from '../../machine/proc.js';
import { median } from '../../stats/stats.js';

const SIZES = [0, 1024, 1024 * 1024];
const PHASES_MS = { warm: 300, busy: 400, alone: 300 };
const PHASES_QUICK_MS = { warm: 100, busy: 150, alone: 100 };
/** The value of each byte of a payload. */
const FILL = 7;
/** Tasks in flight while CPU time is measured. */
const IN_FLIGHT = 2 * WORKERS;
/** Slow pools exceed the duration of a phase to complete this many tasks. */
const MIN_TASKS = 5;

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'dispatch',
  title: `A task and its answer, with ${WORKERS} workers; n = bytes in each direction`,
  measures: ['app/engine'],
  reference: 'piscina',
  metrics: [
    { name: 'cpu', unit: 'µs' },
    { name: 'latency', unit: 'ms' },
    { name: 'rate', unit: 'tasks/s', better: 'higher' },
    { name: 'cold', unit: 'ms' },
  ],

  configurations: ({ engines }) =>
    SIZES.flatMap((n) =>
      Object.entries(POOLS)
        .filter(([, { engine }]) => engines === undefined || engines.includes(engine))
        .filter(([, { maxBytes = Infinity }]) => n <= maxBytes)
        .map(([variant]) => ({ variant, n })),
    ),

  async sample({ variant, n }, { quick }) {
    const bytes = Number(n);
    const opened = performance.now();
    const pool = await POOLS[variant].open(bytes);
    const phases = quick ? PHASES_QUICK_MS : PHASES_MS;
    /** Sends a new payload each time, because a channel may keep a reference to an old one. */
    const task = async () => {
      const answer = await pool.run(bytes === 0 ? null : Buffer.alloc(bytes, FILL));
      if (bytes > 0 && !isPayload(answer, bytes))
        throw new Error('the answer differs from the payload');
    };
    await task();
    const cold = performance.now() - opened;
    await runTasks(phases.warm, IN_FLIGHT, task);
    // Only cpuMsOfAll(), with its resolution of 10 ms, includes processes that have ended.
    const used = POOLS[variant].shortLived ? cpuMsOfAll : cpuMs;
    const tree = processTree(process.pid);
    const before = used(tree);
    const began = performance.now();
    const busy = await runTasks(phases.busy, IN_FLIGHT, task);
    const seconds = (performance.now() - began) / 1000;
    const cpu = ((used(tree) - before) * 1000) / busy.length;
    const alone = await runTasks(phases.alone, 1, task);
    await pool.close();
    return { metrics: { cpu, rate: busy.length / seconds, latency: median(alone), cold } };
  },

  notes: () => [
    'dispatch: all variants carry n bytes in both directions. cold is the time from opening the pool until its first task is done; it includes loading the library and starting the workers.',
  ],
};

/**
 * Checks the size of an answer and its first and last bytes.
 * @param {any} answer JSON turns a Buffer into {type, data}; some pools turn it into an object with a key for each byte
 * @param {number} bytes
 */
function isPayload(answer, bytes) {
  const data = answer?.data ?? answer ?? {};
  const size = data.length ?? Object.keys(data).length;
  return size === bytes && data[0] === FILL && data[bytes - 1] === FILL;
}

/**
 * Runs tasks for a time, a fixed number of them at once.
 * @param {number} milliseconds @param {number} atOnce @param {() => Promise<void>} task
 * @returns {Promise<number[]>} duration of each task, ms
 */
async function runTasks(milliseconds, atOnce, task) {
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
