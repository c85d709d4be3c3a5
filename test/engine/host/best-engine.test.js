import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBestEngine, createEngine } from '../../../app/engine/index.js';
import { findBestEngine } from '../../../app/engine/host/best-engine.js';
import { engineFor, exitOf, countSizes as sizes, jobUrl } from '../helpers.js';

test('the zygote engine is taken where it works, and says why', async (t) => {
  const zygote = await engineFor(t, 'zygote');
  if (!zygote) return;
  const { engine, why } = await createBestEngine(() => ({}));
  t.after(() => engine.close({ graceMs: 0 }));
  assert.equal(engine.name, 'zygote');
  assert.equal(why, 'zygote: a process for each match, at the price of a thread.');
  assert.equal(engine.choice, why);
  assert.deepEqual(engine.workers, [], 'the one that proved it has gone');
  const worker = await engine.start(jobUrl('count'), { sizes, options: { doneAt: 3 } });
  assert.equal((await exitOf(worker)).reason, 'done');
});

test('what can not be opened is passed over, with its reason', async (t) => {
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

test('what opens, but whose first worker fails or does nothing, is closed and passed over', async (t) => {
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
  assert.match(why, /^thread: .*; not zygote: It did not start; not process: its first worker/);
});

test('when none works, the last one says why', async () => {
  await assert.rejects(
    findBestEngine(async (name) => {
      throw new Error(`no ${name}`);
    }),
    /no thread/,
  );
});
