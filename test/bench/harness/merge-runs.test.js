/** Parts of a run become one; what is not a part of it stays by itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeRuns } from '../../../bench/harness/merge-runs.js';

const MACHINE = { cpu: 'ARMv6', cores: 1, node: 'v20.19.2', virtual: null };
const METHOD = { runs: 1, warmUps: 0, quick: true, seed: 1 };

/** @param {string} scenario @param {number[]} workers @param {object} [more] */
const part = (scenario, workers, more = {}) =>
  /** @type {any} */ ({
    ...{ pitv: '1', schema: 2, method: METHOD, machine: MACHINE, complete: true },
    scenarios: [{ name: scenario, title: scenario }],
    rows: workers.map((count) => ({ scenario, metric: 'pss', variant: 'a', workers: count })),
    ...{ comparisons: [{ scenario }], failures: [], notes: ['same'], warnings: [] },
    ...more,
  });

test('scenarios and numbers of games that were measured apart are joined', () => {
  const parts = [part('startup', [1]), part('memory', [1]), part('memory', [2, 4])];
  const [one, ...others] = mergeRuns(parts);
  assert.deepEqual(others, []);
  assert.equal(one.suite, 'startup memory');
  assert.deepEqual(
    one.rows.map(({ workers }) => workers),
    [1, 1, 2, 4],
  );
  assert.equal(one.comparisons.length, 3);
  assert.deepEqual(one.notes, ['same']);
  assert.equal(parts[0].rows.length, 1); // nothing that was given is changed
});

test('another machine, another method, or the same figures again: not one run', () => {
  const one = part('memory', [1]);
  for (const other of [
    part('startup', [1], { machine: { ...MACHINE, node: 'v24.0.0' } }),
    part('startup', [1], { method: { ...METHOD, runs: 10 } }),
    part('memory', [1, 2]),
  ]) {
    assert.deepEqual(mergeRuns([one, other]), [one, other]);
  }
});

test('cut short is what has a part that was', () => {
  const [one] = mergeRuns([part('memory', [1]), part('memory', [2], { complete: false })]);
  assert.equal(one.complete, false);
});
