/** Tests that parts of a run are joined, and nothing else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeRuns } from '../../../bench/harness/merge-runs.js';
import { labelOf } from '../../../bench/report/text.js';

const MACHINE = { cpu: 'ARMv6', cores: 1, node: 'v20.19.2', virtual: null };
const METHOD = { runs: 1, warmUps: 0, quick: true, seed: 1 };

/** @param {string} scenario @param {string} variant @param {number} workers */
const rowOf = (scenario, variant, workers) => ({
  scenario,
  variant,
  workers,
  metric: 'pss',
  unit: 'KiB',
  engine: null,
  level: null,
  n: null,
  samples: [variant === 'a' ? 2 : 1],
  rounds: [0],
});

/** @param {string} scenario @param {number[]} workers @param {object} [more] */
const part = (scenario, workers, more = {}) =>
  /** @type {any} */ ({
    pitv: '1',
    schema: 3,
    method: METHOD,
    machine: MACHINE,
    complete: true,
    scenarios: [{ name: scenario, title: scenario }],
    rows: workers.flatMap((count) => ['a', 'b'].map((variant) => rowOf(scenario, variant, count))),
    failures: [],
    skipped: [],
    notes: ['same'],
    warnings: [],
    comparisons: workers.map((count) => ({
      scenario,
      metric: 'pss',
      a: labelOf({ variant: 'a', workers: count }),
      b: labelOf({ variant: 'b', workers: count }),
    })),
    ...more,
  });

test('scenarios and numbers of games that were measured separately are joined', () => {
  const parts = [part('startup', [1]), part('memory', [1]), part('memory', [2, 4])];
  const [one, ...others] = mergeRuns(parts);
  assert.deepEqual(others, []);
  assert.equal(one.suite, 'startup memory');
  assert.deepEqual(
    one.rows.map(({ workers }) => workers),
    [1, 1, 1, 1, 2, 2, 4, 4],
  );
  assert.deepEqual(
    one.comparisons.map(({ ratio, pHolm, verdict }) => [ratio, pHolm, verdict]),
    Array(4).fill([2, 1, 'cannot say']),
  );
  assert.deepEqual(one.notes, ['same']);
  assert.equal(parts[0].rows.length, 2); // the parts are not changed
});

test('files with another machine, another method or the same rows are not joined', () => {
  const one = part('memory', [1]);
  for (const other of [
    part('startup', [1], { machine: { ...MACHINE, node: 'v24.0.0' } }),
    part('startup', [1], { method: { ...METHOD, runs: 10 } }),
    part('memory', [1, 2]),
  ]) {
    assert.deepEqual(mergeRuns([one, other]), [one, other]);
  }
});

test('joined results are incomplete if a part is incomplete', () => {
  const [one] = mergeRuns([part('memory', [1]), part('memory', [2], { complete: false })]);
  assert.equal(one.complete, false);
});
