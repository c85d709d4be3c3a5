import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runScenarios } from '../../../bench/harness/run.js';
import { loadScenario } from '../../../bench/harness/scenarios.js';

const BODIES = 1000;

test('the kernel finds the libraries’ pairs, much faster, and comes near to C', async () => {
  const collision = await loadScenario('collision');
  const scenario = {
    ...collision,
    configurations: (/** @type {import('../../../bench/harness/scenarios.js').Asked} */ asked) =>
      collision.configurations(asked).filter(({ n }) => n === BODIES),
  };
  const { rows, notes, failures } = await runScenarios([scenario], { quick: true, runs: 1 });
  assert.deepEqual(failures, []);
  assert.equal(rows.length, 9);
  assert.ok(rows.every(({ metric, unit }) => metric === 'frame' && unit === 'ms'));
  assert.doesNotMatch(notes.join(), /WRONG/);
  const {
    pitv,
    'pitv-js': javascript,
    c,
    ...libraries
  } = Object.fromEntries(rows.map(({ variant, median }) => [variant, median]));
  // One short sample on a machine with other work: the margins are half of what is usual.
  const fastest = Math.min(...Object.values(libraries));
  assert.ok(fastest > 5 * pitv, `${fastest} ms and ${pitv} ms`);
  assert.ok(fastest > 3 * javascript, `${fastest} ms and ${javascript} ms in JavaScript`);
  assert.ok(pitv < 4 * c, `${pitv} ms and ${c} ms in C`);
});
