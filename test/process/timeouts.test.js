import assert from 'node:assert/strict';
import { test } from 'node:test';
import { performance } from 'node:perf_hooks';
import { hangMs, readyTimeoutMs, stopMs } from '../../app/process/timeouts.js';

test('a fast machine gets the minimum, a slow one a multiple of its start time', () => {
  assert.equal(hangMs(25), 600);
  assert.equal(hangMs(150), 600);
  assert.equal(hangMs(1500), 4500);
  assert.equal(stopMs(25), 1900);
  assert.equal(stopMs(200), 4000);
  assert.equal(readyTimeoutMs(25), 30_000);
  assert.equal(readyTimeoutMs(4000), 120_000);
});

test('every timeout has a maximum, so that a hang is always found', () => {
  assert.equal(hangMs(1e9), 60_000);
  assert.equal(readyTimeoutMs(1e9), 600_000);
  assert.equal(stopMs(1e9), 12_000);
});

test('the start time of this process is the default', () => {
  assert.ok(performance.nodeTiming.bootstrapComplete > 0);
  assert.ok(hangMs() >= 600);
});
