/** Ticks leave no garbage, so that V8 interrupts no match to collect it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeapMeter } from '../../app/engine/worker/ticker.js';
import { SHAPE, World } from '../../app/game/world.js';
import collide from '../../app/games/collide.js';

const MAX_BYTES = 1024;
const MAX_RUNS = 20_000;
/** Each of the things that a step does now and then is done in so many, such as adjusting the cell size. */
const STEPS = 32;

/**
 * Runs a function until it leaves no garbage. Before V8 has compiled its code, in another thread, it leaves some.
 * @param {() => void} run
 */
function assertNoGarbage(run) {
  const meter = new HeapMeter();
  let least = Infinity;
  for (let runs = 0; least > MAX_BYTES && runs < MAX_RUNS; runs++) {
    meter.begin();
    run();
    const bytes = meter.end();
    if (bytes >= 0) least = Math.min(least, bytes);
  }
  assert.ok(least <= MAX_BYTES, `${least} bytes`);
}

test('steps and checkpoints of a busy world leave no garbage', () => {
  const world = new World({ capacity: 600, width: 800, height: 450, border: 'bounce' });
  world.add({ shape: SHAPE.segment, kind: 0, x: 50, y: 50, x2: 450, y2: 400 });
  for (let i = 0; i < 375; i++) {
    const [x, y] = [world.random() * 800, world.random() * 450];
    const body = { kind: 0, x, y, vx: world.random() * 99 };
    if (i % 4) world.add({ ...body, shape: SHAPE.circle, radius: 5 });
    else world.add({ ...body, shape: SHAPE.box, halfWidth: 5, halfHeight: 9 });
  }
  const target = new Uint8Array(world.checkpointBytes);
  let contacts = 0;
  assertNoGarbage(() => {
    for (let i = 0; i < STEPS; i++) {
      world.step();
      contacts += world.contactCount;
      world.checkpoint(target);
    }
  });
  assert.ok(contacts > 3 * world.tick, `${contacts} contacts in ${world.tick} steps`);
});

test('a frame of many bodies leaves no garbage', () => {
  const job = collide.start({ bodies: 500, seed: 1 });
  const none = () => 0;
  job.step(none, none);
  const target = new Uint8Array(collide.sizes({ bodies: 500 }).frameBytes);
  assertNoGarbage(() => job.writeFrame(target));
});
