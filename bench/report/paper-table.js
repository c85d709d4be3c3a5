/** Compares measurements with those of the paper (see paper.js), and decides whether its findings still hold. */
import { EXPERIMENTS, PAPER, savings } from './paper.js';
import { digits, games, groupBy, verdictText } from './text.js';

/**
 * @typedef {import('./results.js').Results} Results
 * @typedef {import('./paper.js').Saving} Saving
 *
 * @typedef {object} Answer
 * @property {string} question
 * @property {string} paper the paper's figures
 * @property {Record<string, string>} here the measured figures by column
 * @property {string} verdict whether the paper's finding still holds
 */

export const NONE = '–';

/** The engines, and processes with KSM by level. @type {Readonly<Record<string, string>>} */
export const COLUMNS = Object.freeze({
  process: 'process',
  thread: 'thread',
  zygote: 'zygote',
  mark: 'process + KSM: marked',
  seeds: '+ KSM: seeds',
  identical: '+ KSM: identical',
});
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
 * Compares results with the paper's, for each experiment that the results contain.
 * @param {Results} results @returns {Answer[]}
 */
export const answers = (results) => [...creation(results), ...compareSavings(results)];

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

/** Formats the answers for a terminal. @param {Results} results @returns {string} */
export function formatAnswers(results) {
  const line = (/** @type {string} */ name, /** @type {string} */ text) =>
    `    ${name.padEnd(24)} ${text}`;
  const lines = answers(results).flatMap(({ question, paper, here, verdict }) => [
    '',
    `  ${question}`,
    line('paper', paper),
    ...Object.entries(here).map(([column, text]) => line(COLUMNS[column], text)),
    ...(verdict === NONE ? [] : [line('does it still hold?', verdict)]),
  ]);
  return [`“${PAPER.title}” (2013)`, `  ${PAPER.machine}`, ...lines, ''].join('\n');
}
