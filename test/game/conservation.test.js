import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SHAPE, World } from '../../app/game/world.js';

/** @param {World} world */
function totals(world) {
  let [energy, px, py] = [0, 0, 0];
  for (let i = 0; i < world.high; i++) {
    if (!(world.invMass[i] > 0)) continue;
    const mass = 1 / world.invMass[i];
    energy += (mass * (world.vx[i] ** 2 + world.vy[i] ** 2)) / 2;
    px += mass * world.vx[i];
    py += mass * world.vy[i];
  }
  return { energy, px, py };
}

/** @param {number} actual @param {number} expected @param {number} scale @param {string} what */
function assertNear(actual, expected, scale, what) {
  assert.ok(Math.abs(actual - expected) <= 1e-9 * scale, `${what}: ${actual}, was ${expected}`);
}

/** @param {Partial<import('../../app/game/world.js').WorldOptions>} options */
function cloud(options) {
  const world = new World({ capacity: 800, width: 1600, height: 900, seed: 4, ...options });
  for (let i = 0; i < 700; i++) {
    const place = { x: world.random() * 1600, y: world.random() * 900 };
    const speed = { vx: world.random() * 400 - 200, vy: world.random() * 400 - 200 };
    const half = 3 + 12 * world.random();
    if (i % 3 === 0) {
      const size = { halfWidth: half, halfHeight: 10 };
      world.add({ shape: SHAPE.box, kind: 0, ...place, ...speed, ...size });
    } else {
      world.add({ shape: SHAPE.circle, kind: 0, ...place, ...speed, radius: half });
    }
  }
  return world;
}

test('elastic collisions keep momentum and energy', () => {
  const world = cloud({});
  const before = totals(world);
  const scale = Math.sqrt(before.energy * 2 * 700 * 300);
  let contacts = 0;
  for (let i = 0; i < 300; i++) {
    world.step();
    contacts += world.contactCount;
  }
  assert.ok(contacts > 3000, `${contacts} contacts`);
  const after = totals(world);
  assertNear(after.energy, before.energy, before.energy, 'energy');
  assertNear(after.px, before.px, scale, 'momentum x');
  assertNear(after.py, before.py, scale, 'momentum y');
});

test('bodies do not bounce at restitution 0', () => {
  const world = new World({ capacity: 2, width: 100, height: 100 });
  const ball = { shape: SHAPE.circle, kind: 0, y: 50, radius: 5 };
  world.add({ ...ball, x: 40, vx: 60 });
  world.add({ ...ball, x: 49, restitution: 0 });
  world.step();
  assertNear(world.vx[0], 30, 30, 'both move on together');
  assertNear(world.vx[1], 30, 30, 'both move on together');
});

test('bodies at the same position are pushed apart, immovable ones stay', () => {
  const world = new World({ capacity: 8, width: 100, height: 100 });
  const box = { shape: SHAPE.box, kind: 0, x: 50, y: 50, halfWidth: 5, halfHeight: 5 };
  const ball = { shape: SHAPE.circle, kind: 0, x: 50, y: 50, radius: 5 };
  for (const body of [box, box, ball, ball, { ...ball, mass: Infinity }]) world.add(body);
  for (let i = 0; i < 200; i++) world.step();
  const depths = world.contactDepth.subarray(0, world.contactCount);
  assert.ok(depths.every((depth) => depth < 0.1));
  assert.deepEqual([world.x[4], world.y[4]], [50, 50]);
});
