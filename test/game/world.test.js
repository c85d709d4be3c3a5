import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SHAPE, World } from '../../app/game/world.js';

/** @param {Partial<import('../../app/game/world.js').WorldOptions>} [options] */
const makeWorld = (options) => new World({ capacity: 64, width: 1600, height: 900, ...options });

/** @param {number} actual @param {number} expected */
const near = (actual, expected) =>
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`);

test('two circles that meet head-on exchange their velocities', () => {
  const world = makeWorld();
  const left = world.add({ shape: SHAPE.circle, kind: 0, x: 100, y: 100, vx: 60, radius: 10 });
  const right = world.add({ shape: SHAPE.circle, kind: 0, x: 119.5, y: 100, vx: -60, radius: 10 });
  world.step();
  assert.equal(world.contactCount, 1);
  assert.deepEqual([world.contactA[0], world.contactB[0]], [left, right]);
  assert.deepEqual([world.contactNx[0], world.contactNy[0]], [1, 0]);
  assert.equal(world.contactDepth[0], 2.5);
  assert.equal(world.contactSpeed[0], 120);
  near(world.vx[left], -60);
  near(world.vx[right], 60);
});

test('a ball bounces off an immovable box, a segment and the border', () => {
  const world = makeWorld({ border: 'bounce' });
  world.add({
    shape: SHAPE.box,
    kind: 1,
    x: 300,
    y: 100,
    halfWidth: 10,
    halfHeight: 50,
    mass: Infinity,
  });
  world.add({ shape: SHAPE.segment, kind: 1, x: 0, y: 500, x2: 1600, y2: 500 });
  const ball = world.add({ shape: SHAPE.circle, kind: 0, x: 279, y: 100, vx: 120, radius: 10 });
  const other = world.add({ shape: SHAPE.circle, kind: 0, x: 800, y: 489, vy: 120, radius: 10 });
  const third = world.add({ shape: SHAPE.circle, kind: 0, x: 1589, y: 700, vx: 120, radius: 10 });
  world.step();
  world.step();
  near(world.vx[ball], -120);
  near(world.vy[other], -120);
  near(world.vx[third], -120);
  assert.ok(world.x[third] <= 1590);
});

test('a sensor is reported and pushes nothing', () => {
  const world = makeWorld();
  const ball = world.add({ shape: SHAPE.circle, kind: 0, x: 100, y: 100, vx: 60, radius: 10 });
  world.add({ shape: SHAPE.circle, kind: 2, x: 105, y: 100, radius: 10, sensor: true });
  world.step();
  assert.equal(world.contactCount, 1);
  assert.equal(world.vx[ball], 60);
  assert.equal(world.x[ball], 101);
});

test('a checkpoint taken mid-run goes on the same way', () => {
  const world = makeWorld({ seed: 7, stateWords: 2, border: 'bounce' });
  for (let i = 0; i < 60; i++) {
    world.add({
      ...{ shape: SHAPE.circle, kind: 0, radius: 5 + world.randomInt(30) },
      ...{ x: world.random() * 1600, y: world.random() * 900 },
      ...{ vx: world.random() * 400 - 200, vy: world.random() * 400 - 200 },
    });
  }
  for (let i = 0; i < 50; i++) world.step();
  const saved = new Uint8Array(world.checkpointBytes);
  assert.equal(world.checkpoint(saved), world.checkpointBytes);
  for (let i = 0; i < 50; i++) world.step();
  const other = makeWorld({ seed: 9, stateWords: 2, border: 'bounce' });
  other.restore(saved);
  for (let i = 0; i < 50; i++) other.step();
  assert.deepEqual(other.bytes, world.bytes);
  assert.equal(other.random(), world.random());
});

test('a full world, a body with NaN and a foreign checkpoint are refused by code', () => {
  const world = makeWorld({ capacity: 1 });
  const ball = { shape: SHAPE.circle, kind: 0, x: 1, y: 1, radius: 1 };
  assert.throws(() => world.add({ ...ball, x: NaN }), {
    code: 'PITV_BODY_INVALID',
    message: /'s x /,
  });
  assert.throws(() => world.add({ ...ball, radius: -1 }), { code: 'PITV_BODY_INVALID' });
  world.add(ball);
  assert.throws(() => world.add(ball), { code: 'PITV_WORLD_FULL' });
  assert.throws(() => world.restore(makeWorld().bytes), { code: 'PITV_CHECKPOINT_INVALID' });
});
