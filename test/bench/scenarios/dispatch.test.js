import assert from 'node:assert/strict';
import test from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { loadScenario } from '../../../bench/harness/scenarios.js';
import { extent } from '../../support/extent.js';
import { takeSample } from './sample.js';

const KIB = 1024;
const MIB = KIB * KIB;
const TASKS = ['cpu', 'latency', 'latency_p99', 'latency_idle', 'latency_idle_p99', 'rate'];
const scenario = await loadScenario('dispatch');
const configurations = scenario.configurations({ quick: true });

/**
 * Variant, level, workers and bytes of samples, and their metrics.
 * @type {[string, string, number, number, string[]][]}
 */
const SAMPLES = extent(
  [['pitv zygote', 'transferred', 2, MIB, TASKS]],
  [
    ['pitv process', 'copied', 2, 0, [...TASKS, 'cold', 'second_pool']],
    ['pitv process', 'allocated', 2, MIB, TASKS],
    ['pitv mailbox, thread', 'copied', 2, KIB, TASKS],
    ['piscina', 'transferred', 2, MIB, TASKS],
    ['tinypool process', 'copied', 2, MIB, TASKS],
    ['bare IPC advanced', 'copied', 2, KIB, TASKS],
    ['workerpool process', 'killed', 1, 0, ['recovery']],
    ['poolifier thread', 'idle', 8, 0, ['idle_memory', 'idle_cpu']],
  ],
);

for (const [variant, level, workers, n, metrics] of SAMPLES) {
  test(`dispatch: ${variant}, ${level}, ${workers} workers, ${n} bytes`, async (t) => {
    const configuration = { variant, level, workers, n };
    assert.ok(configurations.some((one) => isDeepStrictEqual(one, configuration)));
    const sample = await takeSample(t, 'dispatch', configuration);
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
