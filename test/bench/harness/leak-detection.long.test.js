/** A known difference between real processes: the harness finds it, and no other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareFixture } from './compare-fixture.js';

test('a leak of 1 MiB per worker is found, with its size', async () => {
  const { comparisons, rows, details } = await compareFixture('leak', { runs: 6 });
  const [same, different] = comparisons;
  assert.equal(different.significant, true, details);
  assert.equal(same.significant, false, details);
  const [tight, , leaky] = rows.map(({ median }) => median);
  assert.ok(Math.abs(leaky - tight - 2048) < 512, details);
});
