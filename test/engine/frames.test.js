/** Frames and checkpoints that are too long for the mailbox. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { QUICK_ENGINES, engineTests, exitOf, jobUrl, recorder, until } from './helpers.js';

const sizes = { inputSlots: 1, frameBytes: 64, checkpointBytes: 0 };

for (const name of QUICK_ENGINES) {
  describe(`frames, engine ${name}`, () => {
    const { log, warnings, abouts } = recorder();
    const test = engineTests(name, { log, hangMs: 10_000, strictFrames: false });
    /** Returns what the log says about texts. @param {string} beginning @returns {any[]} */
    const said = (beginning) => abouts.filter((_, i) => warnings[i].startsWith(beginning));

    test('a frame that is too long is cut, with one warning per worker', async (engine) => {
      const beginning = 'a frame was longer';
      const options = { frameBytes: 65 };
      const worker = await engine.start(jobUrl('count'), {
        name: 'long',
        sizes,
        options,
        tickHz: 1000,
      });
      await until(() => said(beginning).length > 0, 'the warning is logged');
      const { tick } = worker.mailbox;
      await until(() => worker.mailbox.tick > tick + 2, 'it continues');
      assert.equal(worker.mailbox.takeFrame()?.bytes.length, sizes.frameBytes);
      assert.equal(worker.mailbox.faults, 0);
      await worker.stop();
      const about = { worker: worker.id, name: 'long', bytes: 65, frameBytes: 64 };
      assert.deepEqual(said(beginning), [about]);
      const fits = await engine.start(jobUrl('count'), { sizes, options: { frameBytes: 64 } });
      await until(() => fits.mailbox.tick > 2, 'it ticks');
      await fits.stop();
      const next = await engine.start(jobUrl('count'), { mailbox: worker.mailbox, options });
      await until(() => next.mailbox.oversizedFrame > 0, 'it writes a frame that is too long');
      await next.stop();
      assert.equal(said(beginning).length, 2);
    });

    test('a checkpoint that is too long is dropped, with one warning per worker', async (engine) => {
      const mailbox = engine.createMailbox({ ...sizes, checkpointBytes: 8 });
      mailbox.putCheckpoint(Uint8Array.of(1, 2, 3, 4), 5);
      const worker = await engine.start(jobUrl('count'), {
        name: 'long',
        mailbox,
        options: { checkpointBytes: 9 },
        tickHz: 1000,
        checkpointTicks: 1,
      });
      await until(() => mailbox.tick > 10, 'it continues');
      await worker.stop();
      const about = { worker: worker.id, name: 'long', bytes: 9, checkpointBytes: 8 };
      assert.deepEqual(said('a checkpoint was longer'), [about]);
      assert.deepEqual([...(mailbox.copyCheckpoint()?.bytes ?? [])], [1, 2, 3, 4]);
      assert.equal(mailbox.faults, 0);
    });

    test('a job that does not say how much it has written ends with an error', async (engine) => {
      const start = (/** @type {object} */ options) =>
        engine.start(jobUrl('count'), { sizes: { ...sizes, checkpointBytes: 8 }, options });
      const message = /writeFrame\(\) must return how many bytes it has written, not NaN/;
      const { reason, error } = await exitOf(await start({ frameBytes: NaN }));
      assert.equal(reason, 'crashed');
      assert.match(String(error?.message), message);
      await assert.rejects(start({ checkpointBytes: -1 }), {
        code: 'PITV_WORKER_FAILED',
        message: /checkpoint\(\) must return how many bytes it has written, not -1/,
      });
    });

    const testStrict = engineTests(name, { strictFrames: true, hangMs: 10_000 });
    testStrict('with strictFrames, a frame that is too long ends the worker', async (engine) => {
      const worker = await engine.start(jobUrl('count'), { sizes, options: { frameBytes: 65 } });
      const { reason, error } = await exitOf(worker);
      assert.equal(reason, 'crashed');
      assert.equal(Reflect.get(Object(error), 'code'), 'PITV_FRAME_SIZE');
      assert.match(String(error?.message), /has 65 bytes, but the mailbox has room for 64/);
    });
  });
}
