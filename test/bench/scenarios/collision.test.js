import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLOUDS, makeCloud } from '../../../bench/scenarios/collision/cloud.js';
import { VARIANTS } from '../../../bench/scenarios/collision/libraries.js';

const BODIES = 1000;
/** More than the period after which a clustered cloud is reset. */
const FRAMES = 70;

test('all kinds of clouds have about one pair per body, and every exact variant finds the same pairs', async () => {
  for (const kind of CLOUDS) {
    const counts = await Promise.all(
      ['pitv', 'pitv-js', 'kdbush', 'flatbush', 'rbush', 'check2d'].map(async (variant) => {
        const frame = await VARIANTS[variant](makeCloud(BODIES, 3, kind));
        return Array.from({ length: FRAMES }, frame);
      }),
    );
    for (const other of counts) assert.deepEqual(other, counts[0], kind);
    const mean = counts[0].reduce((sum, pairs) => sum + pairs, 0) / FRAMES / BODIES;
    assert.ok(mean > 0.5 && mean < 2, `${kind}: ${mean} pairs per body`);
  }
});
