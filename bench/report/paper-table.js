/** The paper's figures beside ours: what is asked, what was found, and whether the paper still holds. */
import { PAPER, savings } from './paper.js';
import { MIN_RUNS, labelOf } from './results.js';
import { digits } from './text.js';

/**
 * @typedef {import('./results.js').Results} Results
 * @typedef {import('./results.js').Row} Row
 * @typedef {import('./paper.js').Saving} Saving
 * @typedef {'process' | 'thread' | 'zygote' | 'mark' | 'seeds' | 'identical'} Column
 * @typedef {Partial<Record<Column, string>>} Cells
 *
 * @typedef {object} Answer
 * @property {string} question
 * @property {string} paper in one cell @property {Cells} then the paper's figures, each under what it is of
 * @property {Cells} here
 * @property {string} verdict does what the paper found still hold?
 */

export const NONE = '–';

/** What was compared: engines, and processes with KSM by level. @type {Readonly<Record<Column, string>>} */
export const COLUMNS = Object.freeze({
  process: 'process',
  thread: 'thread',
  zygote: 'zygote',
  mark: 'process + KSM: marked',
  seeds: '+ KSM: seeds',
  identical: '+ KSM: identical',
});
const ENGINES = /** @type {const} */ (['process', 'thread', 'zygote']);
const LEVELS = /** @type {const} */ (['mark', 'seeds', 'identical']);

/**
 * @param {Row} row @returns {Column | undefined} where it belongs; the column of an engine holds what
 *   has no level
 */
export function columnOf({ variant, engine, level }) {
  if (level) return LEVELS.find((one) => one === level);
  return ENGINES.find((one) => one === engine && one === variant);
}

/** @param {Results} results @returns {Answer[]} of the experiments that are in the results */
export function answers(results) {
  return [
    ...creation(results),
    ...against(results, 'memory', 'pss', 'Memory (PSS)', PAPER.threadMemorySaving),
    ...merged(results),
    ...against(results, 'runtime', 'total', 'Run time', PAPER.threadTimeSaving),
  ];
}

/** @param {Results} results @returns {Answer[]} */
function creation({ rows }) {
  const ready = (/** @type {string} */ engine) =>
    rows.find(
      (row) => row.scenario === 'startup' && row.metric === 'ready' && row.variant === engine,
    );
  if (!ENGINES.some(ready)) return [];
  const here = ENGINES.flatMap((engine) => {
    const row = ready(engine);
    return row ? [[engine, `${digits(row.median)} ms`]] : [];
  });
  const [one, other] = [ready('process'), ready('thread')];
  const before = Math.round(PAPER.processMs / PAPER.threadMs);
  const verdict =
    one && other
      ? `a process takes ${digits(one.median / other.median)} times as long as a thread, then ${before} times`
      : NONE;
  const { processMs, threadMs } = PAPER;
  return [
    {
      question: 'Creating a worker, until it is ready',
      paper: `process ${processMs} ms, thread ${threadMs} ms`,
      then: { process: `${processMs} ms`, thread: `${threadMs} ms` },
      here: Object.fromEntries(here),
      verdict,
    },
  ];
}

/** @param {readonly number[]} range */
const less = ([low, high]) => `${low} to ${high} % less`;

/** @param {number} percent */
const share = (percent) => String(Number(percent.toFixed(1)));

/** @param {Results} results @param {Saving[]} found over the numbers of games @returns {string} */
function spread({ method }, found) {
  const percents = found.map(({ percent }) => percent);
  const [least, most] = [Math.min(...percents), Math.max(...percents)];
  let text = `${share(-least)} % more to ${share(most)} % less`;
  if (share(least) === share(most))
    text = `${share(Math.abs(most))} % ${most < 0 ? 'more' : 'less'}`;
  else if (most < 0) text = `${share(-most)} to ${share(-least)} % more`;
  else if (least >= 0) text = `${share(least)} to ${share(most)} % less`;
  if (found.some(({ significant }) => significant)) return text;
  return method.runs < MIN_RUNS ? `${text} (too few runs)` : `no difference seen (${text})`;
}

