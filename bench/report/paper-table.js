/** Compares measurements with those of the paper (see paper.js), and decides whether its findings still hold. */
import { PAPER, savings } from './paper.js';
import { cannotSay, digits, groupBy, labelOf } from './text.js';

/**
 * @typedef {import('./results.js').Results} Results
 * @typedef {import('./results.js').Row} Row
 * @typedef {import('./paper.js').Saving} Saving
 * @typedef {'process' | 'thread' | 'zygote' | 'mark' | 'seeds' | 'identical'} Column
 * @typedef {Partial<Record<Column, string>>} Cells
 *
 * @typedef {object} Answer
 * @property {string} question
 * @property {string} paper the paper's figures in one cell @property {Cells} then the paper's figures by column
 * @property {Cells} here the measured figures by column
 * @property {string} verdict whether the paper's finding still holds
 */

export const NONE = '–';

/** The engines, and processes with KSM by level. @type {Readonly<Record<Column, string>>} */
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
 * Finds the column of a row. An engine's column holds only rows without a level.
 * @param {Row} row
 * @returns {Column | undefined}
 */
export function columnOf({ variant, engine, level }) {
  if (level) return LEVELS.find((one) => one === level);
  return ENGINES.find((one) => one === engine && one === variant);
}

/**
 * Compares results with the paper's, for each experiment that the results contain.
 * @param {Results} results @returns {Answer[]}
 */
export function answers(results) {
  return [
    ...creation(results),
    ...against(results, 'memory', 'pss', 'Memory (PSS)', PAPER.threadMemorySaving),
    ...merged(results),
    ...against(results, 'runtime', 'total', 'Run time', PAPER.threadTimeSaving),
  ];
}

/** Questions by variant of the scenario `startup`. */
const STARTS = {
  'on demand': 'Creating a worker on demand, until it is ready',
  spare: 'Creating a worker from a spare, until it is ready',
  '8 at once': 'Creating 8 workers at once, until the last is ready',
};

/** Compares the creation of workers. @param {Results} results @returns {Answer[]} */
function creation(results) {
  return Object.entries(STARTS).flatMap(([variant, question]) =>
    started(results, variant, question),
  );
}

/** @param {Results} results @param {string} variant @param {string} question @returns {Answer[]} */
function started({ rows }, variant, question) {
  const ready = (/** @type {string} */ engine) =>
    rows.find(
      (row) =>
        row.scenario === 'startup' &&
        row.metric === 'ready' &&
        row.variant === variant &&
        row.engine === engine,
    );
  if (!ENGINES.some(ready)) return [];
  const here = ENGINES.flatMap((engine) => {
    const row = ready(engine);
    return row ? [[engine, `${digits(row.median)} ms`]] : [];
  });
  const { processMs, threadMs } = PAPER;
  const measuredByPaper = variant === 'on demand';
  return [
    {
      question,
      paper: measuredByPaper ? `process ${processMs} ms, thread ${threadMs} ms` : NONE,
      then: measuredByPaper ? { process: `${processMs} ms`, thread: `${threadMs} ms` } : {},
      here: Object.fromEntries(here),
      verdict: creationRatios(ready('process'), ready('thread'), ready('zygote'), measuredByPaper),
    },
  ];
}

/**
 * Describes how many times as long the slower engines take.
 * @param {Row | undefined} process @param {Row | undefined} thread @param {Row | undefined} zygote
 * @param {boolean} measuredByPaper
 */
function creationRatios(process, thread, zygote, measuredByPaper) {
  const times = (/** @type {Row} */ one, /** @type {Row} */ other) =>
    `${digits(one.median / other.median)} times as long as a ${other.engine}`;
  const then = measuredByPaper
    ? `, then ${Math.round(PAPER.processMs / PAPER.threadMs)} times`
    : '';
  const ratios = [
    ...(process && thread ? [`a process takes ${times(process, thread)}${then}`] : []),
    ...(process && zygote ? [`a process takes ${times(process, zygote)}`] : []),
    ...(thread && zygote ? [`a thread takes ${times(thread, zygote)}`] : []),
  ];
  return ratios.length === 0 ? NONE : ratios.join('; ');
}

/** @param {readonly number[]} range */
const less = ([low, high]) => `${low} to ${high} % less`;

/** @param {number} percent */
const share = (percent) => String(Number(percent.toFixed(1)));

