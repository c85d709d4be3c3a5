import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test from 'node:test';
import { PadState, parseText } from '../../app/server/messages.js';

/** @param {number[]} bytes */
const input = (...bytes) => Buffer.from([1, ...bytes, 0, 0]);

test('read() decodes an input, clamps its axes, and ignores unknown buttons', () => {
  const pad = new PadState();
  assert.ok(pad.read(input(127, 129, 3, 7, 9)));
  assert.deepEqual([pad.x, pad.y, pad.buttons], [127, -127, 3]);
  assert.ok(pad.read(input(128, 128, 255, 0, 0)));
  assert.deepEqual([pad.x, pad.y, pad.buttons], [-127, -127, 3]);
});

test('the first message counts held buttons, later ones the difference of the counters', () => {
  const pad = new PadState();
  const taps = (/** @type {number[]} */ ...bytes) => {
    pad.read(input(...bytes));
    return pad.takeTaps();
  };
  assert.deepEqual(taps(0, 0, 1, 200, 17), [1, 0]);
  assert.deepEqual(taps(0, 0, 0, 201, 17), [1, 0]);
  assert.deepEqual(taps(0, 0, 0, 201, 20), [0, 3]);
  assert.deepEqual(taps(0, 0, 0, 201 + 54, 20), [54 & 15, 0]);
  assert.deepEqual(taps(0, 0, 0, 1, 20), [2, 0], 'the counters wrap at eight bits');
});

test('presses add up until takeTaps(), modulo 16', () => {
  const pad = new PadState();
  for (const presses of [0, 1, 3, 4]) pad.read(input(0, 0, 0, presses, 0));
  assert.deepEqual(pad.takeTaps(), [4, 0]);
  assert.deepEqual(pad.takeTaps(), [0, 0]);
  for (const presses of [10, 20, 30]) pad.read(input(0, 0, 0, 4 + presses, presses));
  assert.deepEqual(pad.takeTaps(), [30 & 15, 30 & 15]);
});

test('a message that is not an input changes nothing', () => {
  const pad = new PadState();
  pad.read(input(10, 20, 1, 2, 3));
  for (const odd of [
    Buffer.alloc(0),
    Buffer.from([1, 2, 3]),
    Buffer.alloc(9, 1),
    Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]),
    randomBytes(4096),
  ]) {
    assert.ok(!pad.read(odd));
  }
  assert.deepEqual([pad.x, pad.y, pad.buttons], [10, 20, 1]);
});

test('a text message that is not an object with a type is refused', () => {
  assert.deepEqual(parseText(Buffer.from('{"t":"x","a":1}')), { t: 'x', a: 1 });
  for (const odd of ['', 'x', '5', 'null', '[]', '{}', '{"t":5}', '{"t":', '"t"', '[{"t":"x"}]']) {
    assert.throws(() => parseText(Buffer.from(odd)), { code: 'PITV_MESSAGE_INVALID' }, odd);
  }
});
