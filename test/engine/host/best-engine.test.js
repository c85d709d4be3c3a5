import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBestEngine, createEngine } from '../../../app/engine/index.js';
import { findBestEngine } from '../../../app/engine/host/best-engine.js';
import { setVariable } from '../../support/tv.js';
import { engineTests, exitOf, countSizes as sizes, jobUrl } from '../helpers.js';

const testWithZygote = engineTests('zygote');
testWithZygote('the zygote engine is chosen where it works, with the reason', async (_, t) => {
  const { engine, why } = await createBestEngine(() => ({}));
  t.after(() => engine.close({ graceMs: 0 }));
  assert.equal(engine.name, 'zygote');
  assert.equal(why, 'zygote: a forked process for each match.');
  assert.equal(engine.choice, why);
  assert.deepEqual(engine.workers, [], 'the trial worker has ended');
  const worker = await engine.start(jobUrl('count'), { sizes, options: { doneAt: 3 } });
  assert.equal((await exitOf(worker)).reason, 'done');
});

test('an engine that cannot be opened is skipped, with the reason', async (t) => {
  /** @type {string[]} */
  const asked = [];
  const { engine, why } = await findBestEngine(async (name) => {
    asked.push(name);
    if (name !== 'thread') throw new Error(`No ${name} today.`);
    return createEngine(name);
  });
  t.after(() => engine.close());
  assert.deepEqual(asked, ['zygote', 'process', 'thread']);
  assert.equal(engine.name, 'thread');
  assert.equal(
    why,
    'thread: a thread for each match; not zygote: No zygote today; not process: No process today.',
  );
});

test('an engine whose trial worker fails or does nothing is closed and skipped', async (t) => {
  /** @type {import('../../../app/engine/index.js').Engine[]} */
  const closed = [];
  const { engine, why } = await findBestEngine(async (name) => {
    const real = await createEngine('thread');
    const { start, close } = real;
    real.close = (options) => {
      closed.push(real);
      return close.call(real, options);
    };
    if (name === 'zygote') real.start = () => Promise.reject(new Error('It did not start.'));
    if (name === 'process') {
      real.start = (url, options) => start.call(real, url, { ...options, options: { ticks: 1 } });
    }
    return real;
  });
  t.after(() => engine.close());
  assert.equal(closed.length, 2);
  assert.match(why, /^thread: .*; not zygote: It did not start; not process: its test job/);
});

test('when no engine works, the error of the last one is thrown', async () => {
  await assert.rejects(
    findBestEngine(async (name) => {
      throw new Error(`no ${name}`);
    }),
    /no thread/,
  );
});

test('the zygote is not chosen while module hooks run in a thread', async (t) => {
  const hooks = new URL('../../pool/modules/register-hooks.js', import.meta.url);
  setVariable(t, 'NODE_OPTIONS', `--import ${hooks.href}`);
  const { engine, why } = await createBestEngine();
  t.after(() => engine.close());
  assert.match(why, /^process: .*not zygote: .*Module hooks/);
});
