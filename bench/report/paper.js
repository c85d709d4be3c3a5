/**
 * Compares measurements with the paper "Parallelization and memory deduplication of Node.js in embedded environment"
 * (Kim, Hong, Shin; SungKyunKwan University, 2013), and decides whether its findings still hold. Its figures are those
 * of its text, measured on a Raspberry Pi B with Node 0.10.16. For its plots (figures 3 and 4), the text states ranges
 * only.
 */
import { comparisonOf } from './comparisons.js';
import { games, groupBy, hasValues, verdictText } from './text.js';

export const PAPER = Object.freeze({
  title: 'Parallelization and memory deduplication of Node.js in embedded environment',
  machine: 'Raspberry Pi B, ARM1176JZF-S 700 MHz, 512 MB, Node.js 0.10.16',
  /** Section 4.1, ms. */
  processMs: 1076,
  threadMs: 4,
  /** Figure 3: savings of threads against processes, percent. */
  threadMemorySaving: Object.freeze([9.1, 28.5]),
  threadTimeSaving: Object.freeze([10, 12.5]),
  /** Section 4.1: what the creation of a thread takes less than that of a process, percent. */
  threadStartSaving: Object.freeze([99.6]),
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
 * @property {Partial<import('./results.js').Row>} where values of its rows
 * @property {'variant' | 'engine' | 'level'} field of a row that names what is compared
 * @property {string[]} values of the field, first that of the paper
 * @property {readonly number[]} [range] of the paper's savings, percent, if the paper has the question
 *
 * @typedef {import('./comparisons.js').Comparison & {workers: number | null, percent: number, range: number[]}} Saving
 *   how much less a row takes than its reference, with its interval
 */

const PSS = { scenario: 'memory', metric: 'pss' };

/** @param {string} variant of the scenario `startup` @returns {Experiment} */
const startOf = (variant) => ({
  question: `Time until a worker is ready, ${variant}, against processes`,
  where: { scenario: 'startup', metric: 'ready', variant },
  field: 'engine',
  values: ['thread', 'zygote'],
});

/** @type {Experiment[]} */
const EXPERIMENTS = [
  { ...startOf('on demand'), range: PAPER.threadStartSaving },
  startOf('spare'),
  startOf('8 at once'),
  {
    question: 'Memory (PSS) against processes',
    where: PSS,
    field: 'variant',
    values: ['thread', 'zygote'],
    range: PAPER.threadMemorySaving,
  },
  {
    question: 'Memory (PSS) of processes with KSM against without',
    where: PSS,
    field: 'level',
    values: ['mark', 'seeds', 'identical'],
    range: PAPER.ksmSaving,
  },
  {
    question: 'Run time against processes',
    where: { scenario: 'runtime', metric: 'total' },
    field: 'variant',
    values: ['thread', 'zygote'],
    range: PAPER.threadTimeSaving,
  },
];

/** What is compared, by its value. @type {Record<string, string>} */
const TITLES = {
  thread: 'thread',
  zygote: 'zygote',
  mark: 'process + KSM: marked',
  seeds: '+ KSM: seeds',
  identical: '+ KSM: identical',
};

/**
 * Formats the answer to a question, with the paper's figures and whether its finding still holds.
 * @param {Results} results @param {Experiment} experiment
 */
function answer(results, experiment) {
  const { question, values, range } = experiment;
  const found = values
    .map((value) => ({ value, savings: savingsOf(results, experiment, value) }))
    .filter(({ savings }) => savings.length > 0);
  if (found.length === 0) return [];
  const line = (/** @type {string} */ name, /** @type {string} */ text) =>
    `    ${name.padEnd(24)} ${text}`;
  const lines = found.map(({ value, savings }) => line(TITLES[value], byGames(savings, describe)));
  const [{ value, savings }] = found;
  if (range && value === values[0]) {
    lines.unshift(line('paper', `${value} ${range.join(' to ')} % less`));
    lines.push(
      line(
        'does it still hold?',
        byGames(savings, (one) => judge(one, range)),
      ),
    );
  }
  return ['', `  ${question}`, ...lines];
}

/**
 * Lists the savings of a value of an experiment.
 * @param {Results} results @param {Experiment} experiment @param {string} value
 * @returns {Saving[]} sorted by the number of workers
 */
function savingsOf({ rows, comparisons }, { where, field }, value) {
  const percent = (/** @type {number} */ ratio) => (1 - ratio) * 100;
  return rows
    .filter((row) => hasValues(row, { ...where, [field]: value }))
    .flatMap((row) => {
      const found = comparisonOf(row, comparisons);
      if (!found) return [];
      const range = found.ci95.map(percent).reverse();
      return { ...found, workers: row.workers, percent: percent(found.ratio), range };
    })
    .sort((a, b) => Number(a.workers) - Number(b.workers));
}

/**
 * Describes savings by the number of games. Numbers with the same text are listed together.
 * @param {Saving[]} found @param {(saving: Saving) => string} text
 */
const byGames = (found, text) =>
  [...groupBy(found, text)]
    .map(([said, some]) => {
      const counts = some.flatMap(({ workers }) => workers ?? []);
      return counts.length > 0 ? `${games(counts)}: ${said}` : said;
    })
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
function judge(saving, [low, high = low]) {
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
    ...EXPERIMENTS.flatMap((experiment) => answer(results, experiment)),
    '',
  ].join('\n');
