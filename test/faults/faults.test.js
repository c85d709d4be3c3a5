/** Assertions about injected faults. faults.long.test.js injects some. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { problemsOf } from './driver.js';

/** @param {Partial<import('./injector.js').FaultResult>} fault @returns {import('./injector.js').FaultResult} */
const made = (fault) => ({
  number: 1,
  kind: 'worker killed',
  backMs: 50,
  gapTicks: 0,
  goneMs: undefined,
  leaked: 0,
  wrong: [],
  ...fault,
});
/** @param {import('./injector.js').FaultResult[]} faults */
const problems = (...faults) => problemsOf({ faults, skipped: {}, orphans: 0 }).join('\n');

describe('assertions about faults', () => {
  test('a broken bound is reported with the number of its fault', () => {
    assert.equal(problems(made({})), '');
    assert.match(
      problems(made({ backMs: 1001, number: 5 })),
      /not back in 1000 ms \(allowed: 0\): 5/,
    );
    assert.match(problems(made({ backMs: Infinity })), /not back/);
    assert.match(problems(made({ gapTicks: 4, number: 6 })), /fault 6 .* missed 4 ticks/);
    assert.match(problems(made({ goneMs: 1500 })), /left 1500 ms after/);
    assert.match(problems(made({ leaked: 2 })), /2 descriptors/);
    assert.match(problems(made({ wrong: ['a match ended'] })), /a match ended/);
  });

  test('one match of a hundred may be late, two may not', () => {
    const faults = Array.from({ length: 100 }, (_, i) => made({ number: i + 1 }));
    faults[3].backMs = 1500;
    assert.equal(problems(...faults), '');
    faults[4].backMs = 1500;
    assert.match(problems(...faults), /2 matches .* \(allowed: 1\): 4, 5/);
  });
});
