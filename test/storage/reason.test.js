import assert from 'node:assert/strict';
import test from 'node:test';
import { reasonOf } from '../../app/storage/reason.js';

test('an error of the file system is described in words, another one by its message', () => {
  assert.equal(
    reasonOf(Object.assign(new Error('ENOSPC: x'), { code: 'ENOSPC' })),
    'the disk is full',
  );
  assert.equal(reasonOf(new Error('It broke.')), 'It broke');
  assert.equal(reasonOf(undefined), 'undefined');
});
