/** The contract of all engines. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ENGINES, createEngine } from '../../app/engine/index.js';
import { STATE } from '../../app/engine/mailbox/mailbox.js';
import {
  ENGINES_UNDER_TEST,
  countIn,
  countSizes as sizes,
  engineFor,
  exitOf,
  jobUrl,
  sharedEngines,
  until,
} from './helpers.js';

test('every file in kinds/ is an engine', async () => {
  for (const name of ENGINES) {
    const { open } = await import(`../../app/engine/kinds/${name}.js`);
    assert.equal(typeof open, 'function', `${name}.js has no open()`);
  }
});

test('an unknown engine is refused with the list of engines', async () => {
  await assert.rejects(createEngine('steam'), { code: 'PITV_ENGINE_UNKNOWN', message: /thread/ });
  await assert.rejects(createEngine('index'), { code: 'PITV_ENGINE_UNKNOWN' });
});

test('options out of their range are refused', async () => {
  for (const options of [{ hangMs: 1 }, { maxWorkers: 0 }, { heapMb: 2.5 }, { memoryMb: NaN }]) {
    await assert.rejects(createEngine('thread', options), { code: 'PITV_OPTION_INVALID' });
  }
});

for (const name of ENGINES_UNDER_TEST) {
  describe(`engine ${name}`, () => {
    const sharedEngine = sharedEngines(name);

    test('a worker ticks, sees inputs, writes frames, and stops with a last checkpoint', async (t) => {
      const engine = await sharedEngine(t);
      if (!engine) return;
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

    test('a worker ends when its job is done; its last frame is in the mailbox', async (t) => {
      const engine = await sharedEngine(t);
      if (!engine) return;
      const worker = await engine.start(jobUrl('count'), { sizes, options: { doneAt: 7 } });
      const exit = await exitOf(worker);
      assert.deepEqual(exit, { reason: 'done', code: 0, signal: null, error: undefined });
      assert.equal(countIn(worker.mailbox), 7);
      assert.deepEqual(await worker.stop(), exit, 'stop() afterwards returns the same');
    });

    test('a job that is done at its first tick emits exit', async (t) => {
      const engine = await sharedEngine(t);
      if (!engine) return;
      const options = { sizes, options: { doneAt: 1 }, tickHz: 1000 };
      const worker = await engine.start(jobUrl('count'), options);
      assert.equal((await exitOf(worker)).reason, 'done');
    });

    test('a worker with the mailbox of an ended worker resumes its checkpoint', async (t) => {
      const engine = await sharedEngine(t);
      if (!engine) return;
      const first = await engine.start(jobUrl('count'), { sizes, options: { from: 1000 } });
      await until(() => first.mailbox.tick >= 5, 'it ticks');
      await first.stop();
      const { mailbox } = first;
      const { tick } = mailbox;
      const second = await engine.start(jobUrl('count'), { mailbox, checkpointTicks: 1 });
      await until(() => mailbox.tick > tick, 'the counter increases');
      await second.stop();
      assert.equal(countIn(mailbox), 1000 + mailbox.tick);
    });

    test('a worker keeps its rate and catches up after a short stall', async (t) => {
      const engine = await sharedEngine(t);
      if (!engine) return;
      const stallMs = 40; // 8 ticks: it catches up 3 and drops the others
      const worker = await engine.start(jobUrl('faulty'), {
        sizes,
        tickHz: 200,
        options: { at: 10, stallMs },
      });
      await until(() => worker.mailbox.tick > 34, 'it continues');
      // On a busy machine other ticks are late too.
      assert.ok(worker.mailbox.lateTicks >= 3, `${worker.mailbox.lateTicks} late`);
      assert.ok(worker.mailbox.takeStepMicrosMax() >= stallMs * 1000);
      assert.equal((await worker.stop()).reason, 'stopped');
    });

    test('stats() describes each worker', async (t) => {
      const engine = await sharedEngine(t);
      if (!engine) return;
      const workers = await Promise.all(
        ['a', 'b'].map((id) => engine.start(jobUrl('count'), { name: id, sizes })),
      );
      await until(
        () => workers.every((worker) => worker.mailbox.memoryKib > 0),
        'both report their memory',
      );
      const all = await engine.stats();
      assert.deepEqual(
        all.map((one) => one.name),
        ['a', 'b'],
      );
      for (const one of all) {
        assert.ok(one.ticks > 0 && one.heapKib > 0 && one.cpuMs >= 0, JSON.stringify(one));
        assert.ok(Number(one.pssKib) > 1000 && Number(one.rssKib) >= Number(one.pssKib));
        assert.ok(Number(one.ussKib) <= Number(one.pssKib));
      }
      assert.equal((await workers[0].stats()).name, 'a');
    });

    test('maxWorkers limits the number of workers', async (t) => {
      const engine = await engineFor(t, name, { maxWorkers: 1 });
      if (!engine) return;
      const worker = await engine.start(jobUrl('count'), { sizes });
      await assert.rejects(engine.start(jobUrl('count'), { sizes }), { code: 'PITV_ENGINE_BUSY' });
      await worker.stop();
      await (await engine.start(jobUrl('count'), { sizes })).stop();
    });

    test('a mailbox in use, freed, or of another engine is refused', async (t) => {
      const engine = await sharedEngine(t);
      const other = await engineFor(t, 'thread');
      if (!engine || !other) return;
      const url = jobUrl('count');
      const worker = await engine.start(url, { sizes });
      const { mailbox } = worker;
      await assert.rejects(engine.start(url, { mailbox }), { code: 'PITV_MAILBOX_BUSY' });
      assert.throws(() => engine.freeMailbox(mailbox), { code: 'PITV_MAILBOX_BUSY' });
      const foreign = other.createMailbox(sizes);
      await assert.rejects(engine.start(url, { mailbox: foreign }), {
        code: 'PITV_MAILBOX_INVALID',
      });
      await worker.stop();
      engine.freeMailbox(mailbox);
      engine.freeMailbox(mailbox);
      await assert.rejects(engine.start(url, { mailbox }), { code: 'PITV_MAILBOX_INVALID' });
      await assert.rejects(engine.start(url, {}), { code: 'PITV_MAILBOX_SIZE' });
    });

    test('a freed mailbox can still be read, and is empty', async (t) => {
      const engine = await sharedEngine(t);
      if (!engine) return;
      const worker = await engine.start(jobUrl('count'), { sizes });
      const { mailbox } = worker;
      await until(() => mailbox.tick > 3, 'it ticks');
      await worker.stop();
      const { tick } = mailbox;
      engine.freeMailbox(mailbox);
      assert.equal(mailbox.takeFrame(), undefined);
      assert.equal(mailbox.lastFrame.bytes.length, 0);
      assert.equal(mailbox.checkpoint, undefined);
      assert.equal(mailbox.tick, tick);
      mailbox.writeInput(0, 1);
    });

    test('close() ends running and starting workers, and can be called twice', async (t) => {
      const engine = await engineFor(t, name);
      if (!engine) return;
      const running = await engine.start(jobUrl('count'), { sizes });
      const exit = exitOf(running);
      const starting = engine.start(jobUrl('endless'), { sizes });
      const refused = assert.rejects(starting, { code: 'PITV_WORKER_STOPPED' });
      await Promise.all([engine.close({ graceMs: 300 }), engine.close()]);
      await refused;
      assert.equal((await exit).reason, 'stopped');
      await assert.rejects(engine.start(jobUrl('count'), { sizes }), {
        code: 'PITV_ENGINE_CLOSED',
      });
    });
  });
}
