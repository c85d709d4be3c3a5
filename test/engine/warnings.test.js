import assert from 'node:assert/strict';
import test from 'node:test';
import { Warnings } from '../../app/engine/worker/warnings.js';
import { ENGINES_UNDER_TEST, engineFor, jobUrl, until } from './helpers.js';
import { sizes } from './jobs/complaining.js';

for (const name of ENGINES_UNDER_TEST) {
  test(`${name}: the log has the first warning of a job`, async (t) => {
    /** @type {string[]} */
    const warnings = [];
    const ignore = () => {};
    const warn = (/** @type {any} */ about, /** @type {string} */ text) =>
      warnings.push(`${about.name}: ${text}`);
    const log = /** @type {any} */ ({ info: ignore, error: ignore, warn });
    const engine = await engineFor(t, name, { log });
    if (!engine) return;
    const worker = await engine.start(jobUrl('complaining'), { name: 'sour', sizes });
    await until(() => worker.mailbox.tick > 5 && warnings.length > 0, 'it warns');
    await worker.stop();
    assert.deepEqual(warnings, ['sour: tick 1 is bad']);
  });
}

/** @param {boolean} all @returns {(tick: number, ms: number, warning?: string) => string[]} what is reported */
function check(all) {
  /** @type {string[]} */
  const sentences = [];
  const warnings = new Warnings((sentence) => sentences.push(sentence), { tickHz: 60 }, all);
  return (tick, ms, warning) => {
    warnings.check(/** @type {any} */ ({ takeWarning: () => warning }), tick, ms);
    return sentences.splice(0);
  };
}

test('in development all warnings and the first slow tick are reported', () => {
  const step = check(true);
  assert.deepEqual(step(1, 900), [], 'its code is not compiled yet');
  assert.deepEqual(step(61, 16, 'one'), ['one']);
  assert.deepEqual(step(62, 17, 'two'), [
    'two',
    'Tick 62 took 17.0 ms; a tick has 16.7 ms. Later slow ticks are not reported.',
  ]);
  assert.deepEqual(step(63, 99), []);
});

test('outside development there is one warning per worker', () => {
  const step = check(false);
  assert.deepEqual(step(100, 99, 'one'), ['one']);
  assert.deepEqual(step(101, 99, 'two'), []);
});
