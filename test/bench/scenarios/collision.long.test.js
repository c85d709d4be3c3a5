/** Compares the speed of the collision kernel with libraries and C. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measure } from '../claims/measure.js';

const BODIES = 1000;

test('the kernel finds the same pairs as the libraries, is much faster, and is nearly as fast as C', async () => {
  const { rows, notes } = await measure('collision', 1, {
    wanted: ({ n, level }) => n === BODIES && level === 'uniform',
  });
  assert.equal(rows.length, 10);
  assert.doesNotMatch(notes.join(), /WRONG/);
  const {
    pitv,
    'pitv-js': javascript,
    c,
    'c-native': limit,
    ...libraries
  } = Object.fromEntries(rows.map(({ variant, median }) => [variant, median]));
  // The margins are half of the usual ratios, because this is one short sample on a machine with other load.
  const fastest = Math.min(...Object.values(libraries));
  assert.ok(fastest > 5 * pitv, `${fastest} ms and ${pitv} ms`);
  assert.ok(fastest > 3 * javascript, `${fastest} ms and ${javascript} ms in JavaScript`);
  assert.ok(limit > 0);
  assert.ok(pitv < 4 * c, `${pitv} ms and ${c} ms in C`);
});
