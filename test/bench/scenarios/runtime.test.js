import assert from 'node:assert/strict';
import { test } from 'node:test';
import collide from '../../../app/games/collide.js';
import runtime from '../../../bench/scenarios/runtime/index.js';

test('the ideal of `runtime` is what plain measurement gives', async () => {
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
  plain(); // both compiled
  const ratios = [];
  for (let i = 0; i < 7; i++) ratios.push((await ideal()) / plain());
  const ratio = ratios.sort((a, b) => a - b)[3];
  assert.ok(ratio > 0.75 && ratio < 1.35, `ratios ${ratios.map((one) => one.toFixed(2))}`);
});
