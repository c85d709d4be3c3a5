import test from 'node:test';
import assert from 'node:assert/strict';
import { ENGINES_UNDER_TEST, engineFor, jobUrl, until } from './helpers.js';
import { sizes } from './jobs/rehearsed.js';

/** @param {import('../../app/engine/mailbox.js').Mailbox} mailbox */
async function firstFrame(mailbox) {
  /** @type {ReturnType<typeof mailbox.takeFrame>} */
  let frame;
  await until(() => (frame = mailbox.takeFrame()), 'the job writes a frame');
  const { bytes } = /** @type {NonNullable<typeof frame>} */ (frame);
  const [seed, ticks, before, events] = new Uint32Array(bytes.slice().buffer);
  return { seed, ticks, before, events };
}

const rehearsal = { ticks: 40, options: { seed: 1 }, event: 'rehearsed' };

for (const name of ENGINES_UNDER_TEST) {
  test(`${name}: a rehearsal comes before the job, and leaves nothing behind in it`, async (t) => {
    const engine = await engineFor(t, name, { rehearsal });
    if (!engine) return;
    const worker = await engine.start(jobUrl('rehearsed'), { sizes, options: { seed: 77 } });
    const { seed, ticks, before, events } = await firstFrame(worker.mailbox);
    assert.deepEqual({ seed, before, events }, { seed: 77, before: 40, events: 1 });
    assert.ok(ticks <= worker.mailbox.tick, 'the ticks of the job alone are counted');
  });

  test(`${name}: a rehearsal that fails is none`, async (t) => {
    const engine = await engineFor(t, name, { rehearsal });
    if (!engine) return;
    const options = { seed: 77, fail: 1 };
    const worker = await engine.start(jobUrl('rehearsed'), { sizes, options });
    const { seed, before, events } = await firstFrame(worker.mailbox);
    assert.deepEqual({ seed, before, events }, { seed: 77, before: 2, events: 1 });
  });
}
