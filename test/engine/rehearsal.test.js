import test from 'node:test';
import assert from 'node:assert/strict';
import { ENGINES_UNDER_TEST, countSizes, engineFor, jobUrl, until } from './helpers.js';
import { onlyInAll } from '../support/extent.js';
import { sizes as echoSizes } from './jobs/echo-options.js';
import { sizes as endlessSizes } from './jobs/endless-rehearsal.js';
import { sizes as frameSizes } from './jobs/frames.js';
import { sizes } from './jobs/rehearsed.js';
import { sizes as variableSizes } from './jobs/variable.js';

/** @param {import('../../app/engine/mailbox/mailbox.js').Mailbox} mailbox */
async function firstFrame(mailbox) {
  /** @type {ReturnType<typeof mailbox.takeFrame>} */
  let frame;
  await until(() => (frame = mailbox.takeFrame()), 'the job writes a frame');
  const { bytes } = /** @type {NonNullable<typeof frame>} */ (frame);
  const [seed, ticks, before, events] = new Uint32Array(bytes.slice().buffer);
  return { seed, ticks, before, events };
}

/** @returns {{log: any, warnings: string[]}} a log and its warnings */
function recorder() {
  /** @type {string[]} */
  const warnings = [];
  const ignore = () => {};
  const warn = (/** @type {any} */ _, /** @type {string} */ text) => warnings.push(text);
  return { log: { info: ignore, error: ignore, warn }, warnings };
}

const rehearsal = { ticks: 40, options: { seed: 1 }, event: 'rehearsed' };

for (const name of ENGINES_UNDER_TEST) {
  test(`${name}: a rehearsal runs before the job and leaves no state in it`, async (t) => {
    const engine = await engineFor(t, name, { rehearsal });
    if (!engine) return;
    const worker = await engine.start(jobUrl('rehearsed'), { sizes, options: { seed: 77 } });
    const { seed, ticks, before, events } = await firstFrame(worker.mailbox);
    assert.deepEqual({ seed, before, events }, { seed: 77, before: 40, events: 1 });
    assert.ok(ticks <= worker.mailbox.tick, 'only ticks of the job are counted');
  });

  test(`${name}: a failed rehearsal is logged, and the job starts`, async (t) => {
    const { log, warnings } = recorder();
    const engine = await engineFor(t, name, { rehearsal, log });
    if (!engine) return;
    const options = { seed: 77, fail: 1 };
    const worker = await engine.start(jobUrl('rehearsed'), { sizes, options });
    const { seed, before, events } = await firstFrame(worker.mailbox);
    assert.deepEqual({ seed, before, events }, { seed: 77, before: 2, events: 1 });
    if (name === 'thread') return; // its warning goes to stderr
    const named = /PITV_REHEARSAL_FAILED\].*rehearsed\.js failed in its rehearsal: it fails/;
    await until(() => warnings.some((text) => named.test(text)), 'the log names the module');
  });
}

for (const name of ENGINES_UNDER_TEST) {
  test(`${name}: a rehearsal has only options that the job has`, async (t) => {
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

test('zygote: a job that fails in its rehearsal is logged, and the others are rehearsed', async (t) => {
  const { log, warnings } = recorder();
  const modules = [jobUrl('frames'), jobUrl('count')];
  const engine = await engineFor(t, 'zygote', { log, modules, thorough: true });
  if (!engine) return;
  assert.deepEqual(warnings, [`${modules[0]} failed in its rehearsal: run 50 fails`]);
  const worker = await engine.start(modules[0], { sizes: frameSizes, options: { bytes: 1 } });
  await until(() => worker.mailbox.tick > 2, 'it ticks');
});

test('zygote: a module that cannot be loaded is logged, and the others are rehearsed', async (t) => {
  const { log, warnings } = recorder();
  const modules = [jobUrl('broken'), jobUrl('count')];
  const engine = await engineFor(t, 'zygote', { log, modules, thorough: true });
  if (!engine) return;
  assert.deepEqual(warnings, [`${modules[0]} could not be loaded: this module is broken`]);
  await assert.rejects(engine.start(modules[0], { sizes }), {
    code: 'PITV_WORKER_FAILED',
    message: /this module is broken/,
  });
  const worker = await engine.start(modules[1], { sizes: countSizes });
  await until(() => worker.mailbox.tick > 2, 'it ticks');
});

test('zygote: what a rehearsal leaves in the variables of a module is not in its workers', async (t) => {
  const { log, warnings } = recorder();
  const modules = [jobUrl('variable'), jobUrl('count')];
  const engine = await engineFor(t, 'zygote', { log, modules, thorough: true });
  if (!engine) return;
  assert.equal(warnings.length, 1);
  assert.match(
    warnings[0],
    /variable\.js failed in its rehearsal: the same run gives another result/,
  );
  const worker = await engine.start(modules[0], { sizes: variableSizes });
  await until(() => worker.mailbox.takeFrame(), 'the job writes a frame');
  assert.equal(worker.mailbox.lastFrame.bytes[0], 1);
  assert.equal(warnings.length, 1);
});

const loops = { skip: onlyInAll }; // until the time limit of a rehearsal
test(
  'zygote: a job that does not return in its rehearsal is logged once, and its workers start',
  loops,
  async (t) => {
    const { log, warnings } = recorder();
    /** @type {number[]} */
    const pids = [];
    log.info = (/** @type {any} */ about, /** @type {string} */ text) => {
      if (text === 'zygote ready' && about.draft === false) pids.push(about.pid);
    };
    const modules = [jobUrl('endless-rehearsal'), jobUrl('count')];
    const engine = await engineFor(t, 'zygote', { log, modules, thorough: true });
    if (!engine) return;
    const sentence = `${modules[0]} failed in its rehearsal: it does not return: does it loop?`;
    assert.deepEqual(warnings, [sentence]);
    for (const [module, sizes] of /** @type {const} */ ([
      [modules[0], endlessSizes],
      [modules[1], countSizes],
    ])) {
      const worker = await engine.start(module, { sizes, options: {} });
      await until(() => worker.mailbox.tick > 2, 'it ticks');
    }
    process.kill(pids[0], 'SIGKILL');
    await until(() => pids.length === 2, 'the next zygote is ready');
    assert.deepEqual(
      warnings.filter((text) => /rehearsal|ordinary/.test(text)),
      [sentence],
      'the next zygote does not try again',
    );
  },
);
