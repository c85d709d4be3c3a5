/** A worker that is paused stands still between two ticks, on each engine. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ENGINES_UNDER_TEST, countIn, countSizes, engineFor, jobUrl, until } from './helpers.js';

const HANG_MS = 300;
const TICK_HZ = 200;
/** More than one tick. */
const TICK_MS = 20;

for (const name of ENGINES_UNDER_TEST) {
  describe(`engine ${name}`, () => {
    test('a pause is no hang, and the worker goes on with the next tick', async (t) => {
      const engine = await engineFor(t, name, { hangMs: HANG_MS });
      if (!engine) return;
      const options = { sizes: countSizes, tickHz: TICK_HZ, options: { from: 1000 } };
      const worker = await engine.start(jobUrl('count'), options);
      const { mailbox } = worker;
      await until(() => mailbox.tick > 5, 'it ticks');
      mailbox.pause(true);
      await until(async () => {
        const { tick } = mailbox;
        await delay(TICK_MS);
        return mailbox.tick === tick;
      }, 'it stands still');
      const { tick } = mailbox;
      await delay(2 * HANG_MS);
      assert.equal(mailbox.tick, tick);
      assert.equal(engine.workers.length, 1, 'it still runs');
      mailbox.pause(false);
      await until(() => mailbox.tick > tick, 'it goes on');
      mailbox.pause(true);
      assert.equal((await worker.stop()).reason, 'stopped', 'it stops while it is paused');
      assert.equal(countIn(mailbox), 1000 + mailbox.tick);
    });
  });
}
