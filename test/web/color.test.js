import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contrastColor, mix, slotColors, toRgb, withAlpha } from '../../app/web/lib/color.js';
import { PLAYER_COLORS } from '../../app/match/player-colors.js';

test('players keep their colour on any slot, and all slots have different colours', () => {
  assert.deepEqual(slotColors([]), [...PLAYER_COLORS]);
  const player = (/** @type {number} */ id) => ({ id, name: 'x', color: PLAYER_COLORS[id] });
  const colors = slotColors([
    { slot: 0, player: player(5) },
    { slot: 1, player: player(0) },
    { slot: 2, player: player(5) },
    { slot: 3, player: null },
  ]);
  assert.equal(colors[0], PLAYER_COLORS[5]);
  assert.equal(colors[1], PLAYER_COLORS[0]);
  assert.equal(new Set(colors).size, PLAYER_COLORS.length);
});

test('colours are parsed and mixed, and are never NaN', () => {
  assert.deepEqual(toRgb('#ff8000'), [255, 128, 0]);
  assert.deepEqual(toRgb('#f80'), [255, 136, 0]);
  assert.deepEqual(toRgb('owner'), [138, 143, 163]);
  assert.equal(mix('#000000', '#ffffff', 0.5), '#808080');
  assert.equal(withAlpha('#010203', 0.5), 'rgba(1, 2, 3, 0.5)');
});

test('letters have the higher contrast to their background', () => {
  assert.equal(contrastColor('#ffd24d'), '#0b0a1e');
  assert.equal(contrastColor('#1a1155'), '#ffffff');
});
