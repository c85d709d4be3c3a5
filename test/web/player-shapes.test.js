import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Effects } from '../../app/web/lib/effects.js';
import { PLAYER_COLORS } from '../../app/match/player-colors.js';
import { SHAPES, shapeOf } from '../../app/web/lib/player-shapes.js';

test('each colour of a player has a shape of its own', () => {
  assert.equal(new Set(PLAYER_COLORS.map((color) => shapeOf(color).name)).size, SHAPES.length);
  assert.equal(new Set(SHAPES.map(({ path }) => path)).size, SHAPES.length);
});

test('a shape stays within its radius, and a colour of nobody has a shape', () => {
  for (const { name, path } of SHAPES) {
    for (const number of path.match(/-?\d*\.?\d+/g) ?? [])
      assert.ok(Math.abs(Number(number)) <= 1.1, name);
  }
  assert.equal(shapeOf('#123456'), SHAPES[0]);
});

test('with reduced motion the picture does not shake', () => {
  const shakes = [false, true].map((calm) => {
    const effects = new Effects({ calm });
    effects.start('burst', 0, 0, '#ffffff');
    effects.step(1);
    const place = { x: 0, y: 0, scale: 1 };
    return effects.shaken(place) !== place;
  });
  assert.deepEqual(shakes, [true, false]);
});
