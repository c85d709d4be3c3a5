import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUTTON_A, BUTTON_B } from '../../app/game/input.js';
import { hasKey, readKeyboard } from '../../app/web/lib/stick.js';
import { KEYBOARDS, readGamepad } from '../../app/web/screen/local-devices.js';

/** @param {number[]} held indexes of the held buttons @param {number[]} [axes] */
const gamepad = (held, axes = [0, 0]) => ({
  axes,
  buttons: Array.from({ length: 17 }, (_none, i) => {
    return { pressed: held.includes(i), touched: false, value: 0 };
  }),
});

test('two keyboards share no key', () => {
  const [first, second] = KEYBOARDS;
  for (const code of Object.values(first).flat()) assert.equal(hasKey(second, code), false, code);
});

test('held keys are stick and buttons', () => {
  const [first, second] = KEYBOARDS;
  const held = new Set(['ArrowUp', 'Enter', 'KeyD', 'KeyF']);
  assert.deepEqual(readKeyboard(first, held), { x: 0, y: -127, buttons: BUTTON_A });
  assert.deepEqual(readKeyboard(second, held), { x: 127, y: 0, buttons: BUTTON_B });
});

test('a gamepad gives its stick, or its arrows', () => {
  const read = (/** @type {number[]} */ held, /** @type {number[]} */ axes) => {
    const { x, y, arrow } = readGamepad(gamepad(held, axes));
    return [x, y, arrow];
  };
  assert.deepEqual(read([], [1, 0]), [127, 0, 'right']);
  assert.deepEqual(read([13], [1, 0]), [0, 127, 'down']);
  assert.deepEqual(read([], [0.05, -0.1]), [0, 0, undefined], 'a resting stick');
  assert.equal(readGamepad({ axes: [], buttons: [] }).x, 0, 'a gamepad without a stick');
});

test('buttons of a gamepad are those of the standard mapping', () => {
  const of = (/** @type {number} */ i) => readGamepad(gamepad([i]));
  assert.equal(of(0).buttons, BUTTON_A);
  assert.equal(of(1).buttons, BUTTON_B);
  assert.equal(of(7).buttons, BUTTON_A);
  assert.deepEqual([of(9).menu, of(8).leave, of(16).buttons], [true, true, 0]);
});
