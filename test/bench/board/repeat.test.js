/** Tests of the comparison of two runs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareRuns, formatRepeat } from '../../../bench/board/repeat.js';

/** @param {Record<string, number[]>} samples by engine */
const runOf = (samples) =>
  /** @type {any} */ ({
    rows: Object.entries(samples).map(([engine, numbers]) => ({
      scenario: 'startup',
      metric: 'ready',
      variant: engine,
      engine,
      level: null,
      workers: null,
      n: null,
      samples: numbers,
      rounds: numbers.map((_, i) => i),
    })),
  });

test('identical figures are counted, different ones are listed with their difference', () => {
  const one = runOf({ process: [1444, 1445], thread: [700.25] });
  assert.deepEqual(compareRuns(one, structuredClone(one)), {
    numbers: 3,
    same: 3,
    missing: [],
    different: [],
  });
  const other = runOf({ process: [1444, 1445.000001], thread: [707.2525] });
  const repeat = compareRuns(one, other);
  assert.equal(repeat.same, 1);
  assert.match(repeat.different[0].what, /startup, ready, thread/);
  assert.match(formatRepeat(repeat), /^1 of 3 figures .*\n.*700\.25 and 707\.2525 \(1\.000 %\)\n/);
});

test('a figure of only one run is reported', () => {
  const repeat = compareRuns(runOf({ process: [1, 2] }), runOf({ process: [1], thread: [3] }));
  assert.equal(repeat.numbers, 1);
  assert.deepEqual(
    repeat.missing.map((what) => /round 1|thread/.test(what)),
    [true, true],
  );
});
