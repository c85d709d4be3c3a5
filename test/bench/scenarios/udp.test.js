import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { loadScenario } from '../../../bench/harness/scenarios.js';
import { runSample } from '../../../bench/harness/run-sample.js';
import { temporaryFolder } from '../../support/tv.js';

const compiler = !spawnSync(process.env.CC ?? 'cc', ['--version']).error;

test('udp: the addon receives a datagram with less CPU time than a dgram socket', async (t) => {
  if (!compiler) return t.skip('no C compiler here');
  const scenario = await loadScenario('udp');
  const context = { round: 0, quick: true, workDir: await temporaryFolder(t) };
  const level = '64 flows';
  const dgram = await runSample(scenario, { variant: 'dgram-1', level }, context);
  const addon = await runSample(scenario, { variant: 'addon-2', level }, context);
  for (const { metrics } of [dgram, addon]) {
    for (const { name } of scenario.metrics) assert.ok(metrics[name] >= 0, name);
    assert.ok(metrics.balance > 0 && metrics.balance <= 1);
    assert.ok(metrics.dropped <= 100);
  }
  assert.ok(
    addon.metrics.cpu < dgram.metrics.cpu,
    `${addon.metrics.cpu} ns, ${dgram.metrics.cpu} ns`,
  );
});

test('udp: without reusePort in this Node.js, the variant is an error', async (t) => {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 23 || (major === 22 && minor >= 12) || (major === 23 && minor >= 1) || !compiler) {
    return t.skip('this Node.js has reusePort');
  }
  const scenario = await loadScenario('udp');
  const context = { round: 0, quick: true, workDir: await temporaryFolder(t) };
  const configuration = { variant: 'dgram-reuseport', level: '1 flow' };
  await assert.rejects(runSample(scenario, configuration, context), {
    code: 'PITV_BENCH_UNSUPPORTED',
    message: /Node 22\.12/,
  });
});
