/** What is the same in every engine: values, errors, aborts, deaths of workers. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { until } from '../support/tv.js';
import { ENGINES, moduleUrl, poolFor, readyPoolFor, sharedWords } from './helpers.js';

/** A worker that does not wake up would keep its tests waiting for ever. */
const TIMEOUT_MS = 600_000;

for (const [name, engine] of Object.entries(ENGINES)) {
  describe(name, { timeout: TIMEOUT_MS }, () => {
    const isThread = engine.engine === 'thread';
    const withoutAddon = engine.addon === false && 'needs the addon';
    const pool = poolFor({ after }, { ...engine, workerData: { of: name } });

    test('a worker that starts accepts as many tasks as it may run', async (t) => {
      const options = { minThreads: 0, maxQueue: 0, concurrentTasksPerWorker: 2 };
      const pool = poolFor(t, { ...engine, ...options });
      const tasks = [1, 2].map((n) => pool.run(n));
      await assert.rejects(pool.run(3), { code: 'PITV_POOL_FULL' });
      assert.deepEqual(await Promise.all(tasks), [1, 2]);
    });

    test('a value that cannot be cloned rejects, in both directions', async () => {
      const { completed } = pool;
      await assert.rejects(
        pool.run(() => {}),
        { name: 'DataCloneError' },
      );
      await assert.rejects(pool.run(0, { name: 'returnFunction' }), { name: 'DataCloneError' });
      assert.equal(await pool.run('next'), 'next');
      assert.equal(pool.completed - completed, 3);
    });

    test('a result that throws when it is looked at rejects, and its worker goes on', async (t) => {
      const other = poolFor(t, { ...engine, filename: moduleUrl('about.js') });
      const ends = /** @type {unknown[]} */ ([]);
      other.on('workerDestroy', (worker) => ends.push(worker));
      assert.equal(await other.run(0, { name: 'trap' }), 0); // the function is loaded
      await assert.rejects(other.run(1, { name: 'trap' }), { message: 'trapped' });
      assert.equal(await other.run(1), 1);
      assert.deepEqual(ends, []);
    });

    test('large values arrive', async () => {
      // in a record, and in some chunks
      for (const bytes of [100_000, 3 << 20, 9 << 20]) {
        const task = new Uint8Array(bytes).map((_, i) => i * 7 + (i >> 12));
        assert.equal(Buffer.compare(await pool.run(task), task), 0, `${bytes} bytes`);
      }
    });

    test('errors keep class, message, stack and code; other thrown values arrive', async () => {
      await assert.rejects(pool.run(0, { name: 'fail' }), (error) => {
        assert.ok(error instanceof TypeError);
        assert.match(String(error.stack), /wrong[^]*tasks\.js/);
        return Reflect.get(error, 'code') === 'WRONG';
      });
      await assert.rejects(pool.run(0, { name: 'throwValue' }), { no: 'error' });
      await assert.rejects(pool.run(0, { name: 'missing' }), { code: 'PITV_TASK_HANDLER' });
    });

    test('functions: async, of CommonJS, by name, of another file, promised', async () => {
      const common = moduleUrl('common.cjs');
      assert.equal(await pool.run(1, { name: 'later' }), 1);
      assert.equal(await pool.run(1, { filename: common }), 2);
      assert.equal(await pool.run(4, { filename: common, name: 'double' }), 8);
      assert.equal(await pool.run(4, { filename: moduleUrl('late.cjs').pathname }), 104);
      await assert.rejects(pool.run(0, { filename: moduleUrl('none.js') }), /none\.js/);
    });

    test('a module may export promises that wait for timers', async (t) => {
      const pool = poolFor(t, { ...engine, filename: moduleUrl('late.js') });
      assert.equal(await pool.run(1), 201);
      assert.equal(await pool.run(1, { name: 'named' }), 301);
    });

    test('a module needs no default export', async (t) => {
      const pool = poolFor(t, { ...engine, filename: moduleUrl('named.js') });
      assert.equal(await pool.run(2, { name: 'add' }), 3);
      await assert.rejects(pool.run(2), { code: 'PITV_TASK_HANDLER' });
      assert.equal(await pool.run(3, { name: 'add' }), 4);
    });

    test('what a task stores in its async context does not reach the next one', async () => {
      const enter = (/** @type {string} */ value) => pool.run(value, { name: 'enterContext' });
      assert.deepEqual(await Promise.all(['a', 'b', 'c'].map(enter)), Array(3).fill(undefined));
      assert.equal(await pool.run(0, { name: 'readContext' }), undefined);
    });

    test('a closed pool has no shared memory', async () => {
      const mappings = () => readFileSync('/proc/self/maps', 'utf8').split('memfd:pitv').length;
      const open = async () => {
        const { pool } = await readyPoolFor({ after() {} }, engine);
        await pool.close();
      };
      await pool.run(0); // its worker maps memory of its own
      const before = mappings();
      for (let i = 0; i < 3; i++) await open();
      await until(() => mappings() === before, 'the memory to be unmapped');
    });

    test('a worker that runs a task takes another one after a collection of garbage', async (t) => {
      const pool = poolFor(t, { ...engine, concurrentTasksPerWorker: 2 });
      const words = sharedWords(pool);
      const first = pool.run(words, { name: 'awaitAfterCollection' });
      await until(() => Atomics.load(words, 1) === 1, 'the first task');
      assert.equal(await pool.run('second'), 'second');
      Atomics.store(words, 0, 1);
      await first;
    });

    test('allocated memory is neither copied nor moved', { skip: withoutAddon }, async () => {
      const bytes = pool.allocate(100);
      assert.deepEqual(bytes, new Uint8Array(100));
      for (const transferList of [[], [bytes.buffer]]) {
        await pool.run(bytes, { name: 'increment', transferList });
        const { deep } = await pool.run({ deep: [bytes.subarray(10, 20)] }, { transferList });
        assert.equal(deep[0].buffer, bytes.buffer);
        assert.equal(deep[0].byteOffset, 10);
      }
      assert.equal(bytes[0], 2);
    });

    test('a task that takes too long rejects, and the next one runs', async () => {
      const hanging = pool.run(0, { name: 'hang', taskTimeoutMs: 100 });
      const next = pool.run('next');
      await assert.rejects(hanging, { code: 'PITV_TASK_TIMEOUT' });
      assert.equal(await next, 'next');
    });

    test('an abort ends the running task and no other', async () => {
      const { completed } = pool;
      const abort = new AbortController();
      const words = sharedWords(pool);
      const running = pool.run(words, { name: 'wait', signal: abort.signal });
      await until(() => Atomics.load(words, 1) === 1, 'the running task');
      const waiting = Array.from({ length: 5 }, (_, i) => pool.run(i));
      const aborted = new AbortController();
      const gone = pool.run('never', { signal: aborted.signal });
      aborted.abort();
      await assert.rejects(gone, { name: 'AbortError', code: 'PITV_TASK_ABORTED' });
      abort.abort(new Error('why'));
      await assert.rejects(running, (/** @type {any} */ error) => /why/.test(String(error.cause)));
      assert.deepEqual(await Promise.all(waiting), [0, 1, 2, 3, 4]);
      assert.equal(pool.completed - completed, 6); // not the one that has waited
      await assert.rejects(pool.run(0, { signal: abort.signal }), { name: 'AbortError' });
    });

    test('run() rejects, and never throws, with an option that is wrong', async () => {
      for (const wrong of [
        { signal: {} },
        { filename: 'file://host/tasks.js' },
        { filename: new URL('http://host/tasks.js') },
        { misspelt: 1 },
      ]) {
        await assert.rejects(pool.run(0, /** @type {any} */ (wrong)), {
          code: 'PITV_OPTION_INVALID',
        });
      }
    });

    test('a worker that dies rejects only its task', async () => {
      const dying = pool.run(0, { name: 'exit' });
      const waiting = Array.from({ length: 5 }, (_, i) => pool.run(i));
      await assert.rejects(dying, {
        code: 'PITV_TASK_EXITED',
        message: 'worker exited with code: 3',
      });
      assert.deepEqual(await Promise.all(waiting), [0, 1, 2, 3, 4]);
      if (isThread) return;
      await assert.rejects(pool.run(0, { name: 'crash' }), { code: 'PITV_TASK_CRASHED' });
      assert.equal(await pool.run('next'), 'next');
    });

    test('tasks that a dead worker has not begun run in their order', async (t) => {
      const { pool } = await readyPoolFor(t, { ...engine, concurrentTasksPerWorker: 3 });
      /** @type {number[]} */
      const order = [];
      const dying = pool.run(0, { name: 'exit' });
      const waiting = [1, 2].map((i) => pool.run(i).then((n) => order.push(n)));
      await assert.rejects(dying, { code: 'PITV_TASK_EXITED' });
      await Promise.all(waiting);
      assert.deepEqual(order, [1, 2]);
    });

    test('a task runs again after its worker has died', async () => {
      const exit = (/** @type {number} */ times) => {
        const shared = sharedWords(pool);
        shared[0] = times;
        return pool.run(shared, { name: 'exitTimes', retries: 1 });
      };
      const { completed } = pool;
      assert.equal(await exit(1), 'alive');
      await assert.rejects(exit(2), { code: 'PITV_TASK_EXITED' });
      assert.equal(pool.completed - completed, 2);
    });

    test('close() waits for tasks whose worker dies, and for no others', async (t) => {
      const again = poolFor(t, engine);
      const shared = sharedWords(again);
      shared[0] = 1;
      const alive = again.run(shared, { name: 'exitTimes', retries: 1 });
      await again.close();
      assert.equal(await alive, 'alive');

      const broken = poolFor(t, { ...engine, filename: moduleUrl('throws.js'), minThreads: 0 });
      const failing = assert.rejects(broken.run(1), { message: 'broken' });
      await broken.close();
      await failing;

      const loadBalancer = (/** @type {any} */ { name }, /** @type {any[]} */ [worker]) =>
        name === 'default' ? worker : null;
      const balanced = poolFor(t, { ...engine, loadBalancer });
      await balanced.run(0);
      const forced = assert.rejects(balanced.run(0, { name: 'hang' }), { name: 'AbortError' });
      await balanced.close({ force: true });
      await forced;
    });

    test('thousands of queued tasks each run once, in order', async () => {
      /** @type {number[]} */
      const order = [];
      const runs = Array.from({ length: 3000 }, (_, i) => pool.run(i).then((n) => order.push(n)));
      await Promise.all(runs);
      assert.ok(order.every((n, i) => n === i));
      assert.equal(pool.queueSize, 0);
    });
  });
}
