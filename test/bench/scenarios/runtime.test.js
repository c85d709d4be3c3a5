import assert from 'node:assert/strict';
import { test } from 'node:test';
import collide from '../../../app/games/collide.js';
import runtime from '../../../bench/scenarios/runtime/index.js';
import { takeSample } from './sample.js';

test('runtime: ideal equals a plain measurement', async () => {
  const work = { bodies: 2000, ticks: 200 };
  const plain = () => {
    const before = process.cpuUsage();
    const job = collide.start({ ...work, seed: 1, match: 1 });
    const frame = new Uint8Array(collide.sizes(work).frameBytes);
    while (!job.done)
      job.step(
        () => 0,
        () => 0,
      );
    job.writeFrame(frame);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const configuration = { variant: 'ideal', workers: 1 };
  const context = { quick: true, round: 0, workDir: '' };
  const ideal = async () => (await runtime.sample(configuration, context)).metrics.cpu;
  await ideal();
  plain(); // compiles the code of both
  const ratios = [];
  for (let i = 0; i < 7; i++) ratios.push((await ideal()) / plain());
  const ratio = ratios.sort((a, b) => a - b)[3];
  assert.ok(ratio > 0.75 && ratio < 1.35, `ratios ${ratios.map((one) => one.toFixed(2))}`);
});

test('runtime: the total includes the start-up, and passes are also measured without it', async (t) => {
  const configuration = { variant: 'process', engine: 'process', workers: 2 };
  const { metrics, facts } = await takeSample(t, 'runtime', configuration);
  assert.ok(metrics.startup > 0 && metrics.startup <= metrics.total, JSON.stringify(metrics));
  assert.equal(metrics.startup_share, (metrics.startup / metrics.total) * 100);
  assert.ok(metrics.computing > 0 && metrics.computing < metrics.total, JSON.stringify(metrics));
  assert.ok(metrics.throughput > 0);
  assert.deepEqual(facts, { bodies: 2000, steps: 200 });
  const samples = [{ configuration, round: 0, metrics, facts: facts ?? {} }];
  assert.match(runtime.notes?.(samples).join() ?? '', /200 steps of 2,000 bodies/);
});
