import assert from 'node:assert/strict';
import test from 'node:test';
import { loadScenario } from '../../../bench/harness/scenarios.js';
import { runSample } from '../../../bench/harness/run-sample.js';
import { missingForLink } from '../../../bench/network/link.js';
import { temporaryFolder } from '../../support/tv.js';

const missing = missingForLink();

test(
  'network: with loss, the picture is older, and the screen still gets most frames',
  { skip: missing ?? false },
  async (t) => {
    const scenario = await loadScenario('network');
    const context = { round: 0, quick: true, workDir: await temporaryFolder(t) };
    const take = (/** @type {string} */ variant) =>
      runSample(scenario, { variant, level: 'swarm', n: 8 }, context);
    const { metrics: clean } = await take('no loss');
    const { metrics: lossy } = await take('2 % loss, 30 ms jitter');
    for (const metrics of [clean, lossy]) {
      for (const { name } of scenario.metrics) {
        if (name !== 'age_rise') assert.ok(metrics[name] > 0, name);
      }
    }
    assert.ok(lossy.age_p50 > clean.age_p50, `${lossy.age_p50} ms, ${clean.age_p50} ms`);
    assert.ok(lossy.rate > clean.rate / 2, `${lossy.rate} and ${clean.rate} frames/s`);
  },
);

test(
  'network: on a slow network, a screen gets fewer frames, and the age of the newest one does not rise',
  { skip: missing ?? false },
  async (t) => {
    const scenario = await loadScenario('network');
    const context = { round: 0, quick: true, workDir: await temporaryFolder(t) };
    const configuration = { variant: '30 kB/s a client', level: 'swarm', n: 1 };
    const { metrics } = await runSample(scenario, configuration, context);
    assert.ok(metrics.rate < 45, `${metrics.rate} frames/s: the network is not slow`);
    // If all frames were sent, the age would rise by more than half of the time: by 750 ms between the halves of 3 s.
    assert.ok(metrics.age_rise < 400, `it rises by ${metrics.age_rise} ms`);
    // ... and after 6 s, it would be more than 3 s.
    assert.ok(metrics.age_p50 < 1500, `${metrics.age_p50} ms`);
  },
);

test(
  'network: without root or /dev/net/tun, the sample says what is missing',
  { skip: !missing && 'this machine has both' },
  async (t) => {
    const scenario = await loadScenario('network');
    const context = { round: 0, quick: true, workDir: await temporaryFolder(t) };
    const configuration = { variant: 'no loss', level: 'swarm', n: 1 };
    await assert.rejects(runSample(scenario, configuration, context), {
      code: 'PITV_BENCH_UNSUPPORTED',
      message: missing,
    });
  },
);
