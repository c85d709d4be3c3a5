/**
 * Writes the table of the paper (see paper.js) as Markdown, with the lines of one or more results files below its own.
 */
import { mergeRuns } from '../harness/merge-runs.js';
import { PAPER } from './paper.js';
import { COLUMNS, NONE, answers, columnOf } from './paper-table.js';
import { digits, isAslrOff, isEmulated, sourceLine, versionName } from './text.js';

/**
 * @typedef {import('./results.js').Results} Results
 * @typedef {import('./results.js').Row} Row
 * @typedef {import('./paper-table.js').Cells} Cells
 * @typedef {import('./paper-table.js').Column} Column
 *
 * @typedef {object} Figure a measured quantity
 * @property {string} question @property {(Cells | undefined)[]} here the cells of each file
 */

const KIB_PER_MIB = 1024;
const PAPER_LABEL = 'paper: Node 0.10, Pi B';

/**
 * Puts rows into their columns.
 * @param {Row[]} rows of one scenario, metric and number of workers @param {(row: Row) => string} text @returns {Cells}
 */
function cellsOf(rows, text) {
  return Object.fromEntries(
    rows.flatMap((row) => {
      const column = columnOf(row);
      return column ? [[column, text(row)]] : [];
    }),
  );
}

/**
 * Lists the medians of a metric.
 * @param {Results[]} files @param {string} scenario @param {string} metric
 * @param {(workers: number) => string} question @param {(row: Row) => string} text
 * @returns {Figure[]} one for each number of games
 */
function medians(files, scenario, metric, question, text) {
  const of = files.map(({ rows }) =>
    rows.filter((row) => row.scenario === scenario && row.metric === metric),
  );
  const counts = [...new Set(of.flat().map((row) => Number(row.workers)))].sort((a, b) => a - b);
  return counts.map((workers) => ({
    question: question(workers),
    here: of.map((rows) => {
      return cellsOf(
        rows.filter((row) => row.workers === workers),
        text,
      );
    }),
  }));
}

/** @param {number} workers */
const games = (workers) => `${workers} ${workers === 1 ? 'game' : 'games'}`;

/** Computes how much memory each further game adds. @param {Results[]} files @returns {Figure[]} */
function marginalMemory(files) {
  const here = files.map(({ rows }) => {
    const pss = rows.filter((row) => row.scenario === 'memory' && row.metric === 'pss');
    const [least, most] = [Math.min, Math.max].map((end) =>
      end(...pss.map((row) => Number(row.workers))),
    );
    if (!(most > least)) return {};
    const first = pss.filter((row) => row.workers === least);
    return cellsOf(
      pss.filter((row) => row.workers === most),
      (row) => {
        const other = first.find((one) => columnOf(one) === columnOf(row));
        if (!other) return NONE;
        return digits((row.median - other.median) / (most - least) / KIB_PER_MIB);
      },
    );
  });
  return [{ question: 'PSS of each further game, MiB', here }];
}

/**
 * Writes the table, whether the paper's findings still hold, and how each file was measured.
 * @param {Results[]} given results of `pitv bench paper`, or of its scenarios; see mergeRuns()
 * @param {{short?: boolean}} [options] short: without the figures behind the percentages
 * @returns {string}
 */
