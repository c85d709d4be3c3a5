import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runScenarios } from '../../../bench/harness/run.js';
import { loadScenario } from '../../../bench/harness/scenarios.js';
import { CLOUDS, makeCloud } from '../../../bench/scenarios/collision/cloud.js';
import { VARIANTS } from '../../../bench/scenarios/collision/libraries.js';

const BODIES = 1000;
/** More than the period after which a clustered cloud is reset. */
const FRAMES = 70;

test('the kernel finds the same pairs as the libraries, is much faster, and is nearly as fast as C', async () => {
  const collision = await loadScenario('collision');
  const scenario = {
    ...collision,
    configurations: (
      /** @type {import('../../../bench/harness/scenarios.js').Selection} */ selection,
    ) =>
      collision
        .configurations({ ...selection, quick: false })
        .filter(({ n, level }) => n === BODIES && level === 'uniform'),
  };
  const { rows, notes, failures } = await runScenarios([scenario], { quick: true, runs: 1 });
  assert.deepEqual(failures, []);
  assert.equal(rows.length, 10);
  assert.ok(rows.every(({ metric, unit }) => metric === 'frame' && unit === 'ms'));
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
