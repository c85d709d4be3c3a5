import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitText } from '../../app/web/lib/fit-text.js';

const context = { measureText: (/** @type {string} */ text) => ({ width: [...text].length }) };

test('a name that is too wide for the picture is cut between letters', () => {
  assert.equal(fitText(context, 'Ada', 3), 'Ada');
  assert.equal(fitText(context, 'Adalbert', 4), 'Ada…');
  assert.equal(fitText(context, '👍👍👍', 2), '👍…', 'a surrogate pair stays whole');
  assert.equal(fitText(context, 'Ada', 0), '…');
});