/**
 * Describes savings. Parts with different verdicts are described separately.
 * @param {Saving[]} found over the numbers of games
 * @returns {string}
 */
const spread = (found) =>
  inParts(
    found,
    ({ verdict, percent }) => `${verdict}${verdict === 'yes' && percent < 0}`,
    describe,
  );

/** @param {Saving[]} some with the same verdict @returns {string} */
function describe(some) {
  const [{ verdict, n, margin }] = some;
  const text = rangeText(some.map(({ percent }) => percent));
  if (verdict === 'yes') return text;
  if (verdict === 'no') return `no difference (${text}; equal within ${margin} %)`;
  return `${text}, ${cannotSay(
    n,
    some.map(({ detectable }) => detectable),
  )}`;
}

/** @param {number[]} percents savings @returns {string} */
function rangeText(percents) {
  const [least, most] = [Math.min(...percents), Math.max(...percents)];
  if (share(least) === share(most)) {
    return `${share(Math.abs(most))} % ${most < 0 ? 'more' : 'less'}`;
  }
  if (most < 0) return `${share(-most)} to ${share(-least)} % more`;
  if (least >= 0) return `${share(least)} to ${share(most)} % less`;
  return `${share(-least)} % more to ${share(most)} % less`;
}

/**
 * Decides whether a finding of the paper still holds.
 * @param {Saving[]} found @param {readonly number[]} range of the paper, percent
 * @returns {string}
 */
function holds(found, range) {
  if (found.length === 0) return NONE;
  return inParts(
    found,
    (one) => judgeSaving(one, range),
    (some) => {
      const [{ verdict, n }] = some;
      if (verdict === 'cannot say')
        return cannotSay(
          n,
          some.map(({ detectable }) => detectable),
        );
      return judgeSaving(some[0], range);
    },
  );
}

/** @param {Saving} saving @param {readonly number[]} range of the paper, percent @returns {string} */
function judgeSaving({ verdict, margin, percent, ci95 }, [low, high]) {
  if (verdict === 'cannot say') return verdict;
  if (verdict === 'no') return `no: equal within ${margin} %`;
  if (percent < 0) return 'no: more, not less';
  if (ci95[1] < low) return 'less than then';
  return ci95[0] > high ? 'more than then' : 'yes';
}

/**
 * Describes savings in groups. If there are several groups, each one states its numbers of games.
 * @param {Saving[]} found @param {(saving: Saving) => string} key of the group @param {(some: Saving[]) => string} text
 */
function inParts(found, key, text) {
  const groups = [...groupBy(found, key).values()];
  if (groups.length === 1) return text(groups[0]);
  return groups.map((some) => `${gamesText(some)}: ${text(some)}`).join('; ');
}

/** @param {Saving[]} some @returns {string} such as "1, 2 and 4 games" */
function gamesText(some) {
  const counts = some.map(({ workers }) => workers);
  const last = counts.at(-1);
  const list = counts.length === 1 ? `${last}` : `${counts.slice(0, -1).join(', ')} and ${last}`;
  return `${list} ${list === '1' ? 'game' : 'games'}`;
}

/**
 * Compares threads and zygotes with processes.
 * @param {Results} results @param {string} scenario @param {string} metric
 * @param {string} what @param {readonly number[]} range of the paper, percent
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
    .map(({ engine, mine }) => [engine, spread(mine)]);
  return [
    {
      question: `${what} against processes, ${gamesOf(all)}`,
      paper: `threads ${less(range)}`,
      then: { thread: less(range) },
      here: Object.fromEntries(here),
      verdict: holds(found[0].mine, range),
    },
  ];
}

/** @param {Saving[]} found */
function gamesOf(found) {
  const workers = found.map((one) => one.workers);
  const [least, most] = [Math.min(...workers), Math.max(...workers)];
  return `${least === most ? least : `${least} to ${most}`} ${most === 1 ? 'game' : 'games'}`;
}

/**
 * Lists the savings of KSM at a level: from the scenario `memory`, or else from `ksm`.
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
      here: Object.fromEntries(found.map(({ level, mine }) => [level, spread(mine)])),
      // The paper's KSM is our level `mark`.
      verdict: holds(marked, PAPER.ksmSaving),
    },
  ];
}

/** Formats the answers for a terminal. @param {Results} results @returns {string} */
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
