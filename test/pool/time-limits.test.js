/** Aborts and time limits: which tasks they reject, and which workers they end. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FixedQueue } from '../../app/pool/index.js';
import { until } from '../support/tv.js';
import { QUICK_ENGINES, poolFor, readyPoolFor, sharedWords } from './helpers.js';

/** More than half of a ring: such a task cannot be taken back. */
const LONG = 6 << 20;

test('a queue keeps its order when tasks leave its front and its middle', () => {
  const queue = new FixedQueue();
  const tasks = Array.from({ length: 3000 }, (_, n) => ({ n }));
  tasks.forEach((task) => queue.push(task));
  const leaves = ({ n = 0 }) => n < 2000 || n % 3 === 0;
  tasks.filter(leaves).forEach((task) => queue.remove(task));
  const left = Array.from({ length: queue.size }, () => queue.shift());
  assert.deepEqual(
    left,
    tasks.filter((task) => !leaves(task)),
  );
  assert.equal(queue.shift(), null);
});

for (const [name, options] of Object.entries(QUICK_ENGINES)) {
  describe(name, () => {
    /**
     * Has a worker end a task and begin the next one while this event loop is busy.
     * @param {import('../../app/pool/index.js').Pool} pool
     * @param {import('../../app/pool/index.js').RunOptions} options of the first task
     */
    function runTwo(pool, options) {
      const words = sharedWords(pool);
      const first = pool.run('first', options);
      const second = pool.run(words, { name: 'wait' });
      while (Atomics.load(words, 1) === 0);
      return { first, second, goOn: () => Atomics.store(words, 0, 1) };
    }

    test('an abort does not end a worker that has begun the next task', async (t) => {
      const { pool } = await readyPoolFor(t, options);
      const { threads } = pool;
      const abort = new AbortController();
      const { first, second, goOn } = runTwo(pool, { signal: abort.signal });
      abort.abort();
      await assert.rejects(first, { name: 'AbortError' });
      goOn();
      assert.equal(await second, 'went on');
      assert.deepEqual(pool.threads, threads);
      assert.equal(pool.completed, 3);
    });

    test('a task that has ended in time resolves, even if this event loop reads the result later', async (t) => {
      const { pool } = await readyPoolFor(t, options);
      const { threads } = pool;
      const { first, second, goOn } = runTwo(pool, { taskTimeoutMs: 1 });
      const end = performance.now() + 5;
      while (performance.now() < end);
      assert.equal(await first, 'first');
      goOn();
      assert.equal(await second, 'went on');
      assert.deepEqual(pool.threads, threads);
    });

    test('a task that is taken back from an idle worker leaves no trace', async (t) => {
      if (options.engine === 'thread') return t.skip('a thread cannot be stopped');
      const pool = poolFor(t, { ...options, minThreads: 0, idleTimeout: 1 });
      for (const next of [true, false]) {
        await pool.run(0);
        const pid = Number(pool.threads[0].pid);
        process.kill(pid, 'SIGSTOP');
        const abort = new AbortController();
        const gone = pool.run('never', { signal: abort.signal });
        const hanging = next && pool.run(0, { name: 'hang', taskTimeoutMs: 100 });
        abort.abort();
        assert.equal(pool.queueSize, 0);
        process.kill(pid, 'SIGCONT');
        await assert.rejects(gone, { name: 'AbortError' });
        if (hanging) await assert.rejects(hanging, { code: 'PITV_TASK_TIMEOUT' });
        await until(() => pool.threads.length === 0, 'the end of the idle worker');
      }
    });

    test('the start of a worker is no part of the time of a task', async (t) => {
      const filename =
        'data:text/javascript,await new Promise((done) => setTimeout(done, 400)); export default (task) => task';
      const pool = poolFor(t, { ...options, filename, taskTimeoutMs: 200 });
      assert.equal(await pool.run('first'), 'first');
    });

    test('a long task that is aborted before its worker begins it is skipped', async (t) => {
      const { pool } = await readyPoolFor(t, options);
      const words = sharedWords(pool);
      const running = pool.run(words, { name: 'wait' });
      const abort = new AbortController();
      const task = { bytes: new Uint8Array(LONG), words };
      const skipped = pool.run(task, { name: 'count', signal: abort.signal });
      const next = pool.run('next');
      abort.abort();
      await assert.rejects(skipped, { name: 'AbortError' });
      Atomics.store(words, 0, 1);
      assert.equal(await running, 'went on');
      assert.equal(await next, 'next');
      assert.equal(Atomics.load(words, 0), 1);
    });

    test('a moved task that is aborted before its worker begins it leaves nothing behind', async (t) => {
      const pool = poolFor(t, options);
      const abort = new AbortController();
      const move = (/** @type {Uint8Array} */ bytes, /** @type {any} */ more) =>
        pool.run(bytes, { transferList: [bytes.buffer], ...more });
      const gone = move(Uint8Array.of(1), { signal: abort.signal });
      abort.abort();
      await assert.rejects(gone, { name: 'AbortError' });
      assert.deepEqual(await move(Uint8Array.of(2), {}), Uint8Array.of(2));
    });
  });
}
