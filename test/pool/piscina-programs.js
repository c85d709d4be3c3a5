/** What programs of piscina do besides its options and members. The checks run with piscina and with every engine. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { call } from './piscina-options.js';

const fileOf = (/** @type {string} */ name) =>
  fileURLToPath(new URL(`modules/${name}`, import.meta.url));

/** @type {Record<string, import('./piscina-options.js').Check>} */
export const PROGRAMS = {
  async 'a module is named without its extension, or by its folder'({ open }) {
    for (const name of ['folder/index', 'folder']) {
      assert.equal(await open({ filename: fileOf(name) }).run(1), 2);
    }
    await assert.rejects(open({ filename: fileOf('none') }).run(1), /none/);
  },
  async 'the result has a getter `then` that throws'({ open }) {
    const pool = open();
    await pool.run(0);
    await assert.rejects(call(pool, 'brokenThen'), { message: 'then' });
    assert.equal(await pool.run('next'), 'next');
  },
  async 'an uncaught error of a task keeps its properties'({ open, isPiscina }) {
    const pool = open();
    const own = isPiscina ? {} : { status: 503, details: { a: 1 } };
    await assert.rejects(call(pool, 'failUncaught'), {
      name: 'RangeError',
      message: 'uncaught',
      ...own,
    });
    assert.equal(await pool.run('next'), 'next');
  },
  async 'a module handles uncaught errors'({ open }) {
    const pool = open();
    assert.equal(await call(pool, 'handleUncaught'), 'handled');
  },
  async 'a module that throws emits an error'({ open }) {
    const pool = open({ filename: fileOf('throws.js') });
    pool.threads[0].ref();
    const [error] = await once(pool, 'error');
    assert.deepEqual([error.name, error.message, error.status], ['TypeError', 'broken', 9]);
  },
  async 'causes that refer to each other arrive'({ open }) {
    const error = await call(open(), 'causes').catch((/** @type {any} */ thrown) => thrown);
    let depth = 0;
    for (let at = error; at; at = at.cause) depth++;
    assert.equal(depth, 12);
  },
  async 'a new worker gets the present environment'({ open }) {
    const name = 'PITV_TEST_LATER';
    delete process.env[name];
    const pool = open({ minThreads: 0, maxThreads: 1 });
    process.env[name] = 'set later';
    assert.equal(
      await call(pool, 'env', name).finally(() => delete process.env[name]),
      'set later',
    );
  },
  async 'a class that extends a typed array has a tag of its own'({ open }) {
    class Vector extends Float32Array {}
    Object.defineProperty(Vector.prototype, Symbol.toStringTag, { value: 'Vector' });
    const expected = Float32Array.of(1, 2);
    const pool = open();
    assert.deepEqual(await pool.run(new Vector([1, 2])), expected);
    assert.deepEqual(await pool.run([new Vector([1, 2])]), [expected]);
  },
  async 'a Proxy of a typed array is refused'({ open }) {
    await assert.rejects(open().run(new Proxy(new Uint8Array(1), {})), { name: 'DataCloneError' });
  },
  async 'tasks that have waited and were aborted do not count as completed'({ open }) {
    const pool = open();
    await pool.run(0);
    const running = call(pool, 'spin', 20);
    const abort = new AbortController();
    const waiting = pool.run(1, { signal: abort.signal });
    abort.abort();
    await assert.rejects(waiting, { name: 'AbortError' });
    await running;
    assert.equal(pool.completed, 2);
    await assert.rejects(pool.run(Symbol('refused')));
    assert.equal(pool.completed, 3);
  },
  async 'the stack is longer than the system allows'({ open }) {
    const pool = open({ resourceLimits: { stackSizeMb: 16 } });
    assert.ok((await call(pool, 'stackDepth')) > 1000);
  },
  async 'a listener throws'({ open, isPiscina }) {
    if (isPiscina) return; // its pool hangs
    const pool = open();
    /** @type {string[]} */
    const uncaught = [];
    const note = (/** @type {Error} */ error) => void uncaught.push(error.message);
    process.setUncaughtExceptionCaptureCallback(note);
    for (const name of ['message', 'workerDestroy']) {
      pool.once(name, () => {
        throw new Error(name);
      });
    }
    await call(pool, 'post', 1);
    await assert.rejects(call(pool, 'exit'));
    assert.equal(await pool.run('next'), 'next');
    process.setUncaughtExceptionCaptureCallback(null);
    assert.deepEqual(uncaught.sort(), ['message', 'workerDestroy']);
  },
};
