import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { takeSample } from './sample.js';

const hasCompiler = !spawnSync(process.env.CC ?? 'cc', ['--version']).error;
const level = '64 flows';

test('udp: the addon receives a datagram with less CPU time than a dgram socket', async (t) => {
  if (!hasCompiler) return t.skip('no C compiler here');
  const { metrics: dgram } = await takeSample(t, 'udp', { variant: 'dgram-1', level });
  const { metrics: addon } = await takeSample(t, 'udp', { variant: 'addon-2', level });
  for (const { kpps, dropped, balance } of [dgram, addon]) {
    assert.ok(kpps > 0 && dropped >= 0 && dropped <= 100);
    assert.ok(balance > 0 && balance <= 1);
  }
  assert.ok(addon.cpu < dgram.cpu, `${addon.cpu} ns, ${dgram.cpu} ns`);
});
