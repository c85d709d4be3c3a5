import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SHAPE, World } from '../../app/game/world.js';

const GOOD = {
  circle: { shape: SHAPE.circle, kind: 0, x: 1, y: 2, radius: 3 },
  box: { shape: SHAPE.box, kind: 0, x: 1, y: 2, halfWidth: 3, halfHeight: 4 },
  segment: { shape: SHAPE.segment, kind: 0, x: 1, y: 2, x2: 3, y2: 4 },
};
const FIELDS = {
  circle: ['x', 'y', 'vx', 'vy', 'radius', 'mass', 'restitution'],
  box: ['x', 'y', 'vx', 'vy', 'halfWidth', 'halfHeight', 'mass', 'restitution'],
  segment: ['x', 'y', 'vx', 'vy', 'x2', 'y2', 'mass', 'restitution'],
};

test('an invalid field is rejected by name, and the world is unchanged', () => {
  const world = new World({ capacity: 4, width: 100, height: 100 });
  world.add(GOOD.circle);
  const before = world.bytes.slice();
  for (const shape of /** @type {const} */ (['circle', 'box', 'segment'])) {
    for (const field of FIELDS[shape]) {
      for (const value of [NaN, -Infinity, '7', {}, 1e300, Infinity]) {
        if (field === 'mass' && (value === Infinity || value === 1e300)) continue;
        const body = /** @type {any} */ ({ ...GOOD[shape], [field]: value });
        assert.throws(
          () => world.add(body),
          { code: 'PITV_BODY_INVALID', message: new RegExp(`\\b${field}\\b`) },
          `${shape} ${field} ${value}`,
        );
      }
    }
    for (const field of ['kind', 'owner', 'angle', 'state']) {
      for (const value of [-1, 256, 1.5, NaN]) {
        const body = { ...GOOD[shape], [field]: value };
        assert.throws(() => world.add(body), { code: 'PITV_BODY_INVALID' });
      }
    }
  }
  for (const shape of [SHAPE.none, 4, NaN, undefined]) {
    const body = /** @type {any} */ ({ ...GOOD.circle, shape });
    assert.throws(() => world.add(body), { code: 'PITV_BODY_INVALID', message: /shape/ });
  }
  for (const missing of ['radius', 'x']) {
    const body = /** @type {any} */ ({ ...GOOD.circle, [missing]: undefined });
    assert.throws(() => world.add(body), { code: 'PITV_BODY_INVALID' });
  }
  assert.deepEqual(world.bytes, before);
});

test('the default mass is the area; walls are immovable', () => {
  const world = new World({ capacity: 8, width: 100, height: 100 });
  assert.equal(world.invMass[world.add(GOOD.circle)], 1 / (Math.PI * 9));
  assert.equal(world.invMass[world.add(GOOD.box)], 1 / 48);
  assert.equal(world.invMass[world.add(GOOD.segment)], 0);
  assert.equal(world.invMass[world.add({ ...GOOD.box, mass: Infinity })], 0);
  assert.equal(world.invMass[world.add({ ...GOOD.circle, mass: 4 })], 0.25);
  assert.equal(world.invMass[world.add({ ...GOOD.circle, radius: 0 })], 1);
});

test('add() uses the lowest free slot, `high` follows, and removed bodies are cleared', () => {
  const world = new World({ capacity: 30, width: 100, height: 100 });
  const numbers = fc.array(fc.integer({ min: -1, max: 31 }), { maxLength: 120, size: 'max' });
  fc.assert(
    fc.property(numbers, (commands) => {
      world.clear();
      /** @type {Set<number>} */
      const used = new Set();
      for (const command of commands) {
        if (command % 2 === 0) {
          world.remove(command);
          used.delete(command);
        } else if (used.size < 30) {
          let lowest = 0;
          while (used.has(lowest)) lowest++;
          assert.equal(world.add({ ...GOOD.circle, kind: 9, owner: 1 }), lowest);
          used.add(lowest);
        } else {
          assert.throws(() => world.add(GOOD.circle), { code: 'PITV_WORLD_FULL' });
        }
        assert.equal(world.count, used.size);
        assert.equal(world.high, used.size === 0 ? 0 : Math.max(...used) + 1);
        for (let id = 0; id < 30; id++) assert.equal(world.shape[id] !== SHAPE.none, used.has(id));
      }
      for (const id of used) world.remove(id);
      assert.ok([world.x, world.a, world.invMass].every((field) => field.every((n) => n === 0)));
      assert.ok([world.kind, world.owner].every((field) => field.every((n) => n === 0)));
    }),
    { numRuns: 300 },
  );
  world.remove(NaN);
  world.remove(-1);
  world.remove(1e9);
  world.add(GOOD.circle);
  world.remove(0.5);
  assert.equal(world.count, 1);
});
