import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ABSENT, MAX_AXIS, blankInput, packInput, unpackInput } from '../../app/game/input.js';

test('unpacking returns what was packed', () => {
  const axis = fc.integer({ min: -MAX_AXIS, max: MAX_AXIS });
  fc.assert(
    fc.property(axis, axis, fc.nat(3), fc.nat(255), fc.nat(255), (x, y, buttons, a, b) => {
      const word = packInput(x, y, buttons, a, b);
      assert.equal(word, word | 0, 'one int32');
      const input = unpackInput(word);
      assert.equal(Math.round(input.x * MAX_AXIS), x);
      assert.equal(Math.round(input.y * MAX_AXIS), y);
      assert.equal(input.buttons, buttons);
      assert.equal(input.pressesA, a % 16);
      assert.equal(input.pressesB, b % 16);
      assert.equal(input.present, true);
    }),
  );
});

test('any word is unpacked into fields within their ranges, in the given object', () => {
  const target = blankInput();
  assert.deepEqual(unpackInput(ABSENT), target, 'an empty slot');
  fc.assert(
    fc.property(fc.integer(), (word) => {
      assert.equal(unpackInput(word, target), target);
      assert.ok(Math.abs(target.x) <= 128 / 127 && Math.abs(target.y) <= 128 / 127);
      assert.ok(target.buttons >= 0 && target.buttons <= 3);
      assert.ok(target.pressesA >= 0 && target.pressesA <= 15);
      assert.ok(target.pressesB >= 0 && target.pressesB <= 15);
      assert.equal(target.present, ((word >> 30) & 1) === 1);
    }),
  );
});
