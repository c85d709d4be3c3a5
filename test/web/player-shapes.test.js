import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Effects } from '../../app/web/lib/effects.js';
import { PLAYER_COLORS } from '../../app/web/lib/player-colors.js';
import { SHAPES, shapeOf } from '../../app/web/lib/player-shapes.js';

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
