import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { atan256, cos256, sin256 } from '../../app/game/trig.js';

test('sine and cosine are accurate to the last bit or two, and exact on the axes', () => {
  for (let i = -300; i < 600; i++) {
    const angle = (i * Math.PI) / 128;
    assert.ok(Math.abs(sin256(i) - Math.sin(angle)) < 2e-15, `sin ${i}`);
    assert.ok(Math.abs(cos256(i) - Math.cos(angle)) < 2e-15, `cos ${i}`);
  }
  assert.deepEqual([0, 64, 128, 192].map(sin256), [0, 1, 0, -1]);
  assert.deepEqual([0, 64, 128, 192].map(cos256), [1, 0, -1, 0]);
});

test('atan256 rounds to the nearest of the 256 directions', () => {
  const part = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(part, part, (dx, dy) => {
      fc.pre(Math.abs(dx) + Math.abs(dy) > 1e-6);
      const exact = (Math.atan2(dy, dx) * 128) / Math.PI;
      const difference = Math.abs(atan256(dy, dx) - exact) % 256;
      assert.ok(Math.min(difference, 256 - difference) <= 0.5 + 1e-9, `${dy}, ${dx}`);
    }),
    { numRuns: 5000 },
  );
  assert.equal(atan256(0, 0), 0);
  assert.equal(atan256(NaN, 1), 0);
});
