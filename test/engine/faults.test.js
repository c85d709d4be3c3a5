import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ENGINES_UNDER_TEST,
  countIn,
  countSizes as sizes,
  engineFor,
  exitOf,
  jobUrl,
  until,
} from './helpers.js';

/** Small bounds, so that the tests are quick and harm nobody. */
const limits = { hangMs: 300, heapMb: 32, memoryMb: 128 };

/**
 * Faults in a running worker -> the reason that its exit tells, on each engine.
 * @type {[string, {engines: string[], fault: string, reason: string, message?: RegExp, signal?: string}][]}
 */
const RUNNING = [
  ['throws in a step', { engines: [], fault: 'throw', reason: 'crashed', message: /the ball/ }],
  ['throws something that is no Error', { engines: [], fault: 'throwOdd', reason: 'crashed' }],
  [
    'throws outside of a step',
    { engines: [], fault: 'async', reason: 'crashed', message: /later/ },
  ],
  ['calls process.exit()', { engines: [], fault: 'exit', reason: 'crashed' }],
  ['spins for ever', { engines: [], fault: 'spin', reason: 'hung' }],
  [
    'outgrows its heap little by little',
    { engines: [], fault: 'heapSlowly', reason: 'out-of-memory' },
  ],
  ['outgrows its heap at once', { engines: [], fault: 'heapAtOnce', reason: 'out-of-memory' }],
  ['hoards typed arrays', { engines: [], fault: 'buffersSlowly', reason: 'out-of-memory' }],
  [
    'hoards typed arrays all at once',
    { engines: ['process', 'zygote'], fault: 'buffersAtOnce', reason: 'out-of-memory' },
  ],
  [
    'is killed (-9)',
    { engines: ['process', 'zygote'], fault: 'kill', reason: 'crashed', signal: 'SIGKILL' },
  ],
  [
    'touches memory that is not there',
    { engines: ['process', 'zygote'], fault: 'segfault', reason: 'crashed', signal: 'SIGSEGV' },
  ],
];

