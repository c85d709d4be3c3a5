import assert from 'node:assert/strict';
import test from 'node:test';
import { loadScenario } from '../../../bench/harness/scenarios.js';
import { runSample } from '../../../bench/harness/run-sample.js';
import { temporaryFolder } from '../../support/tv.js';

test('input: a screen shows the input that a pad sent in a datagram', async (t) => {
  const scenario = await loadScenario('input');
  const context = { round: 0, quick: true, workDir: await temporaryFolder(t) };
  const configuration = { variant: 'udp-addon', level: 'alone' };
  const { metrics } = await runSample(scenario, configuration, context);
  assert.ok(metrics.p50 > 0 && metrics.p50 <= metrics.p99, `${metrics.p50} ms`);
  assert.ok(metrics.mean <= metrics.p99);
});
