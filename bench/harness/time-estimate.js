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

/** Estimates the remaining time of a run. */
export class TimeEstimate {
  /**
   * By configuration: the rounds that are left, number and duration of the samples, and what its scenario declares of
   * one.
   * @type {Map<Configuration, {left: number, count: number, seconds: number, declared?: number}>}
   */
  #all = new Map();

  /** @param {Plan[]} plans @param {number} rounds @param {{quick: boolean, startSeconds: number}} options */
  constructor(plans, rounds, { quick, startSeconds }) {
    for (const { scenario, configurations } of plans) {
      for (const one of configurations) {
        const cost = scenario.cost?.(one, { quick });
        const declared = cost && cost.seconds + cost.starts * startSeconds;
        this.#all.set(one, { left: rounds, count: 0, seconds: 0, declared });
      }
    }
  }

  /** Records that a sample was taken, or will not be. @param {Configuration} one @param {number} [seconds] duration */
  record(one, seconds) {
    const own = this.#all.get(one);
    if (!own) return;
    own.left--;
    if (seconds === undefined) return;
    own.count++;
    own.seconds += seconds;
  }

  /** The estimated remaining time. @returns {number | undefined} seconds; undefined without an estimate */
  get secondsLeft() {
    const all = [...this.#all.values()];
    const mean = sum(all.map((one) => one.seconds)) / sum(all.map((one) => one.count));
    const waiting = all.filter(({ left }) => left > 0);
    const left = waiting.map((one) => {
      const each = one.count > 0 ? one.seconds / one.count : (one.declared ?? mean);
      return one.left * each;
    });
    return Number.isNaN(sum(left)) ? undefined : sum(left);
  }
}

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);
