/** What each option of piscina does: checks that run with piscina and with every engine of the pool. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/folders.js';

const MAX_QUESTIONS = 100;

export const ABOUT = fileURLToPath(new URL('modules/about.js', import.meta.url));

/**
 * @typedef {object} Place
 * @property {(options?: any) => any} open a pool of one worker that handles tasks by modules/about.js
 * @property {boolean} isPiscina @property {boolean} isThread
 * @property {any} library the class
 *
 * @typedef {(place: Place) => Promise<void>} Check
 */

/** @param {any} pool @param {string} name @param {any} [task] */
export const call = (pool, name, task) => pool.run(task, { name });

/** Opens a pool whose workers have all started. @param {Place} place @param {any} [options] */
export async function openReady({ open }, options) {
  const pool = open(options);
  await pool.run(0);
  return pool;
}

/** Runs a task that takes until the returned function is called. @param {any} pool @param {any} [options] */
export function occupy(pool, options) {
  const abort = new AbortController();
  const ended = pool.run(0, { name: 'hang', signal: abort.signal, ...options }).catch(() => {});
  return () => (abort.abort(), ended);
}

/** Checks of the constructor's options. @type {Record<string, Check>} */
export const OPTIONS = {
  async filename({ open }) {
    assert.equal(await open({ filename: ABOUT }).run(1), 1);
    await assert.rejects(open({ filename: null }).run(1), /filename must be provided/);
  },
  async name({ open }) {
    assert.deepEqual(await open({ name: 'argv' }).run(0), []);
  },
  async minThreads(place) {
    const pool = await openReady(place, { minThreads: 2, maxThreads: 3 });
    assert.equal(pool.threads.length, 2);
    assert.equal(pool.minThreads, 2);
  },
  async maxThreads(place) {
    const pool = await openReady(place, { minThreads: 1, maxThreads: 2, idleTimeout: 1e6 });
    await Promise.all(Array.from({ length: 8 }, (_, i) => pool.run(i)));
    assert.equal(pool.threads.length, 2);
  },
  async idleTimeout(place) {
    const pool = await openReady(place, { minThreads: 1, maxThreads: 2, idleTimeout: 20 });
    const ended = once(pool, 'workerDestroy');
    await Promise.all(Array.from({ length: 8 }, (_, i) => pool.run(i)));
    await ended;
    assert.equal(pool.threads.length, 1);
  },
  async maxQueue(place) {
    assert.equal(place.open({ maxThreads: 3, maxQueue: 'auto' }).options.maxQueue, 9);
    const pool = await openReady(place, { maxQueue: 1 });
    const end = occupy(pool);
    const waiting = pool.run('waits');
    assert.equal(pool.queueSize, 1);
    await assert.rejects(pool.run('one too many'), /Task queue is at limit/);
    await end();
    assert.equal(await waiting, 'waits');
    const none = await openReady(place, { maxQueue: 0 });
    const endOther = occupy(none);
    await assert.rejects(none.run(0), /No task queue available and all Workers are busy/);
    await endOther();
  },
  async concurrentTasksPerWorker(place) {
    const pool = await openReady(place, { concurrentTasksPerWorker: 2 });
    assert.deepEqual(await Promise.all([call(pool, 'meet'), call(pool, 'meet')]), [2, 2]);
    assert.equal(pool.threads.length, 1);
  },
  async atomics({ open }) {
    for (const atomics of ['sync', 'async', 'disabled']) {
      const pool = open({ atomics });
      await call(pool, 'leaveTimer');
      let turns = 0;
      // A question lets timers run, too.
      for (let asked = 1; asked <= MAX_QUESTIONS && turns <= 2 * asked; asked++) {
        await delay(50);
        turns = await call(pool, 'timerTurns');
        if (atomics === 'sync') break;
      }
      assert.ok(atomics === 'sync' ? turns <= 2 : turns > 2, `${atomics}: ${turns}`);
    }
  },
  async resourceLimits({ open }) {
    const small = open({ resourceLimits: { maxOldGenerationSizeMb: 32 } });
    assert.ok((await call(small, 'heapLimit')) < (await call(open(), 'heapLimit')) / 2);
  },
  async env({ open }) {
    assert.equal(await call(open({ env: { PITV_TEST: 'given' } }), 'env', 'PITV_TEST'), 'given');
  },
  async argv({ open }) {
    assert.deepEqual(await call(open({ argv: ['a', 1] }), 'argv'), ['a', '1']);
  },
  async execArgv({ open }) {
    const given = await call(open({ execArgv: ['--no-deprecation'] }), 'execArgv');
    assert.ok(given.includes('--no-deprecation'));
  },
  async taskQueue(place) {
    const tasks = /** @type {any[]} */ ([]);
    const taskQueue = {
      get size() {
        return tasks.length;
      },
      push(/** @type {any} */ task) {
        assert.deepEqual([typeof task.taskId, typeof task.task], ['number', 'number']);
        tasks.push(task);
      },
      shift: () => tasks.pop() ?? null, // last in, first out
      remove: (/** @type {any} */ task) => tasks.splice(tasks.indexOf(task), 1),
    };
    const pool = await openReady(place, { taskQueue });
    const end = occupy(pool);
    /** @type {number[]} */
    const order = [];
    const runs = [1, 2, 3].map((n) => pool.run(n).then(() => order.push(n)));
    await end();
    await Promise.all(runs);
    assert.deepEqual(order, [3, 2, 1]);
  },
  async niceIncrement({ open }) {
    const plain = await call(open(), 'priority');
    const nice = await call(open({ niceIncrement: 3 }), 'priority');
    assert.equal(nice, Math.min(19, plain + 3));
  },
  async trackUnmanagedFds({ open, isThread }) {
    if (!isThread) return; // a process closes all descriptors when it ends
    for (const trackUnmanagedFds of [true, false]) {
      const pool = open({ trackUnmanagedFds });
      const file = join(temporaryFolder(), 'open'); // no other thread opens it, as it may a module
      writeFileSync(file, '');
      const fd = await call(pool, 'leaveOpen', file);
      await pool.destroy();
      const link = `/proc/self/fd/${fd}`;
      const isOpen = existsSync(link) && readlinkSync(link) === file; // another file may have got the number
      assert.equal(isOpen, !trackUnmanagedFds);
    }
  },
  async closeTimeout(place) {
    const pool = await openReady(place, { closeTimeout: 20 });
    const failed = once(pool, 'error');
    const running = assert.rejects(call(pool, 'hang'));
    await pool.close();
    await failed;
    await running;
  },
  async recordTiming(place) {
    const pool = await openReady(place);
    for (const summary of [pool.histogram.runTime, pool.histogram.waitTime]) {
      assert.ok(summary.max >= summary.p50 && summary.p50 >= summary.min && summary.max > 0);
    }
    assert.ok(pool.utilization > 0 && pool.utilization <= 1);
    if (!place.isPiscina) assert.ok(pool.runTime.max > 0 && pool.waitTime.max > 0);
    pool.histogram.resetRunTime();
    assert.equal(pool.histogram.runTime.max, 0);
    const without = await openReady(place, { recordTiming: false });
    assert.equal(without.utilization, 0);
  },
  async workerHistogram({ open }) {
    const pool = open({ workerHistogram: true });
    const [worker] = await once(pool, 'workerCreate');
    await pool.run(0);
    await pool.run(0);
    assert.ok(worker.histogram.max > 0);
  },
  async stricterFIFO(place) {
    const pool = await openReady(place, { stricterFIFO: true });
    /** @type {number[]} */
    const order = [];
    await Promise.all([1, 2, 3].map((n) => pool.run(n).then(() => order.push(n))));
    assert.deepEqual(order, [1, 2, 3]);
  },
  async loadBalancer(place) {
    /** @type {any[]} */
    const calls = [];
    const loadBalancer = (/** @type {any} */ task, /** @type {any[]} */ workers) => {
      calls.push([task.name, task.isAbortable]);
      return workers.find((worker) => worker.currentUsage === 0) ?? null;
    };
    const pool = await openReady(place, { loadBalancer, minThreads: 2, maxThreads: 2 });
    assert.equal(await pool.run(5, { signal: new AbortController().signal }), 5);
    assert.deepEqual(calls[0], ['default', false]);
    assert.deepEqual(calls.at(-1), ['default', true]);
  },
  async workerData({ open, isPiscina }) {
    if (isPiscina) return; // it has no such modules; its own workerData is that of node:worker_threads
    const filename = `data:text/javascript,import { workerData } from '${LIBRARY}';export default () => workerData;`;
    const workerData = { deep: [1] };
    assert.deepEqual(await open({ filename, workerData }).run(0), workerData);
  },
};
const LIBRARY = new URL('../../app/pool/index.js', import.meta.url).href;

/** Checks of what run() takes. @type {Record<string, Check>} */
export const RUN_OPTIONS = {
  async transferList({ open }) {
    const bytes = new Uint8Array([1, 2]);
    assert.deepEqual(
      await open().run(bytes, { transferList: [bytes.buffer] }),
      Uint8Array.of(1, 2),
    );
    assert.equal(bytes.byteLength, 0);
  },
  async filename({ open }) {
    assert.equal(await open({ filename: null }).run(1, { filename: ABOUT }), 1);
  },
  async name({ open }) {
    assert.deepEqual(await open().run(0, { name: 'argv' }), []);
  },
  async signal(place) {
    const pool = await openReady(place);
    const [worker] = pool.threads;
    const abort = new AbortController();
    const running = pool.run(0, { name: 'hang', signal: abort.signal });
    const next = pool.run('next');
    abort.abort(); // in the same turn: the worker may not have begun it
    await assert.rejects(running, { name: 'AbortError' });
    assert.equal(await next, 'next');
    if (place.isPiscina) assert.notEqual(pool.threads[0], worker);
  },
};