for (const name of ENGINES_UNDER_TEST) {
  describe(`faults, engine ${name}`, () => {
    for (const [title, { engines, fault, reason, message, signal }] of RUNNING) {
      if (engines.length > 0 && !engines.includes(name)) continue;
      test(`a worker ${title}: told once, the others go on, the next one goes on from the checkpoint`, async (t) => {
        // Where hanging is not the fault, a loaded machine must not make it one.
        const hangMs = reason === 'hung' ? limits.hangMs : 10_000;
        const engine = await engineFor(t, name, { ...limits, hangMs });
        if (!engine) return;
        const other = await engine.start(jobUrl('count'), { name: 'other', sizes });
        const worker = await engine.start(jobUrl('faulty'), {
          name: 'faulty',
          sizes,
          checkpointTicks: 3,
          options: { fault, at: 20 },
        });
        let exits = 0;
        worker.on('exit', () => exits++);
        const exit = await exitOf(worker);
        assert.equal(exit.reason, reason, JSON.stringify(exit));
        if (message) assert.match(String(exit.error?.message), message);
        if (signal) assert.equal(exit.signal, signal);
        const { mailbox } = worker;
        assert.ok(Number(mailbox.checkpoint?.tick) >= 18, 'its last checkpoint is there');

        const otherTick = other.mailbox.tick;
        const next = await engine.start(jobUrl('count'), { mailbox });
        const { tick } = mailbox;
        assert.ok(tick >= 18, `starts at tick ${tick}`);
        await until(() => mailbox.tick > tick + 2, 'the next one ticks');
        await until(() => other.mailbox.tick > otherTick, 'the other one ticks');
        await next.stop();
        assert.equal(countIn(mailbox), mailbox.tick);
        assert.deepEqual(engine.workers, [other]);
        assert.equal(exits, 1);
      });
    }

    test('a worker that hangs is found out and replaced; how long that takes is told', async (t) => {
      const engine = await engineFor(t, name, { ...limits, hangMs: 600 });
      if (!engine) return;
      const worker = await engine.start(jobUrl('faulty'), {
        sizes,
        options: { fault: 'spin', at: 30 },
      });
      await until(() => worker.mailbox.tick === 29, 'it is about to hang');
      const began = performance.now();
      assert.equal((await exitOf(worker)).reason, 'hung');
      const detectedMs = performance.now() - began;
      await engine.start(jobUrl('count'), { mailbox: worker.mailbox });
      const { tick } = worker.mailbox;
      await until(() => worker.mailbox.tick !== tick, 'it goes on');
      const totalMs = performance.now() - began;
      t.diagnostic(`detected ${detectedMs.toFixed()} ms, going on ${totalMs.toFixed()} ms`);
    });

    test('a module that is not there, throws, or has no start(): start() says so', async (t) => {
      const engine = await engineFor(t, name, limits);
      if (!engine) return;
      /** @type {[string | URL, RegExp, object?][]} */
      const modules = [
        [jobUrl('nowhere'), /Cannot find module/],
        [jobUrl('broken'), /this module is broken/],
        [jobUrl('odd'), /no default export with a start/],
        [jobUrl('faulty'), /the ball/, { fault: 'throw', inStart: true }],
        [jobUrl('faulty'), /./, { fault: 'exit', inStart: true }],
        [jobUrl('faulty'), /./, { fault: 'heapAtOnce', inStart: true }],
      ];
      for (const [url, message, options] of modules) {
        await assert.rejects(engine.start(url, { sizes, options }), (/** @type {any} */ error) => {
          assert.equal(error.code, 'PITV_WORKER_FAILED');
          assert.match(error.message, message);
          return true;
        });
        assert.deepEqual(engine.workers, []);
      }
      await assert.rejects(engine.start('not a URL', { sizes }));
      const uncloneable = { sizes, options: { call() {} } };
      await assert.rejects(engine.start(jobUrl('count'), uncloneable));
      assert.deepEqual(engine.workers, []);
    });

    test('a checkpoint that does not fit the job: start() says so', async (t) => {
      const engine = await engineFor(t, name, limits);
      if (!engine) return;
      const mailbox = engine.createMailbox(sizes);
      mailbox.putCheckpoint(new Uint8Array(1), 5);
      const starting = engine.start(jobUrl('count'), { mailbox });
      await assert.rejects(starting, { code: 'PITV_WORKER_FAILED' });
      engine.freeMailbox(mailbox);
    });

    for (const url of ['endless', 'endless waiting']) {
      test(`a module that never finishes loading (${url}) is ended in time`, async (t) => {
        const engine = await engineFor(t, name, { ...limits, readyTimeoutMs: 500 });
        if (!engine) return;
        const module = jobUrl('endless');
        if (url.includes('waiting')) module.search = '?wait';
        await assert.rejects(engine.start(module, { sizes }), { code: 'PITV_WORKER_TIMEOUT' });
        assert.deepEqual(engine.workers, []);
      });
    }

    test('a start can be called off by a signal, before and while it happens', async (t) => {
      const engine = await engineFor(t, name, limits);
      if (!engine) return;
      for (const signal of [AbortSignal.abort(), AbortSignal.timeout(150)]) {
        const starting = engine.start(jobUrl('endless'), { sizes, signal });
        await assert.rejects(starting, { code: 'PITV_WORKER_STOPPED' });
        assert.deepEqual(engine.workers, []);
      }
    });

    test('a signal ends a running worker', async (t) => {
      const engine = await engineFor(t, name, limits);
      if (!engine) return;
      const off = new AbortController();
      const worker = await engine.start(jobUrl('count'), { sizes, signal: off.signal });
      const exited = exitOf(worker);
      off.abort();
      assert.equal((await exited).reason, 'stopped');
    });

    test('stop() of a worker that hangs ends it by force; a second stop() with less grace hastens it', async (t) => {
      const engine = await engineFor(t, name, { ...limits, hangMs: 60_000 });
      if (!engine) return;
      const options = { fault: 'spin', onStop: true };
      const worker = await engine.start(jobUrl('faulty'), {
        sizes,
        options,
        checkpointTicks: 1_000_000,
      });
      await until(() => worker.mailbox.tick > 0, 'it ticks');
      let exits = 0;
      worker.on('exit', () => exits++);
      const patient = worker.stop({ graceMs: 600_000 });
      assert.equal(await Promise.race([patient, sleep(100, 'still there')]), 'still there');
      const [first, second] = await Promise.all([patient, worker.stop({ graceMs: 0 })]);
      assert.deepEqual(first, second);
      assert.equal(first.reason, 'stopped');
      await until(() => exits > 0, 'exit is emitted');
      assert.equal(exits, 1);
    });

    test('close() with hung, running and ended workers comes to its end', async (t) => {
      const engine = await engineFor(t, name, { ...limits, hangMs: 60_000 });
      if (!engine) return;
      /** @param {object} options */
      const start = (options) =>
        engine.start(jobUrl('faulty'), { sizes, options, checkpointTicks: 1_000_000 });
      const hangs = { fault: 'spin', onStop: true };
      const workers = await Promise.all([start(hangs), start({}), start({})]);
      await workers[2].stop();
      await until(() => workers[0].mailbox.tick > 0, 'it ticks');
      await engine.close({ graceMs: 200 });
      assert.deepEqual(engine.workers, []);
    });
  });
}
