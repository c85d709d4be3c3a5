import assert from 'node:assert/strict';
import test from 'node:test';
import { messageOf } from '../app/errors.js';

test('anything that is thrown has a sentence', () => {
  assert.equal(messageOf(new Error('No room.')), 'No room.');
  assert.equal(messageOf('No room.'), 'No room.');
  assert.equal(messageOf(undefined), 'undefined');
  assert.equal(messageOf(Symbol('room')), 'Symbol(room)');
  for (const odd of [Object.create(null), { toString: 0, valueOf: 0 }]) {
    assert.equal(messageOf(odd), 'An object without a text form was thrown.');
  }
});
