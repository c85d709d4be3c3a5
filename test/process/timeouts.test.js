import assert from 'node:assert/strict';
import { test } from 'node:test';
import { performance } from 'node:perf_hooks';
import { hangMs, readyTimeoutMs, stopMs } from '../../app/process/timeouts.js';

test('a fast machine gets the minimum, a slow one a multiple of its start time, up to a maximum', () => {
  const times = (/** @type {(startMs: number) => number} */ timeout) =>
    [25, 150, 200, 1500, 4000, 1e9].map(timeout);
  assert.deepEqual(times(hangMs), [600, 600, 600, 4500, 12_000, 60_000]);
  assert.deepEqual(times(stopMs), [1900, 3000, 4000, 12_000, 12_000, 12_000]);
  assert.deepEqual(times(readyTimeoutMs), [30_000, 30_000, 30_000, 45_000, 120_000, 600_000]);
});

test('the start time of this process is the default', () => {
  assert.ok(performance.nodeTiming.bootstrapComplete > 0);
  assert.ok(hangMs() >= 600);
});
