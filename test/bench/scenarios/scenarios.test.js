import assert from 'node:assert/strict';
import test from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { loadScenario } from '../../../bench/harness/scenarios.js';
import { CLOUDS, makeCloud } from '../../../bench/scenarios/collision/cloud.js';
import { VARIANTS } from '../../../bench/scenarios/collision/libraries.js';
import { agesOf } from '../../../bench/scenarios/network/index.js';
import runtime from '../../../bench/scenarios/runtime/index.js';
import { extent } from '../../support/extent.js';
import { takeSample } from './sample.js';

const KIB = 1024;
const MIB = KIB * KIB;
const TASKS = ['cpu', 'latency', 'latency_idle'];
const scenario = await loadScenario('dispatch');
const configurations = scenario.configurations({ quick: true });

/**
 * Variant, level, workers and bytes of samples, and their metrics.
 * @type {[string, string, number, number, string[]][]}
 */
const SAMPLES = extent(
  [['pitv zygote', 'allocated', 2, MIB, TASKS]],
  [
    ['pitv process', 'copied', 2, 0, [...TASKS, 'cold', 'second_pool']],
    ['pitv process', 'allocated', 2, MIB, TASKS],
    ['piscina', 'copied', 2, MIB, TASKS],
    ['tinypool process', 'copied', 2, MIB, TASKS],
    ['bare IPC advanced', 'copied', 2, KIB, TASKS],
    ['workerpool process', 'killed', 1, 0, ['recovery']],
    ['poolifier thread', 'idle', 8, 0, ['idle_memory']],
  ],
);

for (const [variant, level, workers, n, metrics] of SAMPLES) {
  test(`dispatch: ${variant}, ${level}, ${workers} workers, ${n} bytes`, async () => {
    const configuration = { variant, level, workers, n };
    assert.ok(configurations.some((one) => isDeepStrictEqual(one, configuration)));
    const sample = await takeSample('dispatch', configuration);
    assert.deepEqual(Object.keys(sample.metrics).sort(), metrics.toSorted());
    for (const [name, value] of Object.entries(sample.metrics)) assert.ok(value > 0, name);
  });
}

test('dispatch: --engines chooses Bun and Deno by name, and leaves them out otherwise', () => {
  const variantsOf = (/** @type {string[]} */ ...engines) => [
    ...new Set(scenario.configurations({ quick: true, engines }).map(({ variant }) => variant)),
  ];
  assert.deepEqual(variantsOf('bun', 'deno'), ['Bun Worker', 'Bun IPC', 'Deno Worker', 'Deno IPC']);
  assert.deepEqual(
    variantsOf('thread', 'process', 'zygote').filter((name) => /Bun|Deno/.test(name)),
    [],
  );
});

const BODIES = 1000;
/** More than the period after which a clustered cloud is reset. */
const FRAMES = 70;

test('collision: all kinds of clouds have about one pair per body, and every exact variant finds the same pairs', async () => {
  for (const kind of CLOUDS) {
    const counts = await Promise.all(
      ['pitv', 'kdbush', 'flatbush', 'rbush', 'check2d'].map(async (variant) => {
        const frame = await VARIANTS[variant](makeCloud(BODIES, 3, kind));
        return Array.from({ length: FRAMES }, frame);
      }),
    );
    for (const other of counts) assert.deepEqual(other, counts[0], kind);
    const mean = counts[0].reduce((sum, pairs) => sum + pairs, 0) / FRAMES / BODIES;
    assert.ok(mean > 0.5 && mean < 2, `${kind}: ${mean} pairs per body`);
  }
});

test('memory: merging is compared with the same launch without ksmd, within a round and a version of Node.js', async () => {
  const { configurations, derive } = await loadScenario('memory');
  const all = configurations({ quick: true, engines: ['process'], workers: [4] });
  const [off, seeds, control] = ['process', 'process + KSM', 'process as seeds, ksmd off'].map(
    (variant) => {
      const found = all.find(
        (one) => one.variant === variant && (one.level ?? 'seeds') === 'seeds',
      );
      assert.ok(found, variant);
      return found;
    },
  );
  /** @param {typeof off} configuration @param {number} round @param {number} workers */
  const sample = (configuration, round, workers) => ({
    configuration,
    round,
    facts: {},
    metrics: /** @type {Record<string, number>} */ ({ unreclaimable: 20 + workers, workers }),
  });
  const samples = [
    sample(off, 0, 80),
    sample(control, 0, 60),
    sample(seeds, 0, 15),
    sample(seeds, 1, 80), // its round has no control
    sample({ ...seeds, node: '24' }, 0, 15), // nor has its version of Node.js
  ];
  derive?.(samples);
  assert.deepEqual(
    samples.map(({ metrics }) => [metrics.saved_merging, metrics.saved_workers]),
    [
      [NaN, NaN],
      [NaN, NaN],
      [(1 - 35 / 80) * 100, 75],
      [NaN, NaN],
      [NaN, NaN],
    ],
  );
});

const births = new Map([
  [1, 0],
  [2, 5],
  [3, 20],
  [4, 30],
]);

test('network: the age of the picture grows until a newer frame arrives, also late and with others', () => {
  /** @param {number[]} ticks @param {number[]} times of their arrivals @param {number} stepMs */
  const ages = (ticks, times, stepMs) =>
    agesOf(
      ticks.map((tick, i) => [tick, times[i]]),
      births,
      stepMs,
    );
  assert.deepEqual(ages([1, 2, 4], [4, 8, 10], 2), [4, 6, 3]);
  // The witness has not seen tick 5.
  assert.deepEqual(ages([1, 2, 3, 4, 5, 4], [2, 32, 32, 32, 33, 34], 10), [2, 12, 22, 2]);
  assert.deepEqual(ages([1], [4], 1), []);
  assert.deepEqual(ages([], [], 1), []);
});

test('runtime: the total includes the start-up, and passes are also measured without it', async () => {
  const configuration = { variant: 'process', engine: 'process', workers: 2 };
  const { metrics, facts } = await takeSample('runtime', configuration);
  assert.ok(metrics.startup > 0 && metrics.startup <= metrics.total, JSON.stringify(metrics));
  assert.equal(metrics.startup_share, (metrics.startup / metrics.total) * 100);
  assert.ok(metrics.computing > 0 && metrics.computing < metrics.total, JSON.stringify(metrics));
  assert.ok(metrics.throughput > 0);
  assert.deepEqual(facts, { bodies: 2000, steps: 200 });
  const samples = [{ configuration, round: 0, metrics, facts: facts ?? {} }];
  assert.match(runtime.notes?.(samples).join() ?? '', /200 steps of 2,000 bodies/);
});
