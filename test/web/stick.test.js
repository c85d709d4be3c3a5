import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DEAD_ZONE, dragCentre, keyAxes, stickAxes } from '../../app/web/lib/stick.js';

const px = fc.double({ min: -2000, max: 2000, noNaN: true });

test('a resting thumb gives 0, the rim full deflection in each direction', () => {
  assert.deepEqual(stickAxes(0, 0, 60), { x: 0, y: 0 });
  assert.deepEqual(stickAxes(60 * DEAD_ZONE * 0.9, 0, 60), { x: 0, y: 0 });
  assert.deepEqual(stickAxes(60, 0, 60), { x: 127, y: 0 });
  assert.deepEqual(stickAxes(0, -60, 60), { x: 0, y: -127 });
  assert.deepEqual(stickAxes(-500, 0, 60), { x: -127, y: 0 });
});

test('a diagonal is not longer, and the direction is kept', () => {
  fc.assert(
    fc.property(px, px, (dx, dy) => {
      const { x, y } = stickAxes(dx, dy, 60);
      assert.ok(Math.hypot(x, y) <= 128);
      assert.ok(Number.isInteger(x) && Number.isInteger(y));
      if (Math.hypot(x, y) > 20) {
        const off = Math.atan2(y, x) - Math.atan2(dy, dx);
        assert.ok(Math.abs(Math.atan2(Math.sin(off), Math.cos(off))) < 0.06);
      }
    }),
  );
});

test('a thumb beyond the rim moves the centre, so that moving back has an effect at once', () => {
  const moved = { x: 0, y: 0 };
  dragCentre(moved, 80, 0, 50);
  assert.deepEqual(moved, { x: 30, y: 0 });
  fc.assert(
    fc.property(px, px, (x, y) => {
      const centre = { x: 100, y: 100 };
      dragCentre(centre, x, y, 50);
      const inside = Math.hypot(x - 100, y - 100) <= 50;
      if (inside) assert.deepEqual(centre, { x: 100, y: 100 });
      else assert.ok(Math.abs(Math.hypot(x - centre.x, y - centre.y) - 50) < 1e-6);
    }),
  );
});

test('keys give full deflection, opposite keys cancel each other', () => {
  assert.deepEqual(keyAxes(true, false, false, false), { x: -127, y: 0 });
  assert.deepEqual(keyAxes(true, true, false, false), { x: 0, y: 0 });
  const { x, y } = keyAxes(false, true, false, true);
  assert.ok(x === y && Math.hypot(x, y) <= 128);
});
