/** Assertions about injected faults. faults.long.test.js injects some. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { percentile, problemsOf } from './report.js';
import { covered } from './stalls.js';

/** @param {Partial<import('./injector.js').FaultResult>} fault @returns {import('./injector.js').FaultResult} */
const made = (fault) => ({
  number: 1,
  kind: 'worker killed',
  backMs: 50,
  stalledMs: 0,
  gapTicks: 0,
  gapStalledTicks: 0,
  goneMs: undefined,
  leaked: 0,
  memoryKib: 50_000,
  start: 0,
  wrong: [],
  ...fault,
});
/** @param {import('./injector.js').FaultResult[]} faults */
const problems = (...faults) =>
  problemsOf({ faults, skipped: {}, refused: new Map(), orphans: 0 }).join('\n');

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

  test('time in which the machine stalled does not count', () => {
    assert.equal(problems(made({ backMs: 1400, stalledMs: 450 })), '');
    assert.match(problems(made({ backMs: 1400, stalledMs: 350 })), /not back/);
    assert.equal(problems(made({ gapTicks: 9, gapStalledTicks: 6 })), '');
    assert.match(problems(made({ gapTicks: 9, gapStalledTicks: 4 })), /missed 9/);
  });

  test('one match of a hundred may be late, two may not', () => {
    const faults = Array.from({ length: 100 }, (_, i) => made({ number: i + 1 }));
    faults[3].backMs = 1500;
    assert.equal(problems(...faults), '');
    faults[4].backMs = 1500;
    assert.match(problems(...faults), /2 matches .* \(allowed: 1\): 4, 5/);
  });

  test('a planted memory leak of 100 KiB a fault is found', () => {
    const leaky = (/** @type {number} */ from) =>
      Array.from({ length: 100 }, (_, i) => {
        const leakKib = 100 * Math.max(0, i - from);
        return made({ number: i + 1, memoryKib: 50_000 + leakKib + (i % 3) * 500 });
      });
    assert.match(problems(...leaky(0)), /main process grows by (9|10)\d/);
    const warmingUp = leaky(0).map((fault, i) => ({
      ...fault,
      memoryKib: leaky(0)[Math.min(i, 50)].memoryKib,
    }));
    assert.equal(problems(...warmingUp), '');
  });

  test('overlapping stalls are counted once', () => {
    assert.equal(percentile([4, 1, 3, 2], 0.5), 2);
    assert.equal(percentile([4, 1, 3, 2], 0.99), 4);
    assert.equal(
      covered(
        [
          [0, 5],
          [3, 8],
          [20, 30],
        ],
        [2, 25],
      ),
      6 + 5,
    );
  });
});