export function markdown(given, { short = false } = {}) {
  const files = mergeRuns(given);
  const found = files.map(answers);
  const columns = /** @type {Column[]} */ (Object.keys(COLUMNS)).filter((column) =>
    found.some((all) => all.some(({ here }) => here[column] !== undefined)),
  );
  const names = files.map((file, i) => nameOf(file, files, i));
  /** @param {string} first @param {string} of @param {Cells} [cells] */
  const line = (first, of, cells = {}) =>
    `| ${[first, of, ...columns.map((column) => cells[column] ?? NONE)].join(' | ')} |`;
  /** @param {Figure} figure */
  const block = ({ question, here }) =>
    here
      .flatMap((cells, i) => (Object.keys(cells ?? {}).length > 0 ? [{ cells, of: names[i] }] : []))
      .map(({ cells, of }, i) => line(i === 0 ? question : '', of, cells));
  const figures = short
    ? {}
    : {
        Memory: [
          ...medians(
            files,
            'memory',
            'pss',
            (workers) => `PSS with ${games(workers)}, MiB`,
            ({ median }) => digits(median / KIB_PER_MIB),
          ),
          ...marginalMemory(files),
        ],
        'Run time': [
          ...medians(
            files,
            'runtime',
            'total',
            (workers) => `Run time of ${games(workers)}, ms`,
            ({ median }) => digits(median),
          ),
          ...medians(
            files,
            'runtime',
            'overhead',
            (workers) => `Over the ideal, ${games(workers)}, %`,
            ({ median }) => digits(median),
          ),
        ],
      };
  const order = [...new Set(found.flat().map(topicOf))];
  const body = order.flatMap((topic) => {
    const mine = found.map((all) => all.find((answer) => topicOf(answer) === topic));
    const [any] = mine.filter((answer) => answer !== undefined);
    return [
      line(`**${any?.question}**`, PAPER_LABEL, any?.then),
      ...mine.flatMap((answer, i) => (answer ? line('', names[i], answer.here) : [])),
      ...(Reflect.get(figures, topic) ?? []).flatMap(block),
    ];
  });
  const head = [
    `| | | ${columns.map((column) => titleOf(column, files)).join(' | ')} |`,
    `|${' --- |'.repeat(columns.length + 2)}`,
  ];
  const parts = [[...head, ...body].join('\n')];
  if (!short) parts.push(verdicts(found, names));
  parts.push(files.map((file, i) => `${names[i]}: ${sourceLine(file)}`).join('\n\n'));
  parts.push(`Paper: “${PAPER.title}” (2013), ${PAPER.machine}.`);
  return `${parts.join('\n\n')}\n`;
}

/**
 * Returns the topic of a question, which does not depend on the number of games.
 * @param {import('./paper-table.js').Answer} answer
 */
const topicOf = ({ question }) =>
  question.match(/^(Creating[^,]*|Memory of|Memory|Run time)/)?.[0] ?? '';

/**
 * Returns the title of a column, which states if KSM was measured with ASLR off.
 * @param {Column} column @param {Results[]} files
 */
function titleOf(column, files) {
  const title = COLUMNS[column];
  const withoutAslr = files.every(({ machine }) => isAslrOff(machine));
  return title.includes('KSM') && withoutAslr ? `${title}, ASLR off` : title;
}

/** Names a file by its Node.js and machine. @param {Results} file @param {Results[]} files @param {number} i */
function nameOf({ machine }, files, i) {
  const { node, arch, board, cpu, virtual } = machine;
  const name = `Node ${versionName(machine)}${isEmulated(virtual) ? '' : `, ${board ?? arch}`}`;
  const same = files.filter(
    ({ machine }) => machine.node === node && machine.arch === arch && machine.cpu === cpu,
  );
  if (same.length === 1) return name;
  const { quick } = files[i].method;
  if (same.filter((one) => one.method.quick === quick).length > 1) return `${name} (${i + 1})`;
  return quick ? `${name}, quick run` : name;
}

/**
 * Lists which findings of the paper still hold.
 * @param {import('./paper-table.js').Answer[][]} found @param {string[]} names
 */
function verdicts(found, names) {
  const lines = found.flatMap((all, i) =>
    all
      .filter(({ verdict }) => verdict !== NONE)
      .map(
        ({ question, paper, verdict }) =>
          `- ${names[i]}. ${question}; paper: ${paper}. ${verdict[0].toUpperCase()}${verdict.slice(1)}.`,
      ),
  );
  return ['Does what the paper found still hold?', '', ...lines].join('\n');
}

const PLACE = /(<!-- pitv bench: paper((?:, [\w -]+?)*) -->)[\s\S]*?(<!-- end of pitv bench -->)/g;

/**
 * Puts the table between `<!-- pitv bench: paper -->` (or `paper, short`) and `<!-- end of pitv bench -->`. Places with
 * a name (`paper, armv6`) are filled only when that name is given.
 * @param {string} text of a Markdown file @param {Results[]} files
 * @param {string} [place] a name
 * @returns {string | undefined} undefined if there is no such place
 */
export function fillIn(text, files, place) {
  let found = false;
  const filled = text.replace(PLACE, (whole, start, words, end) => {
    const [...names] = words.split(', ').slice(1);
    const short = names.includes('short');
    if (names.filter((/** @type {string} */ name) => name !== 'short')[0] !== place) return whole;
    found = true;
    return `${start}\n\n${markdown(files, { short })}\n${end}`;
  });
  return found ? filled : undefined;
}
