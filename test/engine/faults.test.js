/** Workers that fail, hang or use too much memory, on each engine. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeFailure, restoreFailure } from '../../app/engine/failure.js';
import { LIMITS } from '../../app/limits/table.js';
import { all } from '../support/extent.js';
import {
  QUICK_ENGINES,
  countIn,
  countSizes as sizes,
  engineTests,
  exitOf,
  jobUrl,
  until,
} from './helpers.js';

/** Small bounds keep the tests short. */
const memory = { heapMb: 32, memoryMb: 128 };
/** Where hanging is not the fault, a loaded machine must not make it one. */
const limits = { ...memory, hangMs: 10_000 };

/** Engines whose workers may do to themselves what would end the main process of a thread. */
const PROCESSES = ['process', 'zygote'];

/**
 * Faults in a running worker, and the exit that they lead to. `engines`: the only ones, when not all.
 * @type {[string, {engines?: string[], fault: string, reason: string, message?: RegExp, signal?: string}][]}
 */
const RUNNING = [
  ['throws in a step', { fault: 'throw', reason: 'crashed', message: /the ball/ }],
  ['throws a string', { fault: 'throwOdd', reason: 'crashed' }],
  ['throws outside of a step', { fault: 'async', reason: 'crashed', message: /later/ }],
  ['calls process.exit()', { fault: 'exit', reason: 'crashed', message: /exit\(7\) was called/ }],
  ['loops forever', { fault: 'spin', reason: 'hung' }],
  ['exceeds its heap slowly', { fault: 'heapSlowly', reason: 'out-of-memory' }],
  ['exceeds its heap at once', { fault: 'heapAtOnce', reason: 'out-of-memory' }],
  ['exceeds its memory slowly by buffers', { fault: 'buffersSlowly', reason: 'out-of-memory' }],
  [
    'exceeds its memory at once by buffers',
    { engines: PROCESSES, fault: 'buffersAtOnce', reason: 'out-of-memory' },
  ],
  ['is killed', { engines: PROCESSES, fault: 'kill', reason: 'crashed', signal: 'SIGKILL' }],
  ['crashes', { engines: PROCESSES, fault: 'segfault', reason: 'crashed', signal: 'SIGSEGV' }],
];

/**
 * The faults that `make test` tries with each engine: those that an engine handles in a way of its own.
 * @type {Record<string, string[]>}
 */
const FEW = {
  thread: ['throw', 'async', 'exit', 'spin', 'heapSlowly', 'buffersSlowly'],
  zygote: ['throw', 'exit', 'spin', 'heapSlowly', 'buffersAtOnce', 'kill'],
};

