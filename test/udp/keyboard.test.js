import assert from 'node:assert/strict';
import test from 'node:test';
import { Keyboard } from '../../app/udp/keyboard.js';

/** @param {import('node:test').TestContext} t */
function setUp(t) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  /** @type {any[]} */
  const said = [];
  const keyboard = new Keyboard(
    (state) => said.push(state),
    (what) => said.push(what),
  );
  return { keyboard, said, last: () => said.at(-1) };
}

test('a key is held until its repetitions stop', (t) => {
  const { keyboard, last } = setUp(t);
  keyboard.read('\x1b[C');
  assert.deepEqual(last(), { x: 127, y: 0, buttons: 0 });
  t.mock.timers.tick(500); // the delay before a terminal starts to repeat
  assert.equal(last().x, 127);
  for (let i = 0; i < 10; i++) {
    keyboard.read('\x1b[C');
    t.mock.timers.tick(40);
    assert.equal(last().x, 127);
  }
  t.mock.timers.tick(100);
  assert.deepEqual(last(), { x: 0, y: 0, buttons: 0 });
});

test('two directions and a button at once; the newest key of an axis wins', (t) => {
  const { keyboard, last } = setUp(t);
  keyboard.read('wd ');
  assert.deepEqual(last(), { x: 127, y: -127, buttons: 1 });
  keyboard.read('A');
  assert.equal(last().x, -127, 'with Caps Lock too');
  keyboard.read('\r');
  assert.equal(last().buttons, 3);
});

test('unknown keys are ignored, also among others', (t) => {
  const { keyboard, said } = setUp(t);
  keyboard.read('xyz\x1b[Z');
  assert.deepEqual(said, []);
  keyboard.read('gs\x03');
  assert.deepEqual(said, ['again', { x: 0, y: 127, buttons: 0 }, 'quit']);
  keyboard.close();
  t.mock.timers.tick(10_000);
  assert.equal(said.length, 3);
});
