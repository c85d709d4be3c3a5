import assert from 'node:assert/strict';
import test from 'node:test';
import { ENGINES } from '../../../app/engine/index.js';
import { runSample } from '../../../bench/harness/run-sample.js';
import { loadScenario } from '../../../bench/harness/scenarios.js';
import { extent } from '../../support/extent.js';
import { temporaryFolder } from '../../support/tv.js';

/** @param {import('node:test').TestContext} t */
async function startup(t) {
  const scenario = await loadScenario('startup');
  const context = { round: 0, quick: true, workDir: await temporaryFolder(t) };
  /** @param {string} variant @param {string} engine */
  const sample = (variant, engine) => runSample(scenario, { variant, engine }, context);
  return { scenario, sample };
}

test('startup: a quick run measures every engine on demand, with a spare, and 8 at once; bare workers without a spare', async (t) => {
  const { scenario } = await startup(t);
  const all = scenario.configurations({ quick: true });
  const variants = ['on demand', 'spare', '8 at once'];
  const bare = ['node', 'bun', 'deno'];
  assert.deepEqual(
    all.map(({ variant, engine, level = '' }) => [variant, engine, level]),
    [
      ...variants.flatMap((variant) => ENGINES.map((engine) => [variant, engine, ''])),
      ...['on demand', '8 at once'].flatMap((variant) =>
        bare.flatMap((engine) => ['thread', 'process'].map((level) => [variant, engine, level])),
      ),
    ],
  );
});

for (const engine of extent(['zygote'], ENGINES)) {
  test(`startup: ${engine}: a spare is there before, and 8 at once take more CPU time`, async (t) => {
    const { sample } = await startup(t);
    const onDemand = await sample('on demand', engine);
    const spare = await sample('spare', engine);
    const burst = await sample('8 at once', engine);
    for (const { metrics } of [onDemand, spare, burst]) {
      for (const name of ['ready', 'call', 'first', 'cpu', 'peak_unreclaimable', 'peak_pss']) {
        assert.ok(metrics[name] > 0, `${name}: ${metrics[name]}`);
      }
      assert.ok(metrics.peak_unreclaimable < metrics.peak_pss);
    }
    assert.ok(burst.metrics.cpu > 2 * onDemand.metrics.cpu, 'eight workers take more CPU time');
    assert.ok(burst.metrics.ready > onDemand.metrics.call);
    assert.ok(burst.metrics.peak_unreclaimable > onDemand.metrics.peak_unreclaimable);
    const isZygote = engine === 'zygote';
    // A fork takes so little CPU time that one sample of each does not show the difference.
    assert.ok(isZygote || spare.metrics.cpu < onDemand.metrics.cpu, 'it has started before');
    assert.ok(onDemand.facts?.spares.every((/** @type {number} */ count) => count === 0));
    assert.ok(spare.facts?.spares.every((/** @type {number} */ count) => count > 0 === isZygote));
  });
}
