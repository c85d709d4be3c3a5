import assert from 'node:assert/strict';
import test from 'node:test';
import { takeSample } from './sample.js';

test('threadpool: measures six hashes, and hashes with reads and a game at the same time', async (t) => {
  const six = { variant: 'pool of 1', level: '6 hashes', workers: 0 };
  const { metrics, facts } = await takeSample(t, 'threadpool', six);
  const cpuMs = Number(facts?.cpuMs);
  assert.ok(cpuMs > 0 && metrics.hash_first > 0);
  // One thread needs at least as long as it computes, on a busy machine longer; two threads need half of it.
  const { hash_last: last } = metrics;
  assert.ok(last > 0.9 * cpuMs, `one thread computes: ${last} of ${cpuMs} ms`);
  const mixed = { variant: 'pool of 4', level: '2 hashes, 8 reads', workers: 1 };
  const beside = await takeSample(t, 'threadpool', mixed);
  for (const name of ['hashes', 'reads', 'read_p50', 'read_p99']) {
    assert.ok(beside.metrics[name] > 0, name);
  }
  assert.ok(beside.metrics.late_ticks >= 0 && beside.metrics.late_ticks <= 100);
});
