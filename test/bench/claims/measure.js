/**
 * Measures a part of a scenario for the tests of the headline claims. They compare configurations of one run only:
 * the harness takes the samples of each round in turn, so that load on the machine slows all of them down.
 */
import assert from 'node:assert/strict';
import { runScenarios } from '../../../bench/harness/run.js';
import { loadScenario } from '../../../bench/harness/scenarios.js';
import { hasValues } from '../../../bench/report/text.js';
import { median } from '../../../bench/stats/stats.js';

/**
 * @typedef {Partial<import('../../../bench/harness/scenarios.js').Configuration>} Which the fields that it must have
 */

export class Measurement {
  /** @param {import('../../../bench/report/results.js').Results} results */
  constructor({ rows, notes }) {
    this.rows = rows;
    this.notes = notes;
  }

  /** Returns the samples of a metric, by round. @param {string} metric @param {Which} which @returns {number[]} */
  samples(metric, which) {
    const found = this.rows.filter((row) => hasValues(row, { ...which, metric }));
    assert.equal(found.length, 1, `${metric} of ${JSON.stringify(which)}`);
    return found[0].samples;
  }

  /** @param {string} metric @param {Which} which @returns {number} */
  median(metric, which) {
    return median(this.samples(metric, which));
  }

  /**
   * Asserts that one configuration has at least a multiple of another one's value: the median over the rounds of the
   * ratio within a round.
   * @param {string} metric @param {Which} more @param {Which} less @param {number} factor
   */
  assertRatio(metric, more, less, factor) {
    const [above, below] = [this.samples(metric, more), this.samples(metric, less)];
    assert.equal(above.length, below.length, metric);
    const ratio = median(above.map((value, round) => value / below[round]));
    const figures = `${metric} of ${JSON.stringify(more)} is ${above}, of ${JSON.stringify(less)} ${below}`;
    assert.ok(ratio > factor, `${figures}: a ratio of ${ratio}, not above ${factor}`);
  }
}

/**
 * Runs the wanted configurations of a scenario, short as with `--quick` unless the options say otherwise.
 * @param {string} name
 * @param {number} rounds
 * @param {import('../../../bench/harness/run.js').RunOptions &
 *   {wanted?: (configuration: import('../../../bench/harness/scenarios.js').Configuration) => boolean}} [options]
 * @returns {Promise<Measurement>}
 */
export async function measure(name, rounds, { wanted = () => true, ...asked } = {}) {
  const scenario = await loadScenario(name);
  /** @type {typeof scenario.configurations} */
  const configurations = (all) => scenario.configurations(all).filter(wanted);
  const results = await runScenarios([{ ...scenario, configurations }], {
    quick: true,
    runs: rounds,
    seed: 1,
    ...asked,
  });
  assert.deepEqual([...results.failures, ...results.skipped], []);
  return new Measurement(results);
}
