/** Builds the card for the other tests, if anything changed. */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { test } from 'node:test';
import { readPartitions } from '../../../image/sd/card.js';
import { cardFor } from './board.js';

const { file, why } = await cardFor('armhf');

test('the armhf card can be built', { skip: why }, async (t) => {
  assert.equal((await readPartitions(file)).length, 3);
  t.diagnostic(`${file}, ${(((await stat(file)).blocks * 512) / 1e6).toFixed(1)} MB`);
});
