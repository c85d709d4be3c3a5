import assert from 'node:assert/strict';
import { pbkdf2Sync } from 'node:crypto';
import test from 'node:test';
import { loadScenario } from '../../../bench/harness/scenarios.js';
import { runSample } from '../../../bench/harness/run-sample.js';
import { temporaryFolder } from '../../support/tv.js';

test('threadpool: measures six hashes, and hashes with reads and a game at the same time', async (t) => {
  const scenario = await loadScenario('threadpool');
  const context = { round: 0, quick: true, workDir: await temporaryFolder(t) };
  const six = { variant: 'pool of 1', level: '6 hashes', workers: 0 };
  const { metrics } = await runSample(scenario, six, context);
  // There are five hashes between the first and the last one. With two threads there would be half of their time.
  const between = metrics.hash_last - metrics.hash_first;
  assert.ok(between > 3.5 * cpuMsOfHash(), 'one thread computes one hash at a time');
  const mixed = { variant: 'pool of 4', level: '2 hashes, 8 reads', workers: 1 };
  const beside = await runSample(scenario, mixed, context);
  for (const name of ['hashes', 'reads', 'read_p50', 'read_p99']) {
    assert.ok(beside.metrics[name] > 0, name);
  }
  assert.ok(beside.metrics.late_ticks >= 0 && beside.metrics.late_ticks <= 100);
});

/** Returns the CPU time of a hash of the scenario, ms, the least of several. */
function cpuMsOfHash() {
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    pbkdf2Sync('my_password', 'salt', 10_000, 64, 'sha512');
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}
