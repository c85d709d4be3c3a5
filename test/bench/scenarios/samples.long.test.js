/** Samples of scenarios that take long, and the relations between their metrics. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { ENGINES } from '../../../app/engine/index.js';
import { missingForLock } from '../../../app/engine/lock.js';
import { missingForLink } from '../../../bench/network/link.js';
import { takeSample } from './sample.js';

/**
 * @typedef {Record<string, number>} Metrics
 * @typedef {import('../../../bench/harness/scenarios.js').Configuration} Configuration
 * @typedef {{title: string, name: string, configuration: Configuration, missing?: string,
 *   check: (metrics: Metrics) => void}} Sample
 */

const LOSSY = { variant: '2 % loss, 30 ms jitter', level: 'swarm', n: 8 };
const noLink = missingForLink();
const noLock = missingForLock();
/** Metrics of all starts of workers. */
const STARTS = ['ready', 'call', 'first', 'cpu', 'peak_unreclaimable'];

/** @type {Sample[]} */
const SAMPLES = [
  {
    title: 'a screen shows the input that a pad sent in a datagram',
    name: 'input',
    configuration: { variant: 'udp-addon', level: 'alone' },
    check({ mean, p50, p99 }) {
      assert.ok(p50 > 0 && p50 <= p99 && mean <= p99);
    },
  },
  {
    title: 'on a slow network, a screen gets fewer frames, and the newest one does not get old',
    name: 'network',
    configuration: { variant: '30 kB/s a client', level: 'swarm', n: 1 },
    missing: noLink,
    check({ rate, age_p50: age }) {
      assert.ok(rate < 45, 'the network is not slow');
      // If all frames were sent, the age would rise by more than half of the time: to more than 3 s after 6 s.
      assert.ok(age < 1500);
    },
  },
  ...[
    {
      name: 'startup',
      variant: 'limit',
      engine: 'zygote',
      metrics: ['ready', 'call', 'zygote_anonymous', 'zygote_mappings', 'faults'],
    },
    ...ENGINES.map((engine) => ({ name: 'startup', variant: 'spare', engine, metrics: STARTS })),
    { name: 'startup', variant: '8 at once', engine: 'zygote', metrics: STARTS },
    { name: 'startup', variant: 'locked', metrics: STARTS },
    { name: 'memory', variant: 'locked', workers: 1, metrics: ['unreclaimable', 'pss'] },
  ].map(({ name, metrics: names, ...which }) => ({
    title: `${which.variant}, ${which.engine ?? 'process'}: all is measured`,
    name,
    configuration: { engine: 'process', ...which },
    missing: which.variant === 'locked' ? noLock : undefined,
    check: (/** @type {Metrics} */ metrics) =>
      names.forEach((one) => assert.ok(metrics[one] > 0, one)),
  })),
];

for (const { title, name, configuration, missing, check } of SAMPLES) {
  test(`${name}: ${title}`, { skip: missing ?? false }, async (t) => {
    const { metrics } = await takeSample(name, configuration);
    t.diagnostic(JSON.stringify(metrics));
    check(metrics);
  });
}

const skip = noLink ?? false;
test('network: with loss, the picture is older, and most frames arrive', { skip }, async () => {
  const { metrics: clean } = await takeSample('network', { ...LOSSY, variant: 'no loss' });
  const { metrics: lossy } = await takeSample('network', LOSSY);
  assert.ok(lossy.age_p50 > clean.age_p50, `${lossy.age_p50} ms, ${clean.age_p50} ms`);
  assert.ok(lossy.rate > clean.rate / 2, `${lossy.rate} and ${clean.rate} frames/s`);
  assert.ok(clean.screen_bytes > 0 && clean.pad_bytes > 0);
});

test(
  'network: without root or /dev/net/tun, the sample says what is missing',
  { skip: !noLink && 'this machine has both' },
  async () => {
    const error = { code: 'PITV_BENCH_UNSUPPORTED', message: noLink };
    await assert.rejects(takeSample('network', LOSSY), error);
  },
);
