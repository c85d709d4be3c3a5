import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soak } from './driver.js';

test('a short soak: visitors come, workers are killed; at rest no shared memory is left', async () => {
  const { samples, counts, errors, survived } = await soak({
    minutes: 0.3,
    seed: 4,
    cycleMs: 10_000,
    restMs: 4000,
    sampleMs: 2000,
  });
  assert.ok(survived);
  assert.deepEqual(errors, []);
  const resting = samples.filter(({ rest }) => rest);
  assert.ok(resting.length > 0);
  for (const { memoryKib, descriptors, memfds } of resting) {
    assert.ok(memoryKib > 10_000, `${memoryKib} KiB`);
    assert.ok(descriptors > 10, `${descriptors} descriptors`);
    assert.equal(memfds, 0);
  }
  assert.ok(Math.max(...samples.map(({ memfds }) => memfds)) > 0, 'there were matches');
  assert.ok(counts['phones came'] > 0 && counts['screens came'] > 0, JSON.stringify(counts));
  assert.ok(counts.frames > 100 && counts['workers killed'] > 0, JSON.stringify(counts));
});
