/**
 * The figures in the text of the paper "Parallelization and memory deduplication of Node.js in embedded environment"
 * (Kim, Hong, Shin; SungKyunKwan University, 2013), measured on a Raspberry Pi B with Node 0.10.16. For its plots
 * (figures 3 and 4), the text states ranges only.
 */
import { labelOf } from './text.js';

export const PAPER = Object.freeze({
  title: 'Parallelization and memory deduplication of Node.js in embedded environment',
  machine: 'Raspberry Pi B, ARM1176JZF-S 700 MHz, 512 MB, Node.js 0.10.16',
  /** Section 4.1, ms. */
  processMs: 1076,
  threadMs: 4,
  /** Figure 3: savings of threads against processes, percent. */
  threadMemorySaving: Object.freeze([9.1, 28.5]),
  threadTimeSaving: Object.freeze([10, 12.5]),
  /** Figure 4: savings of processes with KSM, percent. */
  ksmSaving: Object.freeze([3.5, 4.5]),
});

/** The scenarios that repeat the paper's experiments, in the paper's order. */
export const PAPER_SCENARIOS = Object.freeze(['startup', 'memory', 'runtime']);

/**
 * @typedef {object} Experiment what takes less than processes
 * @property {string} question
 * @property {string} scenario @property {string} metric
 * @property {'variant' | 'level'} field of a row that names what is compared
 * @property {string[]} values of the field, first that of the paper
 * @property {readonly number[]} range of the paper's savings, percent
 *
 * @typedef {import('./comparisons.js').Comparison & {workers: number, percent: number}} Saving how much less a row
 *   takes than its reference; ci95 is that of percent
 */

/** The experiments of figures 3 and 4. @type {readonly Experiment[]} */
export const EXPERIMENTS = Object.freeze([
  {
    // Figure 3.
    question: 'Memory (PSS) against processes',
    scenario: 'memory',
    metric: 'pss',
    field: 'variant',
    values: ['thread', 'zygote'],
    range: PAPER.threadMemorySaving,
  },
  {
    // Figure 4.
    question: 'Memory (PSS) of processes with KSM against without',
    scenario: 'memory',
    metric: 'pss',
    field: 'level',
    values: ['mark', 'seeds', 'identical'],
    range: PAPER.ksmSaving,
  },
  {
    // Figure 3.
    question: 'Run time against processes',
    scenario: 'runtime',
    metric: 'total',
    field: 'variant',
    values: ['thread', 'zygote'],
    range: PAPER.threadTimeSaving,
  },
]);

/**
 * Lists the savings of an experiment.
 * @param {import('./results.js').Results} results @param {Experiment} experiment
 * @returns {{value: string, found: Saving[]}[]} for each value with savings; they are sorted by the number of workers
 */
export function savings({ rows, comparisons }, { scenario, metric, field, values }) {
  const own = rows.filter((row) => row.scenario === scenario && row.metric === metric);
  const percent = (/** @type {number} */ ratio) => (1 - ratio) * 100;
  const savingsOf = (/** @type {string} */ value) =>
    own
      .filter((row) => row[field] === value)
      .flatMap((row) => {
        const found = comparisons.find(
          (one) => one.scenario === scenario && one.metric === metric && one.a === labelOf(row),
        );
        if (!found) return [];
        const [low, high] = found.ci95;
        /** @type {[number, number]} */
        const ci95 = [percent(high), percent(low)];
        return { ...found, workers: row.workers ?? 0, percent: percent(found.ratio), ci95 };
      })
      .sort((a, b) => a.workers - b.workers);
  return values
    .map((value) => ({ value, found: savingsOf(value) }))
    .filter(({ found }) => found.length > 0);
}
