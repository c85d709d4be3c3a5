/**
 * Compares measurements with the paper "Parallelization and memory deduplication of Node.js in embedded environment"
 * (Kim, Hong, Shin; SungKyunKwan University, 2013), and decides whether its findings still hold. Its figures are those
 * of its text, measured on a Raspberry Pi B with Node 0.10.16. For its plots (figures 3 and 4), the text states ranges
 * only.
 */
import { digits, games, groupBy, labelOf, verdictText } from './text.js';

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
 * @typedef {object} Answer
 * @property {string} question
 * @property {string} paper the paper's figures
 * @property {Record<string, string>} here the measured figures by column
 * @property {string} verdict whether the paper's finding still holds
 *
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

/** The experiments of figures 3 and 4. @type {Experiment[]} */
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

/**
 * Lists the savings of an experiment.
 * @param {Results} results @param {Experiment} experiment
 * @returns {{value: string, found: Saving[]}[]} for each value with savings; they are sorted by the number of workers
 */
function savings({ rows, comparisons }, { scenario, metric, field, values }) {
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

const NONE = '–';

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

/** Compares the creation of workers. @param {Results} results @returns {Answer[]} */
function creation({ rows }) {
  const { processMs, threadMs } = PAPER;
  const ready = rows.filter(({ scenario, metric }) => scenario === 'startup' && metric === 'ready');
  return Object.entries(STARTS).flatMap(([variant, question]) => {
    const medians = new Map(
      ready
        .filter((row) => row.variant === variant && String(row.engine) in COLUMNS)
        .map(({ engine, median }) => /** @type {const} */ ([String(engine), median])),
    );
    if (medians.size === 0) return [];
    const ratios = PAIRS.flatMap(([slower, faster]) => {
      const ratio = Number(medians.get(slower)) / Number(medians.get(faster));
      return ratio > 0 ? [`a ${slower} takes ${digits(ratio)} times as long as a ${faster}`] : [];
    });
    const isOfPaper = variant === ON_DEMAND;
    if (isOfPaper)
      ratios.push(`in 2013, a process took ${processMs / threadMs} times as long as a thread`);
    return {
      question,
      paper: isOfPaper ? `process ${processMs} ms, thread ${threadMs} ms` : NONE,
      here: Object.fromEntries([...medians].map(([engine, ms]) => [engine, `${digits(ms)} ms`])),
      verdict: ratios.join('; ') || NONE,
    };
  });
}

/** Compares the savings of figures 3 and 4. @param {Results} results @returns {Answer[]} */
function compareSavings(results) {
  return EXPERIMENTS.flatMap((experiment) => {
    const { question, values, range } = experiment;
    const lines = savings(results, experiment);
    if (lines.length === 0) return [];
    const mine = lines.find(({ value }) => value === values[0])?.found ?? [];
    return {
      question,
      paper: `${values[0]} ${range.join(' to ')} % less`,
      here: Object.fromEntries(lines.map(({ value, found }) => [value, byGames(found, describe)])),
      verdict: byGames(mine, (saving) => judge(saving, range)) || NONE,
    };
  });
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
  const { verdict, percent, ci95 } = saving;
  if (verdict !== 'yes') return verdictText(saving);
  if (percent < 0) return 'no: more, not less';
  if (ci95[1] < low) return 'less than then';
  return ci95[0] > high ? 'more than then' : 'yes';
}

/** Formats the comparison, for each experiment that the results contain. @param {Results} results @returns {string} */
export function formatAnswers(results) {
  const line = (/** @type {string} */ name, /** @type {string} */ text) =>
    `    ${name.padEnd(24)} ${text}`;
  const answers = [...creation(results), ...compareSavings(results)];
  const lines = answers.flatMap(({ question, paper, here, verdict }) => [
    '',
    `  ${question}`,
    line('paper', paper),
    ...Object.entries(here).map(([column, text]) => line(COLUMNS[column], text)),
    ...(verdict === NONE ? [] : [line('does it still hold?', verdict)]),
  ]);
  return [`“${PAPER.title}” (2013)`, `  ${PAPER.machine}`, ...lines, ''].join('\n');
}
