/** What each member and event of piscina does: checks that run with piscina and with every engine of the pool. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { OPTIONS, call, occupy, openReady } from './piscina-options.js';

/** @typedef {import('./piscina-options.js').Check} Check */

/** Checks by names of properties, methods and events. @type {Record<string, Check>} */
export const MEMBERS = {
  async 'close(), close'(place) {
    const pool = await openReady(place);
    const runs = [1, 2].map((n) => pool.run(n));
    const closed = once(pool, 'close');
    await pool.close();
    await closed;
    assert.deepEqual(await Promise.all(runs), [1, 2]);
    for (const options of [{ force: true }, undefined]) {
      const other = await openReady(place);
      const [first, ...later] = [1, 2, 3, 4].map((n) => other.run(n));
      const settled = Promise.allSettled(later);
      await Promise.all([other.close(options), other.close({ force: true })]);
      assert.equal(await first, 1);
      assert.equal((await settled).at(-1)?.status, 'rejected');
    }
    await assert.rejects(pool.close(/** @type {any} */ ({ force: 1 })));
  },
  async 'destroy()'(place) {
    const pool = await openReady(place);
    const running = assert.rejects(call(pool, 'hang'));
    await Promise.all([pool.destroy(), pool.destroy()]);
    await pool.destroy();
    await running;
    assert.equal(pool.threads.length, 0);
  },
  async 'Symbol.asyncDispose'(place) {
    const pool = await openReady(place);
    await pool[Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]?.();
  },
  async completed(place) {
    const pool = await openReady(place);
    await pool.run(0);
    assert.equal(pool.completed, 2);
  },
  async duration({ open }) {
    assert.ok(open().duration > 0);
  },
  async idleThreads(place) {
    const pool = await openReady(place);
    assert.equal(pool.idleThreads, 1);
    const end = occupy(pool);
    assert.equal(pool.idleThreads, 0);
    await end();
  },
  async 'needsDrain, drain'(place) {
    const pool = await openReady(place);
    const busy = once(pool, 'needsDrain');
    const free = busy.then(() => once(pool, 'drain'));
    const running = call(pool, 'spin', 50);
    await busy;
    assert.equal(pool.needsDrain, true);
    await running;
    await free;
  },
  async 'workerCreate, workerDestroy'({ open }) {
    const pool = open();
    const [worker] = await once(pool, 'workerCreate');
    assert.equal(typeof worker.id, 'number');
    assert.equal(worker.currentUsage, 0);
    const destroyed = once(pool, 'workerDestroy');
    await pool.run(0);
    await pool.destroy();
    const [{ id }] = await destroyed;
    assert.equal(typeof id, 'number');
  },
  async message({ open }) {
    const pool = open();
    const message = once(pool, 'message');
    await call(pool, 'post', { a: 1 });
    assert.deepEqual(await message, [{ a: 1 }]);
  },
  async error({ open }) {
    const pool = open({ atomics: 'disabled' });
    const error = once(pool, 'error');
    await call(pool, 'failLater');
    pool.threads[0].ref();
    assert.equal((await error)[0].message, 'later');
  },
  async 'options, queueSize'(place) {
    const pool = await openReady(place, { idleTimeout: 7 });
    const { options } = pool;
    assert.deepEqual([options.idleTimeout, options.maxThreads, options.name], [7, 1, 'default']);
    const end = occupy(pool);
    const waiting = pool.run('waits');
    assert.equal(pool.queueSize, 1);
    await end();
    await waiting;
    assert.equal(pool.queueSize, 0);
  },
  'histogram, runTime, waitTime, utilization': OPTIONS.recordTiming,
  async 'isWorkerThread, version, FixedQueue, ArrayTaskQueue'({ library }) {
    assert.equal(library.isWorkerThread, false);
    assert.match(library.version, /^\d+\.\d+\.\d+/);
    for (const name of ['FixedQueue', 'ArrayTaskQueue']) {
      const queue = new library[name]();
      queue.push({ n: 1, [Symbol.for('Piscina.queueOptions')]: null });
      assert.equal(queue.size, 1);
      assert.equal(queue.shift().n, 1);
    }
  },
  async 'move(), transferableSymbol, valueSymbol, queueOptionsSymbol'({ library }) {
    assert.equal(library.transferableSymbol, Symbol.for('Piscina.transferable'));
    assert.equal(library.valueSymbol, Symbol.for('Piscina.valueOf'));
    assert.equal(library.queueOptionsSymbol, Symbol.for('Piscina.queueOptions'));
    const view = new Uint8Array(2);
    const moved = library.move(view);
    assert.equal(moved[library.valueSymbol], view);
    assert.equal(moved[library.transferableSymbol], view.buffer);
  },
};
