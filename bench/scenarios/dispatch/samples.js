/**
 * Takes the samples of the dispatch scenario. Every answer is checked. The harness ends the process and all workers
 * afterwards.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { memoryOfSync } from '../../../app/process/memory-account.js';
import { processTree } from '../../../app/process/process-tree.js';
import { cpuMs } from '../../machine/proc.js';
import { median } from '../../stats/stats.js';

/**
 * @typedef {import('./pools.js').PoolKind} PoolKind
 * @typedef {import('./pools.js').Pool} Pool
 * @typedef {{bytes: number, level: string}} Load
 * @typedef {{metrics: Record<string, number>}} Result
 */

/** Between two tasks of a latency. A worker that gets no task for a millisecond has gone to sleep. */
const PAUSES_MS = { latency: 0, latency_idle: 1 };
const KILLS = 5;
/** An idle pool has settled by then: libraries start workers, V8 collects garbage. */
const SETTLE_MS = 1000;
const SETTLE_KILLED_MS = 100;
const RECOVERY_TIMEOUT_MS = 10_000;

/**
 * Measures what tasks cost, and how long the first result takes.
 * @param {PoolKind} kind @param {number} workers @param {Load} load
 * @param {Record<string, number>} phases warm, busy, and alone for one task after the other, ms
 * @returns {Promise<Result>}
 */
export async function sampleTasks(kind, workers, load, phases) {
  const cold = await timeOpening(kind, workers);
  const { pool } = cold;
  // Tasks in flight: the next task of each worker is sent before it asks for it.
  const run = makeLoad(pool, load, 2 * workers);
  await run(phases.warm);
  const tree = processTree(process.pid);
  const before = cpuMs(tree);
  const tasks = await run(phases.busy);
  /** @type {Record<string, number>} */
  const metrics = { cpu: ((cpuMs(tree) - before) * 1000) / tasks };
  for (const [name, pauseMs] of Object.entries(PAUSES_MS))
    metrics[name] = median(await timeTasks(pool, load, phases.alone, pauseMs));
  if (load.bytes === 0) {
    metrics.cold = cold.milliseconds;
    const second = await timeOpening(kind, workers);
    metrics.second_pool = second.milliseconds;
  }
  return { metrics };
}

/** Opens a pool and runs its first task. @param {PoolKind} kind @param {number} workers */
async function timeOpening(kind, workers) {
  const began = performance.now();
  const pool = await kind.open(workers);
  await pool.run(null);
  return { pool, milliseconds: performance.now() - began };
}

/**
 * Measures the time from the kill of an idle worker until the next task is answered.
 * @param {PoolKind} kind @param {number} workers
 * @returns {Promise<Result>}
 */
export async function sampleRecovery(kind, workers) {
  const { pool } = await timeOpening(kind, workers);
  const times = [];
  for (let i = 0; i < KILLS; i++) {
    await delay(SETTLE_KILLED_MS);
    const began = performance.now();
    pool.kill?.();
    await answer(pool, began + RECOVERY_TIMEOUT_MS);
    times.push(performance.now() - began);
  }
  return { metrics: { recovery: median(times) } };
}

/**
 * Sends a task again until a worker answers it. Pools differ in what happens to a task that a dead worker has.
 * @param {Pool} pool @param {number} end performance.now()
 */
async function answer(pool, end) {
  while (performance.now() < end) {
    const late = delay(end - performance.now(), false);
    const answered = pool.run(null).then(
      () => true,
      () => delay(0, false),
    );
    if (await Promise.race([answered, late])) return;
  }
  throw new Error(`no task was answered within ${RECOVERY_TIMEOUT_MS / 1000} s`);
}

/** Measures the memory of idle workers. @param {PoolKind} kind @param {number} workers @returns {Promise<Result>} */
export async function sampleIdle(kind, workers) {
  const before = unreclaimableKib();
  const { pool } = await timeOpening(kind, workers);
  await Promise.all(Array.from({ length: 4 * workers }, () => pool.run(null)));
  await delay(SETTLE_MS);
  return { metrics: { idle_memory: unreclaimableKib() - before } };
}

/** The memory of this process and its descendants. */
const unreclaimableKib = () => memoryOfSync(processTree(process.pid)).unreclaimableKib;

/** Slow pools exceed the duration of a phase to complete this many tasks. */
const MIN_TASKS = 5;

/**
 * Makes a function that runs a task and returns how long it took, ms. Its payload is the same each time, and begins and
 * ends with a byte that is different each time.
 * @param {Pool} pool @param {Load} load
 */
function makeLane(pool, { bytes, level }) {
  if (level === 'allocated' && !pool.allocate) throw new Error('the pool has no shared memory');
  const allocate = (level === 'allocated' && pool.allocate) || Buffer.alloc;
  /** @type {import('./pools.js').Payload} */
  const payload = bytes === 0 ? null : allocate(bytes);
  let tag = 0;
  return async () => {
    if (payload) payload[0] = payload[payload.length - 1] = tag = (tag + 1) & 0xff;
    const began = performance.now();
    const answer = await pool.run(payload);
    const duration = performance.now() - began;
    if (payload && !isPayload(answer, bytes, tag))
      throw new Error('the answer differs from the payload');
    return duration;
  };
}

/**
 * Checks the size of an answer and its first and last bytes.
 * @param {any} answer JSON turns a Buffer into {type, data}; some pools turn it into an object with a key for each byte
 * @param {number} bytes @param {number} tag
 */
function isPayload(answer, bytes, tag) {
  const data = answer?.data ?? answer ?? {};
  const size = data.length ?? Object.keys(data).length;
  return size === bytes && data[0] === tag && data[bytes - 1] === tag;
}

/**
 * Makes a function that keeps a pool busy for a time.
 * @param {Pool} pool @param {Load} load @param {number} atOnce tasks in flight
 * @returns {(milliseconds: number) => Promise<number>} resolves with the number of tasks
 */
function makeLoad(pool, load, atOnce) {
  const lanes = Array.from({ length: atOnce }, () => makeLane(pool, load));
  return async (milliseconds) => {
    const end = performance.now() + milliseconds;
    let tasks = 0;
    const runLane = async (/** @type {() => Promise<number>} */ lane) => {
      while (tasks < MIN_TASKS || performance.now() < end) {
        await lane();
        tasks++;
      }
    };
    await Promise.all(lanes.map(runLane));
    return tasks;
  };
}

/**
 * Sends one task after the other.
 * @param {Pool} pool @param {Load} load @param {number} milliseconds
 * @param {number} pauseMs between an answer and the next task
 * @returns {Promise<number[]>} duration of each task, ms
 */
async function timeTasks(pool, load, milliseconds, pauseMs) {
  const lane = makeLane(pool, load);
  const end = performance.now() + milliseconds;
  /** @type {number[]} */
  const times = [];
  while (times.length < MIN_TASKS || performance.now() < end) {
    times.push(await lane());
    if (pauseMs > 0) await delay(pauseMs);
  }
  return times;
}
