/** The contract of all engines. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { release } from 'node:os';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ENGINES, createEngine } from '../../app/engine/index.js';
import { STATE } from '../../app/engine/mailbox/mailbox.js';
import {
  countIn,
  countSizes as sizes,
  engineFor,
  engineTests,
  exitOf,
  jobUrl,
  until,
} from './helpers.js';

const HANG_MS = 300;

/** @param {string} thread folder in /proc @returns {number} its scheduler slice, ns */
const sliceOf = (thread) =>
  Number(/^se\.slice\s*:\s*(\d+)$/m.exec(readFileSync(`${thread}/sched`, 'latin1'))?.[1]);
const [major, minor] = release().split('.').map(Number);
const hasSlices = major > 6 || (major === 6 && minor >= 12);
const showsSlices = hasSlices && existsSync('/proc/self/sched') && sliceOf('/proc/self') > 0;

test('an unknown engine is refused with the list of engines', async () => {
  await assert.rejects(createEngine('steam'), { code: 'PITV_ENGINE_UNKNOWN', message: /thread/ });
  await assert.rejects(createEngine('index'), { code: 'PITV_ENGINE_UNKNOWN' });
});

for (const name of ENGINES) {
  describe(`engine ${name}`, () => {
    const test = engineTests(name);

    test('a worker ticks, sees inputs, writes frames, and stops with a last checkpoint', async (engine) => {
      const worker = await engine.start(jobUrl('count'), { name: 'count', sizes });
      assert.equal(worker.name, 'count');
      assert.ok(worker.pid > 0);
      assert.ok(worker.startup.readyMs >= worker.startup.spawnMs);
      assert.equal(worker.pid === process.pid, name === 'thread');

      worker.mailbox.writeInput(0, -123456);
      const seen = () => {
        worker.mailbox.takeFrame();
        const { bytes } = worker.mailbox.lastFrame;
        return bytes.length > 0 && new DataView(bytes.buffer, bytes.byteOffset).getInt32(4, true);
      };
      await until(() => seen() === -123456, 'the input is in a frame');

      const exited = exitOf(worker);
      assert.equal((await worker.stop()).reason, 'stopped');
      assert.equal((await exited).reason, 'stopped');
      assert.equal(worker.mailbox.state, STATE.stopped);
      assert.equal(worker.mailbox.checkpoint?.tick, worker.mailbox.tick);
      assert.deepEqual(engine.workers, []);
    });

    for (const doneAt of [1, 7]) {
      test(`a worker ends when its job is done at tick ${doneAt}; its last frame is in the mailbox`, async (engine) => {
        const options = { sizes, options: { doneAt }, tickHz: 1000 };
        const worker = await engine.start(jobUrl('count'), options);
        const exit = await exitOf(worker);
        assert.deepEqual(exit, { reason: 'done', code: 0, signal: null, error: undefined });
        assert.equal(countIn(worker.mailbox), doneAt);
        assert.deepEqual(await worker.stop(), exit, 'stop() afterwards returns the same');
      });
    }

    test('stats() describes each worker', async (engine) => {
      const workers = await Promise.all(
        ['a', 'b'].map((id) => engine.start(jobUrl('count'), { name: id, sizes })),
      );
      await until(() => workers.every((worker) => worker.mailbox.memoryKib > 0), 'their memory');
      const all = await engine.stats();
      const names = all.map((one) => one.name);
      assert.deepEqual(names, ['a', 'b']);
      for (const one of all) {
        assert.ok(one.ticks > 0 && one.heapKib > 0 && one.cpuMs >= 0, JSON.stringify(one));
        assert.ok(Number(one.pssKib) > 1000 && Number(one.rssKib) >= Number(one.pssKib));
        assert.ok(Number(one.ussKib) <= Number(one.pssKib));
      }
      assert.equal((await workers[0].stats()).name, 'a');
    });

    test('the main thread has shorter slices of the scheduler than a worker', async (engine, t) => {
      if (!showsSlices) return t.skip('needs Linux 6.12 with /proc/PID/sched');
      const worker = await engine.start(jobUrl('count'), { sizes });
      const main = sliceOf(`/proc/self/task/${process.pid}`);
      const tasks = `/proc/${worker.pid}/task`;
      const others = readdirSync(tasks).filter((thread) => thread !== String(process.pid));
      assert.ok(others.length > 0);
      for (const thread of others) {
        const other = sliceOf(`${tasks}/${thread}`);
        assert.ok(main < other, `${main} ns, thread ${thread} of the worker ${other}`);
      }
    });

    const testWithOne = engineTests(name, { maxWorkers: 1 });
    testWithOne('maxWorkers limits the number of workers', async (engine) => {
      const worker = await engine.start(jobUrl('count'), { sizes });
      await assert.rejects(engine.start(jobUrl('count'), { sizes }), { code: 'PITV_ENGINE_BUSY' });
      await worker.stop();
      await (await engine.start(jobUrl('count'), { sizes })).stop();
    });

    test('a mailbox in use, freed, or of another engine is refused', async (engine, t) => {
      const other = await engineFor(t, 'thread');
      const url = jobUrl('count');
      const worker = await engine.start(url, { sizes });
      const { mailbox } = worker;
      await assert.rejects(engine.start(url, { mailbox }), { code: 'PITV_MAILBOX_BUSY' });
      assert.throws(() => engine.freeMailbox(mailbox), { code: 'PITV_MAILBOX_BUSY' });
      const invalid = { code: 'PITV_MAILBOX_INVALID' };
      await assert.rejects(engine.start(url, { mailbox: other?.createMailbox(sizes) }), invalid);
      await until(() => mailbox.tick > 3, 'it ticks');
      await worker.stop();
      const { tick } = mailbox;
      engine.freeMailbox(mailbox);
      engine.freeMailbox(mailbox);
      await assert.rejects(engine.start(url, { mailbox }), invalid);
      await assert.rejects(engine.start(url, {}), { code: 'PITV_MAILBOX_SIZE' });
      // It can still be read, and is empty.
      assert.equal(mailbox.takeFrame(), undefined);
      assert.equal(mailbox.lastFrame.bytes.length, 0);
      assert.equal(mailbox.checkpoint, undefined);
      assert.equal(mailbox.tick, tick);
      mailbox.writeInput(0, 1);
    });

    const testPausing = engineTests(name, { hangMs: HANG_MS });
    testPausing('a pause is no hang, and the worker goes on with the next tick', async (engine) => {
      const options = { sizes, tickHz: 200, options: { from: 1000 } };
      const worker = await engine.start(jobUrl('count'), options);
      const { mailbox } = worker;
      await until(() => mailbox.tick > 5, 'it ticks');
      mailbox.pause(true);
      const { tick } = mailbox;
      await delay(2 * HANG_MS);
      assert.ok(mailbox.tick <= tick + 1, 'a tick that had begun is the last one');
      assert.equal(engine.workers.length, 1, 'it still runs');
      mailbox.pause(false);
      await until(() => mailbox.tick > tick, 'it goes on');
      mailbox.pause(true);
      assert.equal((await worker.stop()).reason, 'stopped', 'it stops while it is paused');
      assert.equal(countIn(mailbox), 1000 + mailbox.tick);
    });

    const testClosing = engineTests(name, { hangMs: 60_000 });
    testClosing('close() ends running, hung and starting workers, also twice', async (engine) => {
      const running = await engine.start(jobUrl('count'), { sizes });
      const exit = exitOf(running);
      const hung = await engine.start(jobUrl('faulty'), {
        sizes,
        options: { fault: 'spin', onStop: true },
        checkpointTicks: 1_000_000,
      });
      await until(() => hung.mailbox.tick > 0, 'it ticks');
      const starting = engine.start(jobUrl('endless'), { sizes });
      const refused = assert.rejects(starting, { code: 'PITV_WORKER_STOPPED' });
      await Promise.all([engine.close({ graceMs: 600_000 }), engine.close({ graceMs: 300 })]);
      await refused;
      assert.equal((await exit).reason, 'stopped');
      assert.deepEqual(engine.workers, []);
      await assert.rejects(engine.start(jobUrl('count'), { sizes }), {
        code: 'PITV_ENGINE_CLOSED',
      });
    });
  });
}
