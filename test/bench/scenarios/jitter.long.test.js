import assert from 'node:assert/strict';
import test from 'node:test';
import { runSample } from '../../../bench/harness/run-sample.js';
import { loadScenario } from '../../../bench/harness/scenarios.js';
import { temporaryFolder } from '../../support/tv.js';

test('jitter: collections of a child of the zygote are counted by the clock of its ticks', async (t) => {
  const scenario = await loadScenario('jitter');
  const context = { round: 0, quick: true, workDir: await temporaryFolder(t) };
  const configuration = { variant: 'zygote', engine: 'zygote' };
  const { metrics } = await runSample(scenario, configuration, context);
  assert.ok(metrics.gc > 0, JSON.stringify(metrics));
  assert.ok(metrics.gc_in_ticks <= metrics.gc);
  assert.ok(metrics.tick_p999_no_gc <= metrics.tick_p999);
  assert.ok(metrics.gap_p999 > metrics.tick_p50);
});
