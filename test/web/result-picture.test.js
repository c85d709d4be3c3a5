import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fit } from '../../app/web/pad/result-picture.js';

const measure = (/** @type {string} */ text) => [...text].length;

test('a name that is too wide for the picture is cut between letters', () => {
  assert.equal(fit('Ada', 3, measure), 'Ada');
  assert.equal(fit('Adalbert', 4, measure), 'Ada…');
  assert.equal(fit('👍👍👍', 2, measure), '👍…', 'a surrogate pair stays whole');
  assert.equal(fit('Ada', 0, measure), '…');
});
