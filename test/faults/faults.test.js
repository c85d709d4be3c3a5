/** Assertions about injected faults. faults.long.test.js injects some. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemsOf } from './driver.js';
import { plan } from './kinds.js';

/** @param {Partial<import('./injector.js').FaultResult>[]} faults */
const problems = (...faults) => {
  const fine = {
    kind: 'worker killed',
    backMs: 50,
    gapTicks: 0,
    goneMs: undefined,
    leaked: 0,
    wrong: [],
  };
  const made = faults.map((fault, i) => ({ number: i + 1, ...fine, ...fault }));
  return problemsOf({ faults: made, skipped: {}, orphans: 0 }).join('\n');
};

test('a broken bound is reported with the number of its fault', () => {
  assert.equal(problems({}), '');
  assert.match(problems({}, { backMs: 1001 }), /not back in 1000 ms \(allowed: 0\): 2/);
  assert.match(problems({ backMs: Infinity }), /not back/);
  assert.match(problems({}, { gapTicks: 4 }), /fault 2 .* missed 4 ticks/);
  assert.match(problems({ goneMs: 1500 }), /left 1500 ms after/);
  assert.match(problems({ leaked: 2 }), /2 descriptors/);
  assert.match(problems({ wrong: ['a match ended'] }), /a match ended/);
});

test('one match of a hundred may be late, two may not', () => {
  const faults = Array.from({ length: 100 }, () => ({ backMs: 50 }));
  faults[3].backMs = 1500;
  assert.equal(problems(...faults), '');
  faults[4].backMs = 1500;
  assert.match(problems(...faults), /2 matches .* \(allowed: 1\): 4, 5/);
});

test('a run without a kind of fault, because of its options or of the machine, fails', () => {
  assert.deepEqual(
    plan([], 5, () => 0),
    [],
  );
  assert.equal(problems(), 'no fault was injected');
});
