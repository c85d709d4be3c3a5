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
      engine,
      level: null,
      samples: numbers,
      rounds: numbers.map((_, i) => i),
    })),
  });

test('identical figures are counted, and others are listed with both numbers', () => {
  const one = runOf({ process: [1444, 1445], thread: [700.25] });
  const same = compareRuns(one, structuredClone(one));
  assert.deepEqual(same, { numbers: 3, missing: [], different: [] });
  const repeat = compareRuns(one, runOf({ process: [1444, 1445.000001], thread: [707] }));
  const text = formatRepeat(repeat);
  assert.match(
    text,
    /^1 of 3 figures .*\n.* 1445 and 1445\.000001\n.*thread, round 0: 700\.25 and 707$/,
  );
});

test('a figure of only one run is reported', () => {
  const repeat = compareRuns(runOf({ process: [1, 2] }), runOf({ process: [1], thread: [3] }));
  assert.equal(repeat.numbers, 1);
  const missing = repeat.missing.map((what) => /process, round 1$|thread/.test(what));
  assert.deepEqual(missing, [true, true]);
});
