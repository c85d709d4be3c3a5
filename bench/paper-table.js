/** The paper's figures beside ours, as a table: in the terminal and at the top of the page. */
import { PAPER, savings } from './paper.js';
import { LEAST_RUNS, labelOf } from './results.js';
import { digits } from './text.js';

/**
 * @typedef {import('./results.js').Results} Results
 * @typedef {import('./paper.js').Saving} Saving
 *
 * @typedef {object} Answer
 * @property {string} question
 * @property {string} paper @property {string} process @property {string} thread @property {string} zygote
 * @property {string} verdict does what the paper found still hold?
 */

const NONE = '–';
const ENGINES = /** @type {const} */ (['process', 'thread', 'zygote']);

/** @param {Results} results @returns {Answer[]} of the experiments that are in the results */
export function answers(results) {
  return [
    ...creation(results),
    ...against(
      results,
      'memory',
      'pss',
      'Memory (PSS) against processes',
      PAPER.threadMemorySaving,
    ),
    ...against(results, 'runtime', 'total', 'Run time against processes', PAPER.threadTimeSaving),
    ...merged(results),
  ];
}

/** @param {Results} results @returns {Answer[]} */
function creation({ rows }) {
  const ready = (/** @type {string} */ engine) =>
    rows.find(
      (row) => row.scenario === 'startup' && row.metric === 'ready' && row.engine === engine,
    );
  if (!ENGINES.some(ready)) return [];
  const text = (/** @type {string} */ engine) => {
    const row = ready(engine);
    return row ? `${digits(row.median)} ms` : NONE;
  };
  const [one, other] = [ready('process'), ready('thread')];
  const then = Math.round(PAPER.processMs / PAPER.threadMs);
  const verdict =
    one && other
      ? `a process takes ${digits(one.median / other.median)} times as long as a thread, then ${then} times`
      : NONE;
  const { processMs, threadMs } = PAPER;
  return [
    {
      question: 'Creating a worker, until it is ready',
      paper: `process ${processMs} ms, thread ${threadMs} ms`,
      ...{ process: text('process'), thread: text('thread'), zygote: text('zygote'), verdict },
    },
  ];
}

/** @param {readonly number[]} range */
const less = ([low, high]) => `${low} to ${high} % less`;

/** @param {number} percent */
const share = (percent) => String(Number(percent.toFixed(1)));

/** @param {Saving[]} found over the numbers of games @returns {string} */
function spread(found) {
  if (found.length === 0) return NONE;
  const percents = found.map(({ percent }) => percent);
  const [least, most] = [Math.min(...percents), Math.max(...percents)];
  let text = `${share(-least)} % more to ${share(most)} % less`;
  if (most < 0) text = `${share(-most)} to ${share(-least)} % more`;
  else if (least >= 0) text = `${share(least)} to ${share(most)} % less`;
  return found.some(({ significant }) => significant) ? text : `no difference seen (${text})`;
}

/** @param {Results} results @param {Saving[]} found @param {readonly number[]} range of the paper @returns {string} */
function holds({ method }, found, [low, high]) {
  if (method.runs < LEAST_RUNS)
    return `${method.runs} ${method.runs === 1 ? 'run is' : 'runs are'} too few to say`;
  const sure = found.filter(({ significant }) => significant);
  if (found.length === 0) return NONE;
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
 * @param {string} question @param {readonly number[]} range
 * @returns {Answer[]}
 */
function against(results, scenario, metric, question, range) {
  const [process, thread, zygote] = ENGINES.map((engine) =>
    savings(results, scenario, metric, (row) => row.variant === engine, labelOf),
  );
  if (thread.length + zygote.length + process.length === 0) return [];
  return [
    {
      question: `${question}, ${gamesOf([...thread, ...zygote])} games`,
      paper: `threads ${less(range)}`,
      ...{ process: NONE, thread: spread(thread), zygote: spread(zygote) },
      verdict: holds(results, thread, range),
    },
  ];
}

/** @param {Saving[]} found */
function gamesOf(found) {
  const workers = found.map((one) => one.workers);
  const [least, most] = [Math.min(...workers), Math.max(...workers)];
  return least === most ? String(least) : `${least} to ${most}`;
}

/** @param {Results} results @returns {Answer[]} one a level of KSM */
function merged(results) {
  const levels = new Set(
    results.rows.flatMap((row) => (row.scenario === 'ksm' ? (row.level ?? row.variant) : [])),
  );
  levels.delete('off');
  return [...levels].flatMap((level) => {
    const of = (/** @type {import('./results.js').Row} */ row) =>
      (row.level ?? row.variant) === level;
    const found = savings(results, 'ksm', 'pss', of, labelOf);
    if (found.length === 0) return [];
    return {
      question: `Memory with KSM (${level}) against without, ${gamesOf(found)} games`,
      paper: `processes ${less(PAPER.ksmSaving)}`,
      ...{ process: spread(found), thread: NONE, zygote: NONE },
      verdict: holds(results, found, PAPER.ksmSaving),
    };
  });
}

const COLUMNS = /** @type {const} */ (['paper', 'process', 'thread', 'zygote', 'verdict']);
const HEADINGS = ['paper', 'here: process', 'thread', 'zygote', 'does it still hold?'];

/** @param {Results} results @returns {string} a block a question: a line would be too long */
export function formatAnswers(results) {
  const lines = answers(results).flatMap((answer) => [
    '',
    `  ${answer.question}`,
    ...COLUMNS.map((column, i) => `    ${HEADINGS[i].padEnd(20)} ${answer[column]}`).filter(
      (line) => !line.endsWith(NONE),
    ),
  ]);
  const head = [`“${PAPER.title}” (2013)`, `  ${PAPER.machine}`];
  return [...head, ...lines, ''].join('\n');
}

/** @param {Results} results @returns {string} the same as a table of Markdown */
export function markdownAnswers(results) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |`;
  const found = answers(results);
  return [
    line(['', ...HEADINGS]),
    line(HEADINGS.concat('').map(() => '---')),
    ...found.map((answer) => line([answer.question, ...COLUMNS.map((column) => answer[column])])),
    '',
  ].join('\n');
}
