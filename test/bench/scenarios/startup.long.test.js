import assert from 'node:assert/strict';
import test from 'node:test';
import { ENGINES } from '../../../app/engine/index.js';
import { extent } from '../../support/extent.js';
import { takeSample } from './sample.js';

for (const engine of extent(['zygote'], ENGINES)) {
  test(`startup: ${engine}: a spare is there before, and 8 at once take more CPU time`, async (t) => {
    const sample = (/** @type {string} */ variant) => takeSample(t, 'startup', { variant, engine });
    const onDemand = await sample('on demand');
    const spare = await sample('spare');
    const burst = await sample('8 at once');
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
