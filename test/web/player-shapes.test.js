import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Effects } from '../../app/web/lib/effects.js';
import { PLAYER_COLORS } from '../../app/match/player-colors.js';
import { SHAPES, fillShape, shapeOf } from '../../app/web/lib/player-shapes.js';

test('each colour of a player has a shape of its own', () => {
  assert.equal(new Set(PLAYER_COLORS.map((color) => shapeOf(color).name)).size, SHAPES.length);
  assert.equal(new Set(SHAPES.map(({ points }) => JSON.stringify(points))).size, SHAPES.length);
});

test('a shape stays within its radius, and a colour of nobody has a shape', () => {
  for (const { name, points } of SHAPES) {
    for (const [x, y] of points) assert.ok(Math.abs(x) <= 1.1 && Math.abs(y) <= 1.1, name);
  }
  assert.equal(shapeOf('#123456'), SHAPES[0]);
});

test('with reduced motion the picture does not shake', () => {
  const shakes = [false, true].map((calm) => {
    const effects = new Effects({ calm });
    effects.start('burst', 0, 0, '#ffffff');
    effects.step(1);
    return effects.shakeX !== 0 || effects.shakeY !== 0;
  });
  assert.deepEqual(shakes, [true, false]);
});

test('shapes have an area, look different, and are filled', () => {
  const at = (/** @type {number} */ n) => n / 6 - 11 / 12;
  const grid = Array.from({ length: 144 }, (_, i) => [at(i % 12), at(Math.floor(i / 12))]);
  const cells = SHAPES.map(({ points }) =>
    grid.map(([x, y]) => {
      const crossed = points.filter(([ax, ay], i) => {
        const [bx, by] = points[(i + 1) % points.length];
        return ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax);
      });
      return crossed.length % 2 === 1;
    }),
  );
  for (const [i, own] of cells.entries()) {
    assert.ok(own.filter(Boolean).length > 12, SHAPES[i].name);
    for (const other of cells.slice(i + 1)) {
      assert.ok(own.filter((is, k) => is !== other[k]).length > 11, SHAPES[i].name);
    }
  }
  /** @type {string[]} */
  const calls = [];
  const context = new Proxy(
    {},
    { get: (_, name) => () => calls.push(String(name)), set: () => true },
  );
  fillShape(/** @type {any} */ (context), '#123456', 5, 5, 10);
  assert.deepEqual([calls[0], calls[1], calls.at(-1)], ['beginPath', 'moveTo', 'fill']);
});