/** @param {Results} results @param {Saving[]} found @param {readonly number[]} range of the paper @returns {string} */
function holds({ method }, found, [low, high]) {
  if (found.length === 0) return NONE;
  if (method.runs < MIN_RUNS)
    return `${method.runs} ${method.runs === 1 ? 'run is' : 'runs are'} too few to say`;
  const sure = found.filter(({ significant }) => significant);
  if (sure.length === 0) return 'no: no difference seen';
  const [least, most] = [
    Math.min(...found.map(({ percent }) => percent)),
    Math.max(...found.map(({ percent }) => percent)),
  ];
  if (most <= 0) return 'no: it is the other way round';
  if (most < low) return 'hardly: less than then';
  if (least > high) return 'yes, and more than then';
  return least >= low && most <= high ? 'yes' : 'in part';
}

/**
 * @param {Results} results @param {string} scenario @param {string} metric
 * @param {string} what @param {readonly number[]} range
 * @returns {Answer[]}
 */
function against(results, scenario, metric, what, range) {
  const found = ['thread', 'zygote'].map((engine) => ({
    engine,
    mine: savings(results, scenario, metric, (row) => row.variant === engine, labelOf),
  }));
  const all = found.flatMap(({ mine }) => mine);
  if (all.length === 0) return [];
  const here = found
    .filter(({ mine }) => mine.length > 0)
    .map(({ engine, mine }) => [engine, spread(results, mine)]);
  return [
    {
      question: `${what} against processes, ${gamesOf(all)}`,
      paper: `threads ${less(range)}`,
      then: { thread: less(range) },
      here: Object.fromEntries(here),
      verdict: holds(results, found[0].mine, range),
    },
  ];
}

/** @param {Saving[]} found */
function gamesOf(found) {
  const workers = found.map((one) => one.workers);
  const [least, most] = [Math.min(...workers), Math.max(...workers)];
  return `${least === most ? least : `${least} to ${most}`} games`;
}

/**
 * What KSM takes off, at a level: of the paper's TV (scenario `memory`), or else of scenario `ksm`.
 * @param {Results} results @param {string} level @returns {Saving[]}
 */
export function ksmSavings(results, level) {
  const of = (/** @type {Row} */ row) => row.level === level;
  const found = savings(results, 'memory', 'pss', of, labelOf);
  return found.length > 0 ? found : savings(results, 'ksm', 'pss', of, labelOf);
}

/** @param {Results} results @returns {Answer[]} */
function merged(results) {
  const found = LEVELS.map((level) => ({ level, mine: ksmSavings(results, level) })).filter(
    ({ mine }) => mine.length > 0,
  );
  if (found.length === 0) return [];
  const marked = found.find(({ level }) => level === 'mark')?.mine ?? [];
  return [
    {
      question: `Memory of processes with KSM against without, ${gamesOf(found.flatMap(({ mine }) => mine))}`,
      paper: `processes ${less(PAPER.ksmSaving)}`,
      then: { mark: less(PAPER.ksmSaving) },
      here: Object.fromEntries(found.map(({ level, mine }) => [level, spread(results, mine)])),
      // What the paper did is this package's level `mark`.
      verdict: holds(results, marked, PAPER.ksmSaving),
    },
  ];
}

/** @param {Results} results @returns {string} a block a question: a line would be too long */
export function formatAnswers(results) {
  const width = 24;
  const lines = answers(results).flatMap(({ question, paper, here, verdict }) => [
    '',
    `  ${question}`,
    `    ${'paper'.padEnd(width)} ${paper}`,
    ...Object.entries(COLUMNS)
      .filter(([column]) => here[/** @type {Column} */ (column)])
      .map(([column, name]) => `    ${name.padEnd(width)} ${here[/** @type {Column} */ (column)]}`),
    ...(verdict === NONE ? [] : [`    ${'does it still hold?'.padEnd(width)} ${verdict}`]),
  ]);
  const head = [`“${PAPER.title}” (2013)`, `  ${PAPER.machine}`];
  return [...head, ...lines, ''].join('\n');
}
