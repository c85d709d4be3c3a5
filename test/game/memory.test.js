import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

/**
 * Steps a busy world in its own process and counts the collections of young garbage. One happens after
 * 1 MB at most, so 200 bytes of garbage per step are detected in 10,000 steps. The steps before are for
 * the compiler, because code that is not optimised yet creates garbage.
 */
const script = `
  import { PerformanceObserver, constants } from 'node:perf_hooks';
  import { setImmediate } from 'node:timers/promises';
  import { SHAPE, World } from ${JSON.stringify(new URL('../../app/game/world.js', import.meta.url).href)};
  const world = new World({ capacity: 600, width: 800, height: 450, border: 'bounce', kernel: process.argv[1] });
  world.add({ shape: SHAPE.segment, kind: 0, x: 50, y: 50, x2: 450, y2: 400 });
  for (let i = 0; i < 375; i++) {
    const place = { kind: 0, x: world.random() * 800, y: world.random() * 450, vx: world.random() * 99 };
    if (i % 4) world.add({ ...place, shape: SHAPE.circle, radius: 5 });
    else world.add({ ...place, shape: SHAPE.box, halfWidth: 5, halfHeight: 9 });
  }
  let contacts = 0;
  const target = new Uint8Array(world.checkpointBytes);
  const run = (steps) => { for (let i = 0; i < steps; i++) { world.step(); contacts += world.contactCount; world.checkpoint(target); } };
  run(12000);
  gc();
  gc();
  await setImmediate();
  let scavenges = 0;
  const count = (list) => {
    for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MINOR) scavenges++;
  };
  const observer = new PerformanceObserver(count);
  observer.observe({ entryTypes: ['gc'] });
  const before = process.memoryUsage();
  contacts = 0;
  run(10000);
  const after = process.memoryUsage();
  await setImmediate();
  count({ getEntries: () => observer.takeRecords() });
  console.log(JSON.stringify({ contacts, scavenges, grown: after.heapUsed - before.heapUsed,
    outside: after.external + after.arrayBuffers - before.external - before.arrayBuffers }));
`;

/** Compiles on the main thread: on a busy machine the compiler's threads may be too late. */
const NO_CONCURRENT_COMPILER = '--no-concurrent-recompilation';

for (const kernel of ['wasm', 'js']) {
  test(`a step allocates nothing (kernel ${kernel})`, () => {
    const heap = ['--expose-gc', '--max-semi-space-size=1'];
    const program = ['--input-type=module', '-e', script, kernel];
    const result = spawnSync(process.execPath, [...heap, NO_CONCURRENT_COMPILER, ...program], {
      encoding: 'utf8',
    });
    assert.equal(result.status, 0, result.stderr);
    const { contacts, scavenges, grown, outside } = JSON.parse(result.stdout);
    assert.ok(contacts > 30_000, `${contacts} contacts`);
    assert.ok(scavenges <= 1, `${scavenges} collections`);
    assert.ok(grown < 2_000_000, `the heap grew by ${grown} bytes in 10,000 steps`);
    assert.ok(outside < 1000, `${outside} bytes outside the heap`);
  });
}
