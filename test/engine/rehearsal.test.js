import test from 'node:test';
import assert from 'node:assert/strict';
import {
  QUICK_ENGINES,
  countSizes,
  engineFor,
  engineTests,
  jobUrl,
  recorder,
  until,
} from './helpers.js';
import { onlyLong } from '../support/extent.js';
import { sizes as badSizes } from './jobs/bad-rehearsals.js';
import { sizes } from './jobs/rehearsed.js';

/** @typedef {import('../../app/engine/mailbox/mailbox.js').Mailbox} Mailbox */

/** @param {Mailbox} mailbox @returns {Promise<Uint8Array>} the bytes of the first frame */
async function firstFrame(mailbox) {
  await until(() => mailbox.takeFrame(), 'the job writes a frame');
  return mailbox.lastFrame.bytes;
}

/** @param {Mailbox} mailbox of the job rehearsed.js @returns {Promise<any>} what its first frame says */
const rehearsed = async (mailbox) => JSON.parse(Buffer.from(await firstFrame(mailbox)).toString());

const rehearsal = { ticks: 40, options: { seed: 1 }, event: 'rehearsed' };

for (const name of QUICK_ENGINES) {
  const testRehearsed = engineTests(name, { rehearsal });
  testRehearsed(`${name}: a rehearsal runs before the job and leaves no state`, async (engine) => {
    const worker = await engine.start(jobUrl('rehearsed'), { sizes, options: { seed: 77 } });
    const { starts, ticks, before, events } = await rehearsed(worker.mailbox);
    assert.deepEqual([starts, before, events], [[{ seed: 1 }, { seed: 77 }], 40, 1]);
    assert.ok(ticks <= worker.mailbox.tick, 'only ticks of the job are counted');
  });

  const { log, warnings } = recorder();
  const testFailing = engineTests(name, { rehearsal, log });
  testFailing(`${name}: a failed rehearsal is logged, and the job starts`, async (engine) => {
    const options = { seed: 77, fail: 1 };
    const worker = await engine.start(jobUrl('rehearsed'), { sizes, options });
    const { starts, before, events } = await rehearsed(worker.mailbox);
    assert.deepEqual([starts.at(-1), before, events], [options, 2, 1]);
    if (name === 'thread') return; // its warning goes to stderr
    const named = /PITV_REHEARSAL_FAILED\].*rehearsed\.js failed in its rehearsal: it fails/;
    await until(() => warnings.some((text) => named.test(text)), 'the log names the module');
  });

  const testOptions = engineTests(name, {
    rehearsal: { ticks: 3, options: { seed: 1, match: 0 } },
  });
  testOptions(`${name}: a rehearsal has only options that the job has`, async (engine) => {
    const echo = async (/** @type {object | undefined} */ options) => {
      const worker = await engine.start(jobUrl('rehearsed'), { sizes, options });
      const { starts } = await rehearsed(worker.mailbox);
      await worker.stop();
      return starts;
    };
    assert.deepEqual(await echo(undefined), [null, null]);
    const options = { list: [1] };
    assert.deepEqual((await echo(options)).slice(-2), [options, options]);
  });
}

/**
 * Opens a zygote that rehearses a bad job and the counting one.
 * @param {import('node:test').TestContext} t @param {string} bad name of the job @param {string} [search]
 */
async function rehearseWith(t, bad, search = '') {
  const { log, warnings } = recorder();
  /** @type {number[]} pids of the zygotes */
  const pids = [];
  log.info = (/** @type {any} */ about, /** @type {string} */ text) => {
    if (text === 'zygote ready' && about.draft === false) pids.push(about.pid);
  };
  const modules = [jobUrl(bad), jobUrl('count')];
  modules[0].search = search;
  const engine = await engineFor(t, 'zygote', { log, modules, thorough: true });
  if (engine) assert.equal(warnings.length, 1);
  return { engine, modules, warnings, pids };
}

/** Jobs, and what the log says about them. @type {[string, string, RegExp][]} */
const BAD_JOBS = [
  ['broken', '', /could not be loaded: this module is broken$/],
  ['bad-rehearsals', '?throw', /failed in its rehearsal: run 50 fails$/],
  ['bad-rehearsals', '?differ', /rehearsal: the same run gives another result/],
];
for (const [bad, search, said] of BAD_JOBS) {
  test(`zygote: the job ${bad}${search} is logged, and it and the others work`, async (t) => {
    const { engine, modules, warnings } = await rehearseWith(t, bad, search);
    if (!engine) return;
    assert.match(warnings[0], said);
    assert.ok(warnings[0].startsWith(`${modules[0]} `), warnings[0]);
    const start = engine.start(modules[0], { sizes: badSizes, options: {} });
    if (bad === 'broken') {
      const refused = { code: 'PITV_WORKER_FAILED', message: /this module is broken/ };
      await assert.rejects(start, refused);
    } else {
      // With ?differ, it is the number of starts in the process, which rehearsals do not change.
      assert.equal((await firstFrame((await start).mailbox))[0], 1);
      assert.equal(warnings.length, 1);
    }
    const worker = await engine.start(modules[1], { sizes: countSizes });
    await until(() => worker.mailbox.tick > 2, 'it ticks');
  });
}

const loops = { skip: onlyLong }; // until the time limit of a rehearsal
test('zygote: a job that does not return in its rehearsal is logged once', loops, async (t) => {
  const { engine, modules, warnings, pids } = await rehearseWith(t, 'bad-rehearsals', '?loop');
  if (!engine) return;
  const sentence = `${modules[0]} failed in its rehearsal: it does not return: does it loop?`;
  assert.deepEqual(warnings, [sentence]);
  for (const [i, sizes] of [badSizes, countSizes].entries()) {
    const worker = await engine.start(modules[i], { sizes, options: {} });
    await until(() => worker.mailbox.tick > 2, 'it ticks');
  }
  process.kill(pids[0], 'SIGKILL');
  await until(() => pids.length === 2, 'the next zygote is ready');
  assert.deepEqual(
    warnings.filter((text) => /rehearsal|ordinary/.test(text)),
    [sentence],
    'the next zygote does not try again',
  );
});
