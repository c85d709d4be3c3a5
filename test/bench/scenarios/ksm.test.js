import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import test from 'node:test';
import { loadScenario } from '../../../bench/harness/scenarios.js';
import { waitForMode } from '../../../bench/scenarios/ksm/controller.js';

/** @typedef {import('../../../bench/harness/scenarios.js').Configuration} Configuration */

test('ksm: savings are split into those of launch and of merging, within a round', async () => {
  const { configurations, derive } = await loadScenario('ksm');
  const all = configurations({ quick: true, workers: [4], levels: ['off', 'seeds'] });
  const [off, seeds, control] = all;
  /** @param {Configuration} configuration @param {number} round @param {number} workers */
  const sample = (configuration, round, workers) => ({
    configuration,
    round,
    facts: {},
    metrics: /** @type {Record<string, number>} */ ({ unreclaimable: 20 + workers, workers }),
  });
  const samples = [
    sample(off, 0, 80),
    sample(control, 0, 60),
    sample(seeds, 0, 15),
    sample(off, 1, 180),
    sample(seeds, 1, 80),
  ];
  derive?.(samples);
  const [, launched, merged, , alone] = samples.map(({ metrics }) => metrics);
  assert.deepEqual([launched.saved_launch, launched.saved_merging], [(1 - 80 / 100) * 100, NaN]);
  assert.deepEqual([merged.saved, merged.saved_launch], [(1 - 35 / 100) * 100, NaN]);
  assert.equal(merged.saved_merging, (1 - 35 / 80) * 100);
  assert.equal(merged.saved_workers, 75);
  assert.deepEqual([alone.saved, alone.saved_merging], [(1 - 100 / 200) * 100, NaN]); // its round has no control
});

test('ksm: waits for a mode of the controller, for a time that need not be whole milliseconds', async () => {
  const longMs = 60_000.5;
  const controller = Object.assign(new EventEmitter(), { mode: 'burst' });
  const become = (/** @type {string} */ mode) => {
    controller.mode = mode;
    controller.emit('mode');
  };
  assert.equal(await waitForMode(controller, 'trickle', 1.5), false);
  assert.equal(await waitForMode(controller, 'trickle', -0.5), false, 'the time is over');

  const reached = waitForMode(controller, 'trickle', longMs);
  become('trickle');
  assert.equal(await reached, true);
  assert.equal(await waitForMode(controller, 'trickle', longMs), true);

  const stopped = waitForMode(controller, 'burst', longMs);
  become('off');
  await assert.rejects(stopped, /stopped ksmd/);
  const yielded = waitForMode(controller, 'burst', longMs);
  controller.emit('yield');
  await assert.rejects(yielded, /another program/);
  assert.deepEqual(controller.eventNames(), []);
});