for (const name of QUICK_ENGINES) {
  describe(`faults, engine ${name}`, () => {
    const test = engineTests(name, limits);
    const testHanging = engineTests(name, { ...memory, hangMs: 300 });

    for (const [title, { engines, fault, reason, message, signal }] of RUNNING) {
      if (engines && !engines.includes(name)) continue;
      if (!all && FEW[name] && !FEW[name].includes(fault)) continue;
      const define = reason === 'hung' ? testHanging : test;
      define(`a worker ${title}: one exit; others run on; the next resumes`, async (engine) => {
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
        if (signal) assert.equal(exit.signal, signal, JSON.stringify(exit));
        if (fault === 'throw') {
          assert.ok(exit.error instanceof RangeError);
          assert.match(String(exit.error.stack), /at .*throw.*faulty\.js:\d+/);
        }
        const { mailbox } = worker;
        assert.ok(Number(mailbox.checkpoint?.tick) >= 18, 'its last checkpoint is kept');

        const otherTick = other.mailbox.tick;
        const next = await engine.start(jobUrl('count'), { mailbox });
        const { tick } = mailbox;
        assert.ok(tick >= 18, `starts at tick ${tick}`);
        await until(() => mailbox.tick > tick + 2, 'the next worker ticks');
        await until(() => other.mailbox.tick > otherTick, 'the other worker ticks');
        await next.stop();
        assert.equal(countIn(mailbox), mailbox.tick, 'it has resumed the last checkpoint');
        assert.deepEqual(engine.workers, [other]);
        assert.equal(exits, 1);
      });
    }

    test('start() rejects when the module is missing, throws, or has no start()', async (engine) => {
      /** @type {[string | URL, RegExp, object?, RegExp?][]} */
      const modules = [
        [jobUrl('nowhere'), /Cannot find module/],
        [jobUrl('broken'), /this module is broken/],
        ['data:text/javascript,export default {}', /no default export with a start/],
        [
          jobUrl('faulty'),
          /the ball/,
          { fault: 'throw', inStart: true },
          /^RangeError: the ball .*\n.*faulty\.js/,
        ],
        [jobUrl('faulty'), /./, { fault: 'exit', inStart: true }],
        [jobUrl('faulty'), /./, { fault: 'heapAtOnce', inStart: true }],
      ];
      for (const [url, message, options, stack = /^/] of modules) {
        await assert.rejects(engine.start(url, { sizes, options }), (/** @type {any} */ error) => {
          assert.equal(error.code, 'PITV_WORKER_FAILED');
          assert.match(error.message, message);
          assert.match(String(error.cause?.stack), stack);
          return true;
        });
        assert.deepEqual(engine.workers, []);
      }
      await assert.rejects(engine.start('not a URL', { sizes }));
      const uncloneable = { sizes, options: { call() {} } };
      await assert.rejects(engine.start(jobUrl('count'), uncloneable));
      assert.deepEqual(engine.workers, []);
    });

    test('start() rejects when the checkpoint does not fit the job', async (engine) => {
      const mailbox = engine.createMailbox(sizes);
      mailbox.putCheckpoint(new Uint8Array(1), 5);
      const starting = engine.start(jobUrl('count'), { mailbox });
      await assert.rejects(starting, { code: 'PITV_WORKER_FAILED' });
      engine.freeMailbox(mailbox);
    });

    const testImpatient = engineTests(name, { ...limits, readyTimeoutMs: 500 });
    for (const search of ['', '?wait']) {
      testImpatient(`start() rejects when endless.js${search} does not load`, async (engine) => {
        const module = jobUrl('endless');
        module.search = search;
        await assert.rejects(engine.start(module, { sizes }), { code: 'PITV_WORKER_TIMEOUT' });
        assert.deepEqual(engine.workers, []);
      });
    }

    test('a signal aborts a start, before and during it, and ends a running worker', async (engine) => {
      for (const signal of [AbortSignal.abort(), AbortSignal.timeout(150)]) {
        const starting = engine.start(jobUrl('endless'), { sizes, signal });
        await assert.rejects(starting, { code: 'PITV_WORKER_STOPPED' });
        assert.deepEqual(engine.workers, []);
      }
      const off = new AbortController();
      const worker = await engine.start(jobUrl('count'), { sizes, signal: off.signal });
      const exited = exitOf(worker);
      off.abort();
      assert.equal((await exited).reason, 'stopped');
    });

    test('stop() kills a worker that hangs; a second stop() with less grace shortens the wait', async (engine) => {
      const worker = await engine.start(jobUrl('faulty'), {
        sizes,
        options: { fault: 'spin', onStop: true },
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
  });
}

test('an error of any length fits into a report, without its causes if they are too long', () => {
  const long = '\0'.repeat(1e6);
  const make = (/** @type {unknown} */ cause) =>
    Object.assign(new Error(long, { cause }), { name: long, stack: long, code: long });
  const bytes = encodeFailure(make(make(make('end'))));
  assert.ok(bytes.length < LIMITS.workerReportBytes.value, `${bytes.length} bytes`);
  const { message, cause } = restoreFailure(JSON.parse(String(bytes)));
  assert.equal(message, '\0'.repeat(message.length));
  assert.equal(cause, undefined);
  const short = restoreFailure(
    JSON.parse(String(encodeFailure(new TypeError('a', { cause: 'b' })))),
  );
  assert.ok(short instanceof TypeError && short.cause instanceof Error);
});
