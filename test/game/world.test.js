import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_CAPACITY, SHAPE, World } from '../../app/game/world.js';

/** @param {Partial<import('../../app/game/world.js').WorldOptions>} [options] */
const makeWorld = (options) => new World({ capacity: 64, width: 1600, height: 900, ...options });

/** @param {number} actual @param {number} expected @param {number} [scale] */
const assertNear = (actual, expected, scale = 1) =>
  assert.ok(Math.abs(actual - expected) <= 1e-9 * scale, `${actual} is not ${expected}`);

/** @param {World} world */
function totals(world) {
  let [energy, px, py] = [0, 0, 0];
  for (let i = 0; i < world.high; i++) {
    const mass = 1 / world.invMass[i];
    energy += (mass * (world.vx[i] ** 2 + world.vy[i] ** 2)) / 2;
    px += mass * world.vx[i];
    py += mass * world.vy[i];
  }
  return { energy, px, py };
}

test('elastic collisions keep momentum and energy', () => {
  const world = makeWorld({ capacity: 700, seed: 4 });
  for (let i = 0; i < 700; i++) {
    const place = { kind: 0, x: world.random() * 1600, y: world.random() * 900 };
    const body = { ...place, vx: world.random() * 400 - 200, vy: world.random() * 400 - 200 };
    const half = 3 + 12 * world.random();
    if (i % 3) world.add({ ...body, shape: SHAPE.circle, radius: half });
    else world.add({ ...body, shape: SHAPE.box, halfWidth: half, halfHeight: 10 });
  }
  const before = totals(world);
  const scale = Math.sqrt(before.energy * 2 * 700 * 300);
  let contacts = 0;
  for (let i = 0; i < 300; i++) {
    world.step();
    contacts += world.contactCount;
  }
  assert.ok(contacts > 3000, `${contacts} contacts`);
  const after = totals(world);
  assertNear(after.energy, before.energy, before.energy);
  assertNear(after.px, before.px, scale);
  assertNear(after.py, before.py, scale);
});

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
  assertNear(world.vx[left], -60);
  assertNear(world.vx[right], 60);
});

test('a ball bounces off an immovable box, a segment and the border', () => {
  const world = makeWorld({ border: 'bounce' });
  const size = { halfWidth: 10, halfHeight: 50 };
  world.add({ shape: SHAPE.box, kind: 1, x: 300, y: 100, ...size, mass: Infinity });
  world.add({ shape: SHAPE.segment, kind: 1, x: 0, y: 500, x2: 1600, y2: 500 });
  const ball = world.add({ shape: SHAPE.circle, kind: 0, x: 279, y: 100, vx: 120, radius: 10 });
  const other = world.add({ shape: SHAPE.circle, kind: 0, x: 800, y: 489, vy: 120, radius: 10 });
  const third = world.add({ shape: SHAPE.circle, kind: 0, x: 1589, y: 700, vx: 120, radius: 10 });
  world.step();
  world.step();
  assertNear(world.vx[ball], -120);
  assertNear(world.vy[other], -120);
  assertNear(world.vx[third], -120);
  assert.ok(world.x[third] <= 1590);
});

test('bodies do not bounce at restitution 0', () => {
  const world = makeWorld();
  const ball = { shape: SHAPE.circle, kind: 0, y: 50, radius: 5 };
  world.add({ ...ball, x: 40, vx: 60 });
  world.add({ ...ball, x: 49, restitution: 0 });
  world.step();
  assertNear(world.vx[0], 30); // both move on together
  assertNear(world.vx[1], 30);
});

test('bodies at the same position are pushed apart, immovable ones stay', () => {
  const world = makeWorld();
  const box = { shape: SHAPE.box, kind: 0, x: 50, y: 50, halfWidth: 5, halfHeight: 5 };
  const ball = { shape: SHAPE.circle, kind: 0, x: 50, y: 50, radius: 5 };
  for (const body of [box, box, ball, ball, { ...ball, mass: Infinity }]) world.add(body);
  for (let i = 0; i < 200; i++) world.step();
  const depths = world.contactDepth.subarray(0, world.contactCount);
  assert.ok(depths.every((depth) => depth < 0.1));
  assert.deepEqual([world.x[4], world.y[4]], [50, 50]);
});

test('options out of range are rejected by name', () => {
  for (const [name, values] of Object.entries({
    capacity: [0, 65535, 1.5, NaN, undefined],
    width: [0, NaN, -1, Infinity],
    height: [0, NaN, 1e7],
    seed: [-1, 2 ** 32, 0.5],
    stateWords: [-1, NaN],
    maxContacts: [0, 0.5],
    cellSize: [-1, NaN],
    border: ['wall'],
  })) {
    for (const value of values) {
      const options = /** @type {any} */ ({ capacity: 2, width: 9, height: 9, [name]: value });
      const refused = { code: 'PITV_WORLD_OPTIONS', message: new RegExp(`^${name} must`) };
      assert.throws(() => new World(options), refused, `${name} ${value}`);
    }
  }
});

test('a world of maximum capacity finds the pair in its last two slots', () => {
  const world = makeWorld({ capacity: MAX_CAPACITY, width: 70_000, maxContacts: 10 });
  const ball = { shape: SHAPE.circle, kind: 0, y: 5, radius: 0.01 };
  for (let i = 0; i < MAX_CAPACITY; i++) world.add({ ...ball, x: i });
  world.x[MAX_CAPACITY - 2] = world.x[MAX_CAPACITY - 1];
  world.step();
  assert.equal(world.contactCount, 1);
  assert.deepEqual([world.contactA[0], world.contactB[0]], [MAX_CAPACITY - 2, MAX_CAPACITY - 1]);
});

test('clear() removes the bodies and keeps tick, generator and state of the game', () => {
  const world = makeWorld({ stateWords: 1 });
  world.gameState[0] = 42;
  world.add({ shape: SHAPE.circle, kind: 0, x: 1, y: 1, radius: 1 });
  world.add({ shape: SHAPE.circle, kind: 0, x: 1, y: 1, radius: 1 });
  world.step();
  assert.equal(world.contactCount, 1);
  world.clear();
  assert.deepEqual([world.high, world.count, world.contactCount, world.tick], [0, 0, 0, 1]);
  assert.equal(world.gameState[0], 42);
  world.step();
  assert.equal(world.contactCount, 0);
});

test('a damaged checkpoint is rejected and the world is unchanged', () => {
  const world = makeWorld();
  world.add({ shape: SHAPE.circle, kind: 0, x: 1, y: 1, radius: 1 });
  const good = world.bytes.slice();
  const invalid = { code: 'PITV_CHECKPOINT_INVALID' };
  // All words of the header before the tick, of which any is valid, and the signs of three sizes.
  for (const i of [0, 1, 2, 3, 4, 5, 6, 17, 19, 21]) {
    const bad = good.slice();
    new Uint32Array(bad.buffer)[i] ^= 0xdeadbeef;
    assert.throws(() => world.restore(bad), invalid, `word ${i}`);
  }
  assert.throws(() => world.restore(good.subarray(1)), invalid);
  assert.throws(() => world.restore(makeWorld({ capacity: 1 }).bytes), invalid);
  assert.throws(() => world.checkpoint(new Uint8Array(9)), invalid);
  assert.deepEqual(world.bytes, good);
  const unaligned = new Uint8Array(good.length + 1).subarray(1);
  unaligned.set(good);
  world.step();
  world.restore(unaligned);
  assert.deepEqual(world.bytes, good);
});
