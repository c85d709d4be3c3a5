/** The price of the lock of games of others: the configurations that measure it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { missingForLock } from '../../../app/engine/lock-support.js';
import { runSample } from '../../../bench/harness/run-sample.js';
import { loadScenario } from '../../../bench/harness/scenarios.js';
import { temporaryFolder } from '../../support/tv.js';

const missing = missingForLock();
const skip = missing ? `this machine lacks ${missing}` : false;
const ENGINE = 'process';

/**
 * Measures the locked configuration of a scenario in its smallest form.
 * @param {import('node:test').TestContext} t @param {string} name
 */
async function measure(t, name) {
  const scenario = await loadScenario(name);
  const context = { round: 0, quick: true, workDir: await temporaryFolder(t) };
  const configuration = scenario
    .configurations({ quick: false, workers: [1] })
    .find(({ variant, level, engine }) => engine === ENGINE && [variant, level].includes('locked'));
  assert.ok(configuration, 'the scenario has it');
  return (await runSample(scenario, configuration, context)).metrics;
}

/** @type {Record<string, string[]>} figures by scenario */
const FIGURES = {
  startup: ['ready', 'cpu', 'peak_unreclaimable'],
  memory: ['unreclaimable', 'pss'],
  jitter: ['tick_p50', 'cpu', 'uss'],
};

for (const [name, figures] of Object.entries(FIGURES)) {
  test(`${name}: a locked worker is measured`, { skip }, async (t) => {
    const metrics = await measure(t, name);
    for (const figure of figures) assert.ok(metrics[figure] > 0, `${figure}: ${metrics[figure]}`);
  });
}
