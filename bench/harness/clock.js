/** How long a run will take: guessed before it, told more exactly the longer it goes on. */
import { spawnSync } from 'node:child_process';
import { median } from '../stats/stats.js';

/**
 * @typedef {import('./scenarios.js').Configuration} Configuration
 * @typedef {Pick<import('./run.js').Plan, 'scenario' | 'configurations'>} Plan
 */

const LOOKS = 3;
const TIMEOUT_MS = 120_000;
/** A busy machine may take so many times as long as was guessed. */
const TIMEOUT_FACTOR = 20;

/** How fast this machine is, in what samples do most: start Node. @returns {number} seconds */
export function nodeStartSeconds() {
  const looks = Array.from({ length: LOOKS }, () => {
    const began = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    return (performance.now() - began) / 1000;
  });
  return median(looks);
}

/**
 * @param {Plan[]} plans
 * @param {{quick: boolean, startSeconds: number}} how
 * @returns {Map<Configuration, number>} seconds of a sample, where the scenario has told what it takes
 */
export function guesses(plans, { quick, startSeconds }) {
  const all = plans.flatMap(({ scenario, configurations }) =>
    configurations.map((one) => ({ one, cost: scenario.cost?.(one, { quick }) })),
  );
  return new Map(
    all.flatMap(({ one, cost }) =>
      cost ? [[one, cost.seconds + cost.starts * startSeconds]] : [],
    ),
  );
}

/** What samples took so far, and what is to come. */
export class Clock {
  #guesses;
  /** @type {Map<Configuration, {count: number, seconds: number}>} */
  #taken = new Map();
  /** @type {Map<Configuration, number>} */
  #left = new Map();

  /** @param {Configuration[]} configurations @param {number} rounds @param {Map<Configuration, number>} guessed seconds */
  constructor(configurations, rounds, guessed) {
    this.#guesses = guessed;
    for (const one of configurations) this.#left.set(one, rounds);
  }

  /** @param {Configuration} one @param {number} seconds that a sample of it took */
  took(one, seconds) {
    const { count, seconds: sum } = this.#taken.get(one) ?? { count: 0, seconds: 0 };
    this.#taken.set(one, { count: count + 1, seconds: sum + seconds });
    this.skip(one);
  }

  /**
   * How long a sample may take before it is given up: many times as long as it should.
   * @param {Configuration} one @param {number} [mostMs] what its scenario allows
   */
  timeoutMs(one, mostMs = TIMEOUT_MS) {
    const guess = this.#guesses.get(one);
    if (guess === undefined) return mostMs;
    return Math.min(mostMs, Math.max(TIMEOUT_MS / 2, guess * 1000 * TIMEOUT_FACTOR));
  }

  /** A sample of it will not be taken. @param {Configuration} one */
  skip(one) {
    this.#left.set(one, (this.#left.get(one) ?? 1) - 1);
  }

  /** @returns {number | undefined} seconds; undefined while nothing is known */
  get left() {
    const known = [...this.#taken.values()];
    const count = known.reduce((sum, one) => sum + one.count, 0);
    const mean = count > 0 ? known.reduce((sum, one) => sum + one.seconds, 0) / count : undefined;
    let left = 0;
    for (const [one, rounds] of this.#left) {
      if (rounds === 0) continue;
      const mine = this.#taken.get(one);
      const each = mine ? mine.seconds / mine.count : (this.#guesses.get(one) ?? mean);
      if (each === undefined) return undefined;
      left += rounds * each;
    }
    return left;
  }
}
