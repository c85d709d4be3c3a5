import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Effects } from '../../app/web/lib/effects.js';
import { PLAYER_COLORS } from '../../app/web/lib/player-colors.js';
import { SHAPES, fillShape, shapeOf } from '../../app/web/lib/player-shapes.js';

const CELLS = 12;

/** Returns which cells of a grid a shape covers. @param {string} color @returns {boolean[]} */
function cellsOf(color) {
  const { points } = shapeOf(color);
  /** @param {number} x @param {number} y */
  const covers = (x, y) =>
    points.filter(([ax, ay], i) => {
      const [bx, by] = points[(i + 1) % points.length];
      return ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax);
    }).length %
      2 ===
    1;
  const at = (/** @type {number} */ i) => ((i + 0.5) / CELLS) * 2 - 1;
  return Array.from({ length: CELLS ** 2 }, (_none, i) =>
    covers(at(i % CELLS), at(Math.floor(i / CELLS))),
  );
}

test('each colour of a player has a shape of its own', () => {
  assert.equal(new Set(PLAYER_COLORS.map((color) => shapeOf(color).name)).size, SHAPES.length);
  for (const [i, color] of PLAYER_COLORS.entries()) {
    const own = cellsOf(color);
    assert.ok(own.filter(Boolean).length > CELLS, `${shapeOf(color).name} has an area`);
    for (const other of PLAYER_COLORS.slice(i + 1)) {
      const cells = cellsOf(other);
      const differing = own.filter((covered, k) => covered !== cells[k]).length;
      const names = `${shapeOf(color).name} and ${shapeOf(other).name}`;
      assert.ok(differing > 0.08 * CELLS ** 2, `${names}: ${differing} cells differ`);
    }
  }
});

test('a shape stays within its radius, and a colour of nobody has a shape', () => {
  for (const { name, points } of SHAPES) {
    for (const [x, y] of points) assert.ok(Math.abs(x) <= 1.1 && Math.abs(y) <= 1.1, name);
  }
  /** @type {string[]} */
  const calls = [];
  const note = (/** @type {string} */ call) => () => void calls.push(call);
  const context = {
    beginPath: note('begin'),
    moveTo: note('move'),
    lineTo: note('line'),
    closePath: note('close'),
    fill: /** @type {any} */ (note('fill')),
  };
  fillShape(context, '#123456', 5, 5, 10);
  assert.deepEqual([calls[0], calls[1], calls.at(-1)], ['begin', 'move', 'fill']);
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
