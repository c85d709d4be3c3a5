/** Frames and checkpoints that are too long for the mailbox. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ENGINES_UNDER_TEST, engineFor, exitOf, jobUrl, until } from './helpers.js';
import { sizes } from './jobs/frames.js';

/** @returns {{log: any, warnings: [any, string][]}} a log and its warnings */
function recorder() {
  /** @type {[any, string][]} */
  const warnings = [];
  const ignore = () => {};
  /** @param {any} about @param {string} text */
  const warn = (about, text) => warnings.push([about, text]);
  return { log: { info: ignore, error: ignore, warn }, warnings };
}

for (const name of ENGINES_UNDER_TEST) {
  describe(`frames, engine ${name}`, () => {
    test('a frame that is too long is cut, with one warning per worker', async (t) => {
      const { log, warnings } = recorder();
      const engine = await engineFor(t, name, { log, hangMs: 10_000, strictFrames: false });
      if (!engine) return;
      const said = () => warnings.filter(([, text]) => text.startsWith('a frame was longer'));
      const options = { bytes: 65 };
      const worker = await engine.start(jobUrl('frames'), {
        name: 'long',
        sizes,
        options,
        tickHz: 1000,
      });
      await until(() => said().length > 0, 'the warning is logged');
      const { tick } = worker.mailbox;
      await until(() => worker.mailbox.tick > tick + 2, 'it continues');
      assert.equal(worker.mailbox.takeFrame()?.bytes.length, sizes.frameBytes);
      assert.equal(worker.mailbox.faults, 0);
      await worker.stop();
      assert.deepEqual(
        said().map(([about]) => about),
        [{ worker: worker.id, name: 'long', bytes: 65, frameBytes: 64 }],
      );
      const fits = await engine.start(jobUrl('frames'), { sizes, options: { bytes: 64 } });
      await until(() => fits.mailbox.tick > 2, 'it ticks');
      await fits.stop();
      const next = await engine.start(jobUrl('frames'), { mailbox: worker.mailbox, options });
      await until(() => next.mailbox.oversizedFrame > 0, 'it writes a frame that is too long');
      await next.stop();
      assert.equal(said().length, 2);
    });

    test('a checkpoint that is too long is dropped, with one warning per worker', async (t) => {
      const { log, warnings } = recorder();
      const engine = await engineFor(t, name, { log, hangMs: 10_000 });
      if (!engine) return;
      const options = { bytes: 64, checkpointBytes: 9 };
      const mailbox = engine.createMailbox({ ...sizes, checkpointBytes: 8 });
      mailbox.putCheckpoint(Uint8Array.of(1, 2, 3), 5);
      const worker = await engine.start(jobUrl('frames'), {
        name: 'long',
        mailbox,
        options,
        tickHz: 1000,
        checkpointTicks: 1,
      });
      await until(() => mailbox.tick > 10, 'it continues');
      await worker.stop();
      const said = warnings.filter(([, text]) => text.startsWith('a checkpoint was longer'));
      assert.deepEqual(
        said.map(([about]) => about),
        [{ worker: worker.id, name: 'long', bytes: 9, checkpointBytes: 8 }],
      );
      assert.deepEqual([...(mailbox.copyCheckpoint()?.bytes ?? [])], [1, 2, 3]);
      assert.equal(mailbox.faults, 0);
    });

    test('with strictFrames, a frame that is too long ends the worker with an error', async (t) => {
      const engine = await engineFor(t, name, { strictFrames: true, hangMs: 10_000 });
      if (!engine) return;
      const options = { bytes: 65 };
      const { reason, error } = await exitOf(
        await engine.start(jobUrl('frames'), { sizes, options }),
      );
      assert.equal(reason, 'crashed');
      assert.equal(Reflect.get(Object(error), 'code'), 'PITV_FRAME_SIZE');
      assert.match(String(error?.message), /has 65 bytes, but the mailbox has room for 64/);
    });
  });
}
