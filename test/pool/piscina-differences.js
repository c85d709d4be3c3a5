/**
 * What differs between piscina and the pool, and what programs of piscina do: checks that run with piscina and with
 * every engine. Each difference is named after its row in docs/runtime.md.
 */
import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MessageChannel, SHARE_ENV, Worker, setEnvironmentData } from 'node:worker_threads';
import { call } from './piscina-options.js';

const moduleOf = (/** @type {string} */ name) =>
  fileURLToPath(new URL(`modules/${name}`, import.meta.url));
const VARIABLE = 'PITV_TEST_SHARED';

/** @param {Promise<any>} promise @returns {Promise<any>} the error */
const failure = (promise) =>
  promise.then(
    () => assert.fail('did not reject'),
    (error) => error,
  );

/** @typedef {import('./piscina-options.js').Check} Check */

/** @type {Record<string, Check>} */
export const DIFFERENCES = {
  async 'other options'({ open, isPiscina }) {
    const create = () => open({ misspelt: 1 });
    if (isPiscina) create();
    else assert.throws(create, { code: 'PITV_OPTION_INVALID', message: /misspelt/ });
    if (!isPiscina) await assert.rejects(open().run(0, { misspelt: 1 }), /misspelt/);
    const inherited = Object.assign(Object.create({ name: 'argv' }), { workerData: 1 });
    const pool = open(inherited);
    assert.equal(await pool.run(1, Object.create({ name: 'argv' })), 1);
  },
  async 'wrong options'({ open, isPiscina }) {
    const error = isPiscina ? { name: 'TypeError' } : { code: 'PITV_OPTION_INVALID' };
    for (const options of [{ filename: 1 }, { minThreads: -1 }, { maxQueue: 'all' }]) {
      assert.throws(() => open(options), error);
    }
    await assert.rejects(open().run(0, { transferList: 1 }), error);
    assert.equal(open({ minThreads: 0.5, maxThreads: 1.5 }).threads.length, 1);
  },
  async 'errors of the pool'({ open, isPiscina }) {
    const pool = open({ closeTimeout: 20 });
    const errors = [
      [await failure(open({ filename: null }).run(0)), /^filename must be provided to run\(\)/],
      [await failure(call(pool, 'exit')), /^worker exited with code: 3/],
      [await failure(call(pool, 'none')), /^No handler function exported from/],
    ];
    const hanging = failure(call(pool, 'hang'));
    const late = once(pool, 'error');
    await pool.close();
    errors.push([await hanging, /^Terminating worker thread/]);
    errors.push([(await late)[0], /^Close operation timed out/]);
    for (const [error, message] of errors) {
      assert.match(error.message, message);
      if (!isPiscina) assert.match(error.code, /^PITV_/);
    }
  },
  async 'values of tasks and results'({ open }) {
    const value = new Map([['a', [new Date(0), /b/g, 1n, new Uint8Array([1, 2])]]]);
    assert.deepEqual(await open().run(value), value);
  },
  async 'views of an ArrayBuffer'({ open }) {
    const bytes = new Uint8Array(8).fill(7);
    const [whole, part] = await open().run([bytes, bytes.subarray(2, 4)]);
    assert.equal(whole.buffer, part.buffer);
    assert.deepEqual([whole, part], [bytes, bytes.subarray(2, 4)]);
  },
  async 'errors of tasks'({ open, isPiscina }) {
    const error = await failure(call(open(), 'fail'));
    assert.ok(error instanceof Error);
    assert.equal(error.message, 'own message');
    if (!isPiscina) assert.equal(error.name, 'OwnError');
    assert.equal(Reflect.get(error, 'code'), isPiscina ? undefined : 'OWN');
  },
  async 'a worker without memory'({ open, isPiscina, isThread }) {
    const pool = open({ resourceLimits: { maxOldGenerationSizeMb: 24 } });
    const error = await failure(call(pool, 'fillHeap'));
    const { code } = isPiscina ? error : (error.cause ?? {});
    if (isThread) assert.equal(code, 'ERR_WORKER_OUT_OF_MEMORY');
    if (!isPiscina) assert.equal(error.code, 'PITV_TASK_MEMORY');
    assert.equal(await pool.run('next'), 'next');
  },
  async 'a closed pool'({ open, isPiscina }) {
    for (const end of ['close', 'destroy']) {
      const pool = open();
      await pool.run(0);
      await pool[end]();
      if (isPiscina) assert.equal(await pool.run(1), 1);
      else {
        const { name, cause } = await failure(pool.run(1));
        assert.deepEqual([name, cause.code], ['AbortError', 'PITV_POOL_CLOSED']);
      }
    }
  },
  async env({ open, isThread }) {
    delete process.env[VARIABLE];
    await call(open({ env: SHARE_ENV }), 'setEnv', VARIABLE);
    assert.equal(process.env[VARIABLE], isThread ? 'set' : undefined);
    delete process.env[VARIABLE];
  },
  async transferList({ open, isThread }) {
    const pool = open();
    const { port1, port2 } = new MessageChannel();
    const result = pool.run({ port2 }, { name: 'env', transferList: [port2] });
    if (isThread) await result;
    else assert.equal((await failure(result)).name, 'DataCloneError');
    port1.close();
  },
  async threads({ open, isThread }) {
    const pool = open();
    await pool.run(0);
    const [thread] = pool.threads;
    assert.equal(thread instanceof Worker, isThread);
    if (isThread) return;
    assert.equal(thread.pid, (await call(pool, 'thread')).pid);
    const replaced = once(pool, 'workerDestroy');
    thread.kill('SIGKILL');
    await replaced;
    assert.notEqual((await call(pool, 'thread')).pid, thread.pid);
  },
  async 'isMainThread, threadId'({ open, isThread }) {
    const workers = await Promise.all([open(), open()].map((pool) => call(pool, 'thread')));
    for (const { isMainThread, threadId, pid } of workers) {
      assert.equal(isMainThread, false);
      if (!isThread) assert.equal(threadId, pid);
    }
    assert.notEqual(workers[0].threadId, workers[1].threadId);
  },
  async parentPort({ open }) {
    assert.equal(await call(open(), 'post', 'is received'), true);
  },
  async SharedArrayBuffer({ open, isThread, isPiscina }) {
    const pool = open();
    const shared = new Uint8Array(new SharedArrayBuffer(1));
    const result = call(pool, 'increment', shared);
    if (isThread) await result;
    else assert.equal((await failure(result)).name, 'DataCloneError');
    assert.equal(shared[0], isThread ? 1 : 0);
    if (isThread || isPiscina) return;
    const allocated = pool.allocate(1);
    await call(pool, 'increment', allocated);
    assert.equal(allocated[0], 1);
  },
  async 'process.chdir()'({ open, isThread }) {
    const pool = open();
    const before = await call(pool, 'folder');
    assert.equal(before, process.cwd());
    process.chdir('/');
    const now = await call(pool, 'folder').finally(() => process.chdir(before));
    assert.equal(now, isThread ? '/' : before);
  },
  async 'setEnvironmentData()'({ open, isThread }) {
    setEnvironmentData(VARIABLE, 'data');
    assert.equal(await call(open(), 'environmentData', VARIABLE), isThread ? 'data' : undefined);
    setEnvironmentData(VARIABLE, undefined);
  },
  async 'module.parent'({ open, isPiscina }) {
    const pool = open({ filename: moduleOf('common.cjs') });
    assert.deepEqual(await call(pool, 'isMain'), [false, isPiscina ? 'object' : 'undefined']);
  },
  async 'require()'({ open }) {
    const execArgv = ['--require', moduleOf('extension.cjs')];
    const pool = open({ filename: moduleOf('hooked.number'), name: 'add', execArgv });
    assert.equal(await pool.run(1), 42);
  },
  async 'PISCINA_DISABLE_ATOMICS, PISCINA_ENABLE_ASYNC_ATOMICS'({ open, isPiscina }) {
    const pool = open({ env: { ...process.env, PISCINA_DISABLE_ATOMICS: '1' } });
    await call(pool, 'leaveTimer');
    do
      await delay(50); // the worker is idle
    while (isPiscina && (await call(pool, 'timerTurns')) < 3);
    assert.equal((await call(pool, 'timerTurns')) > 2, isPiscina);
  },
  async 'console output'({ open, isThread }) {
    const pool = open();
    const { write } = process.stdout;
    let isSeen = false;
    process.stdout.write = (/** @type {any} */ chunk, /** @type {any[]} */ ...more) => {
      isSeen ||= /^0[.]{98}/.test(String(chunk));
      return Reflect.apply(write, process.stdout, [chunk, ...more]);
    };
    await call(pool, 'print', 1).finally(() => (process.stdout.write = write));
    assert.equal(isSeen, isThread);
  },
  async 'the event loop of the program'({ open, isPiscina }) {
    const pool = open();
    const shares = !isPiscina && pool.options.addon;
    /** @type {Uint8Array} */
    const bytes = shares ? pool.allocate(1) : new Uint8Array(new SharedArrayBuffer(1));
    const running = call(pool, 'increment', bytes);
    const needsLoop = pool.options.engine === 'zygote';
    const end = performance.now() + 100;
    while (needsLoop ? performance.now() < end : Atomics.load(bytes, 0) === 0);
    assert.equal(bytes[0], needsLoop ? 0 : 1);
    await running;
    assert.equal(bytes[0], 1);
  },
  async async_hooks({ open, isPiscina }) {
    /** @type {string[]} */
    const types = [];
    const hook = createHook({ init: (_, type) => void types.push(type) }).enable();
    await open().run(0);
    hook.disable();
    const name = isPiscina ? 'Piscina' : 'Pool';
    assert.ok(types.includes(name) && types.includes(`${name}.Task`));
  },
};

/** What programs of piscina do besides its options and members. @type {Record<string, Check>} */
export const PROGRAMS = {
  async 'a module is named without its extension, or by its folder'({ open }) {
    for (const name of ['folder/index', 'folder']) {
      assert.equal(await open({ filename: moduleOf(name) }).run(1), 2);
    }
    const pool = open({ filename: moduleOf('none') });
    pool.on('error', () => {}); // a worker may load the module before it has a task
    await assert.rejects(pool.run(1), /none/);
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
    const pool = open({ filename: moduleOf('throws.js') });
    pool.threads[0].ref();
    const [error] = await once(pool, 'error');
    assert.deepEqual([error.name, error.message, error.status], ['TypeError', 'broken', 9]);
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
