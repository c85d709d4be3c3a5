import assert from 'node:assert/strict';
import test from 'node:test';
import { lockMissing } from '../support/lock.js';
import { QUICK_ENGINES, engineFor, jobUrl, lock, until } from './helpers.js';
import { FLOOD, sizes } from './jobs/talkative.js';

/**
 * Collects what a job writes until it says that it loops.
 * @param {import('node:test').TestContext} t @param {string} engineName
 * @param {import('../../app/engine/lock.js').Lock} [lock]
 */
async function collect(t, engineName, lock) {
  /** @type {string[]} */
  const texts = [];
  const output = (/** @type {string} */ name, /** @type {string} */ text) =>
    void texts.push(`${name}: ${text}`);
  const engine = await engineFor(t, engineName, { output, hangMs: 60_000 });
  if (!engine) return undefined;
  const worker = await engine.start(jobUrl('talkative'), { name: 'chatty', sizes, lock });
  await until(() => texts.some((text) => text.includes('a loop')), 'it loops');
  await worker.terminate('stopped');
  return texts;
}

for (const name of QUICK_ENGINES) {
  test(`${name}: what a job writes arrives at once, a bounded amount`, async (t) => {
    const texts = await collect(t, name);
    if (!texts) return;
    assert.deepEqual(texts.slice(0, 3), [
      'chatty: started',
      'chatty: \\u001b[2Jred\nand { a: 1 }',
      `chatty: ${'x'.repeat(FLOOD.chars)}`,
    ]);
    const received = texts.filter((text) => text.includes('xxx')).length;
    assert.ok(received < FLOOD.texts / 4, `${received} texts`);
    assert.ok(texts.some((text) => /\(\d+ texts are left out\)\na loop$/.test(text)));
  });
}

for (const name of ['process', 'zygote']) {
  test(`${name}: a locked job writes, too`, { skip: lockMissing }, async (t) => {
    const texts = await collect(t, name, lock);
    assert.deepEqual(texts?.slice(0, 1), ['chatty: started']);
  });
}
