/** Real scenarios: the harness finds a planted slowdown, and hardly ever a difference where there is none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareFixture } from './compare-fixture.js';

/** Enough for machines with much other work, which adds 10 % of noise to a short sample. */
const ROUNDS = 45;
const RUNS = 8;
/** Rounds of each of these runs. */
const FEW_ROUNDS = 8;
const MAX_FALSE_ALARMS = 1;
/** Percent. A slowdown of 10 % is found in 999 of 1000 runs if one of 6 % is found in 80 of 100. */
const NEEDED = 6;

test('a slowdown of 10 % of the scenario collision is found, with its size', async (t) => {
  const { comparisons, details } = await compareFixture('slowdown', { runs: ROUNDS });
  const [same, slower] = comparisons;
  const detectable = Number(slower.detectable);
  if (!slower.significant && detectable > NEEDED) {
    return t.skip(`the speed of this machine changes: detectable from ${detectable.toFixed()} %`);
  }
  assert.equal(slower.significant, true, details);
  assert.ok(slower.ratio > 1.04 && slower.ratio < 1.2, details);
  assert.equal(same.significant, false, details);
});

test('7 of 8 runs of the scenario pipe with itself find no difference', async () => {
  const alarms = [];
  for (let seed = 1; seed <= RUNS; seed++) {
    const { comparisons, details } = await compareFixture('twice', { runs: FEW_ROUNDS, seed });
    assert.equal(comparisons.length, 2); // throughput and CPU time
    if (comparisons.some(({ significant }) => significant)) alarms.push(details);
  }
  console.log(`# ${alarms.length} false alarms in ${RUNS} runs`);
  assert.ok(alarms.length <= MAX_FALSE_ALARMS, alarms.join('\n'));
});
