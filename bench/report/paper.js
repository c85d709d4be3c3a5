/**
 * Compares measurements with the paper "Parallelization and memory deduplication of Node.js in embedded environment"
 * (Kim, Hong, Shin; SungKyunKwan University, 2013), and decides whether its findings still hold. Its figures are those
 * of its text, measured on a Raspberry Pi B with Node 0.10.16. For its plots (figures 3 and 4), the text states ranges
 * only.
 */
import { comparisonOf } from './comparisons.js';
import { digits, games, groupBy, hasValues, verdictText } from './text.js';

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
 * @typedef {import('./results.js').Results} Results
 *
 * @typedef {object} Experiment what takes less than processes
 * @property {string} question
 * @property {string} scenario @property {string} metric
 * @property {'variant' | 'level'} field of a row that names what is compared
 * @property {string[]} values of the field, first that of the paper
 * @property {readonly number[]} range of the paper's savings, percent
 *
 * @typedef {import('./comparisons.js').Comparison & {workers: number, percent: number, range: number[]}} Saving how
 *   much less a row takes than its reference, with its interval
 */

/** @type {Experiment[]} */
const EXPERIMENTS = [
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
];

/** The engines, and processes with KSM by level. @type {Record<string, string>} */
const COLUMNS = {
  process: 'process',
  thread: 'thread',
  zygote: 'zygote',
  mark: 'process + KSM: marked',
  seeds: '+ KSM: seeds',
  identical: '+ KSM: identical',
};
const ON_DEMAND = 'on demand';
/** Questions by variant of the scenario `startup`. */
const STARTS = {
  [ON_DEMAND]: 'Creating a worker on demand, until it is ready',
  spare: 'Creating a worker from a spare, until it is ready',
  '8 at once': 'Creating 8 workers at once, until the last is ready',
};
/** The engines whose starts are compared: the slower one first. */
const PAIRS = [
  ['process', 'thread'],
  ['process', 'zygote'],
  ['thread', 'zygote'],
];

/**
 * Formats an answer.
 * @param {string} question @param {string} paper the paper's figures
 * @param {[column: string, figures: string][]} here what was measured
 * @param {string} verdict whether the paper's finding still holds; empty if nobody can say
 */
function answer(question, paper, here, verdict) {
  const line = (/** @type {string} */ name, /** @type {string} */ text) =>
    `    ${name.padEnd(24)} ${text}`;
  const lines = here.map(([column, text]) => line(COLUMNS[column], text));
  if (verdict) lines.push(line('does it still hold?', verdict));
  return ['', `  ${question}`, line('paper', paper), ...lines];
}

/** Compares the creation of workers. @param {Results} results */
function creation({ rows }) {
  const { processMs, threadMs } = PAPER;
  return Object.entries(STARTS).flatMap(([variant, question]) => {
    const found = rows.filter(
      (row) =>
        hasValues(row, { scenario: 'startup', metric: 'ready', variant }) &&
        String(row.engine) in COLUMNS,
    );
    if (found.length === 0) return [];
    const medians = new Map(found.map(({ engine, median }) => [String(engine), median]));
    const ratios = PAIRS.flatMap(([slower, faster]) => {
      const ratio = Number(medians.get(slower)) / Number(medians.get(faster));
      return ratio > 0 ? [`a ${slower} takes ${digits(ratio)} times as long as a ${faster}`] : [];
    });
    const isOfPaper = variant === ON_DEMAND;
    if (isOfPaper)
      ratios.push(`in 2013, a process took ${processMs / threadMs} times as long as a thread`);
    const paper = isOfPaper ? `process ${processMs} ms, thread ${threadMs} ms` : '–';
    /** @type {[string, string][]} */
    const here = [...medians].map(([engine, ms]) => [engine, `${digits(ms)} ms`]);
    return answer(question, paper, here, ratios.join('; '));
  });
}

/** Compares the savings of figures 3 and 4. @param {Results} results */
function compareSavings(results) {
  return EXPERIMENTS.flatMap((experiment) => {
    const { question, values, range } = experiment;
    const found = values
      .map((value) => ({ value, savings: savingsOf(results, experiment, value) }))
      .filter(({ savings }) => savings.length > 0);
    if (found.length === 0) return [];
    /** @type {[string, string][]} */
    const here = found.map(({ value, savings }) => [value, byGames(savings, describe)]);
    const mine = found.find(({ value }) => value === values[0])?.savings ?? [];
    const verdict = byGames(mine, (saving) => judge(saving, range));
    return answer(question, `${values[0]} ${range.join(' to ')} % less`, here, verdict);
  });
}

/**
 * Lists the savings of a value of an experiment.
 * @param {Results} results @param {Experiment} experiment @param {string} value
 * @returns {Saving[]} sorted by the number of workers
 */
function savingsOf({ rows, comparisons }, { scenario, metric, field }, value) {
  const percent = (/** @type {number} */ ratio) => (1 - ratio) * 100;
  return rows
    .filter((row) => hasValues(row, { scenario, metric, [field]: value }))
    .flatMap((row) => {
      const found = comparisonOf(row, comparisons);
      if (!found) return [];
      const range = found.ci95.map(percent).reverse();
      return { ...found, workers: Number(row.workers), percent: percent(found.ratio), range };
    })
    .sort((a, b) => a.workers - b.workers);
}

/**
 * Describes savings by the number of games. Numbers with the same text are listed together.
 * @param {Saving[]} found @param {(saving: Saving) => string} text
 */
const byGames = (found, text) =>
  [...groupBy(found, text)]
    .map(([said, some]) => `${games(some.map(({ workers }) => workers))}: ${said}`)
    .join('; ');

/** @param {Saving} saving */
function describe(saving) {
  const { percent, verdict } = saving;
  const size = `${Number(Math.abs(percent).toFixed(1))} % ${percent < 0 ? 'more' : 'less'}`;
  return verdict === 'yes' ? size : `${size}, ${verdictText(saving)}`;
}

/**
 * Decides whether a finding of the paper still holds.
 * @param {Saving} saving @param {readonly number[]} range of the paper, percent
 */
function judge(saving, [low, high]) {
  const { verdict, percent, range } = saving;
  if (verdict !== 'yes') return verdictText(saving);
  if (percent < 0) return 'no: more, not less';
  if (range[1] < low) return 'less than then';
  return range[0] > high ? 'more than then' : 'yes';
}

/** Formats the comparison, for each experiment that the results contain. @param {Results} results @returns {string} */
export const formatAnswers = (results) =>
  [
    `“${PAPER.title}” (2013)`,
    `  ${PAPER.machine}`,
    ...creation(results),
    ...compareSavings(results),
    '',
  ].join('\n');
