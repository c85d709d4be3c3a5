import assert from 'node:assert/strict';
import test from 'node:test';
import { runSample } from '../../../bench/harness/run-sample.js';
import { loadScenario } from '../../../bench/harness/scenarios.js';
import { temporaryFolder } from '../../support/tv.js';

const KIB = 1024;

test('dispatch: mailboxes and tinypool carry the same bytes in both directions', async (t) => {
  const scenario = await loadScenario('dispatch');
  const context = { round: 0, quick: true, workDir: await temporaryFolder(t) };
  for (const variant of ['pitv mailbox, thread', 'tinypool process']) {
    const { metrics } = await runSample(scenario, { variant, n: KIB }, context);
    for (const { name } of scenario.metrics) assert.ok(metrics[name] > 0, `${variant}: ${name}`);
    assert.ok(metrics.cold > metrics.latency, `${variant}: cold includes the start of the workers`);
  }
  const large = scenario.configurations({ quick: true }).filter(({ n }) => n === KIB * KIB);
  assert.ok(large.some(({ variant }) => variant === 'tinypool process'));
  assert.ok(!large.some(({ variant }) => variant.startsWith('pitv mailbox')));
});
