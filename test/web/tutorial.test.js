import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUTTON_A, BUTTON_B } from '../../app/game/input.js';
import { isDone, listSteps } from '../../app/web/pad/tutorial.js';

const STILL = Object.freeze({ x: 0, y: 0, held: 0 });
const names = (/** @type {object} */ labels, knowsStick = false) =>
  listSteps(labels, knowsStick).map(({ name }) => name);

test('the tutorial shows the controls that the game names, and their names', () => {
  const labels = { stick: 'Roll', a: 'Dash', b: 'Brace' };
  assert.deepEqual(names(labels), ['look', 'stick', 'a', 'b', 'done']);
  assert.deepEqual(names({ stick: 'Roll', a: '', b: 'Brace' }), ['look', 'stick', 'b', 'done']);
  assert.deepEqual(names({ stick: '', a: '', b: '' }), [], 'a game to watch');
  assert.deepEqual(names(labels, true), ['a', 'b', 'done']);
  assert.deepEqual(names({ stick: 'Roll' }, true), [], 'the lobby has taught the stick');
  const texts = listSteps(labels).map(({ text }) => text);
  assert.ok(texts[1].includes('Roll') && texts[2].includes('Dash') && texts[3].includes('Brace'));
});

test('a step is done when the player uses its control, and only then', () => {
  const steps = listSteps({ stick: 'Roll', a: 'Dash', b: 'Brace' });
  const uses = {
    stick: { ...STILL, x: -9 },
    a: { ...STILL, held: BUTTON_A },
    b: { ...STILL, held: BUTTON_B },
  };
  for (const step of steps) {
    assert.equal(isDone(step, STILL), false, step.name);
    for (const [control, use] of Object.entries(uses)) {
      assert.equal(isDone(step, use), control === step.name, `${step.name}: ${control}`);
    }
  }
});
