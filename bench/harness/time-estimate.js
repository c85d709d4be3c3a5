/** Estimates how long a run takes: from the scenarios' costs first, then from the samples that have been taken. */
import { spawnSync } from 'node:child_process';
import { median } from '../stats/stats.js';

/**
 * @typedef {import('./scenarios.js').Configuration} Configuration
 * @typedef {Pick<import('./run.js').Plan, 'scenario' | 'configurations'>} Plan
 */

const REPEATS = 3;

/** Measures a start of Node.js, the unit of most costs. @returns {number} seconds */
export function nodeStartSeconds() {
  const durations = Array.from({ length: REPEATS }, () => {
    const began = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    return (performance.now() - began) / 1000;
  });
  return median(durations);
}

/**
 * Estimates samples from the costs that their scenarios declare.
 * @param {Plan[]} plans
 * @param {{quick: boolean, startSeconds: number}} options
 * @returns {Map<Configuration, number>} seconds; without the configurations of scenarios that declare no cost
 */
export function estimateSamples(plans, { quick, startSeconds }) {
  const all = plans.flatMap(({ scenario, configurations }) =>
    configurations.map((one) => ({ one, cost: scenario.cost?.(one, { quick }) })),
  );
  return new Map(
    all.flatMap(({ one, cost }) =>
      cost ? [[one, cost.seconds + cost.starts * startSeconds]] : [],
    ),
  );
}

/** Estimates the remaining time of a run. */
export class TimeEstimate {
  #estimates;
  /** @type {Map<Configuration, {count: number, seconds: number}>} */
  #measured = new Map();
  /** @type {Map<Configuration, number>} */
  #left = new Map();

  /**
   * @param {Configuration[]} configurations @param {number} rounds
   * @param {Map<Configuration, number>} estimates seconds
   */
  constructor(configurations, rounds, estimates) {
    this.#estimates = estimates;
    for (const one of configurations) this.#left.set(one, rounds);
  }

  /** Records the duration of a sample. @param {Configuration} one @param {number} seconds */
  record(one, seconds) {
    const { count, seconds: sum } = this.#measured.get(one) ?? { count: 0, seconds: 0 };
    this.#measured.set(one, { count: count + 1, seconds: sum + seconds });
    this.skip(one);
  }

  /** Records that a sample will not be taken. @param {Configuration} one */
  skip(one) {
    this.#left.set(one, (this.#left.get(one) ?? 1) - 1);
  }

  /** The estimated remaining time. @returns {number | undefined} seconds; undefined without an estimate */
  get secondsLeft() {
    const known = [...this.#measured.values()];
    const count = known.reduce((sum, one) => sum + one.count, 0);
    const mean = count > 0 ? known.reduce((sum, one) => sum + one.seconds, 0) / count : undefined;
    let left = 0;
    for (const [one, rounds] of this.#left) {
      if (rounds === 0) continue;
      const mine = this.#measured.get(one);
      const each = mine ? mine.seconds / mine.count : (this.#estimates.get(one) ?? mean);
      if (each === undefined) return undefined;
      left += rounds * each;
    }
    return left;
  }
}
