import test from 'node:test';
import assert from 'node:assert/strict';
import { ENGINES_UNDER_TEST, engineFor, jobUrl, until } from './helpers.js';
import { createEngine } from '../../app/engine/index.js';
import { sizes as echoSizes } from './jobs/echo-options.js';
import { sizes as frameSizes } from './jobs/frames.js';
import { sizes } from './jobs/rehearsed.js';

/** @param {import('../../app/engine/mailbox/mailbox.js').Mailbox} mailbox */
async function firstFrame(mailbox) {
  /** @type {ReturnType<typeof mailbox.takeFrame>} */
  let frame;
  await until(() => (frame = mailbox.takeFrame()), 'the job writes a frame');
  const { bytes } = /** @type {NonNullable<typeof frame>} */ (frame);
  const [seed, ticks, before, events] = new Uint32Array(bytes.slice().buffer);
  return { seed, ticks, before, events };
}

/** @returns {{log: any, warnings: string[]}} a log and what it was warned of */
function recorder() {
  /** @type {string[]} */
  const warnings = [];
  const ignore = () => {};
  const warn = (/** @type {any} */ _, /** @type {string} */ text) => warnings.push(text);
  return { log: { info: ignore, error: ignore, warn }, warnings };
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

  test(`${name}: a rehearsal that fails is named, and the job starts`, async (t) => {
    const { log, warnings } = recorder();
    const engine = await engineFor(t, name, { rehearsal, log });
    if (!engine) return;
    const options = { seed: 77, fail: 1 };
    const worker = await engine.start(jobUrl('rehearsed'), { sizes, options });
    const { seed, before, events } = await firstFrame(worker.mailbox);
    assert.deepEqual({ seed, before, events }, { seed: 77, before: 2, events: 1 });
    if (name === 'thread') return; // its warning goes to the process's own stderr
    const named = /PITV_REHEARSAL_FAILED\].*rehearsed\.js failed in its rehearsal: it fails/;
    await until(() => warnings.some((text) => named.test(text)), 'the log names the module');
  });
}

for (const name of ENGINES_UNDER_TEST) {
  test(`${name}: a rehearsal has no options that the job was not given`, async (t) => {
    const engine = await engineFor(t, name, {
      rehearsal: { ticks: 3, options: { seed: 1, match: 0 } },
    });
    if (!engine) return;
    const worker = await engine.start(jobUrl('echo-options'), { sizes: echoSizes });
    await until(() => worker.mailbox.takeFrame(), 'the job writes a frame');
    assert.equal(Buffer.from(worker.mailbox.lastFrame.bytes).toString(), '[null,null]');
    await worker.stop();
    const options = { list: [1] };
    const second = await engine.start(jobUrl('echo-options'), { sizes: echoSizes, options });
    await until(() => second.mailbox.takeFrame(), 'the job writes a frame');
    const seen = JSON.parse(Buffer.from(second.mailbox.lastFrame.bytes).toString());
    assert.deepEqual(seen.slice(-2), [options, options]);
  });
}

test('zygote: a job that fails in its rehearsal is named, and the others are rehearsed', async (t) => {
  const { log, warnings } = recorder();
  const modules = [jobUrl('frames'), jobUrl('count')];
  const engine = await engineFor(t, 'zygote', { log, modules, thorough: true });
  if (!engine) return;
  assert.deepEqual(warnings, [`${modules[0]} failed in its rehearsal: run 50 fails`]);
  const worker = await engine.start(modules[0], { sizes: frameSizes, options: { bytes: 1 } });
  await until(() => worker.mailbox.tick > 2, 'it ticks');
});

test('zygote: a module that can not be loaded ahead is named', async (t) => {
  if (!(await engineFor(t, 'zygote'))) return;
  await assert.rejects(createEngine('zygote', { modules: [jobUrl('count'), jobUrl('broken')] }), {
    code: 'PITV_ENGINE_UNSUPPORTED',
    message: /jobs\/broken\.js could not be loaded ahead: this module is broken/,
  });
});
