/** The paper's table with ours below it, line by line, as Markdown: of one results file or of several. */
import { mergeRuns } from '../harness/merge-runs.js';
import { PAPER } from './paper.js';
import { COLUMNS, NONE, answers, columnOf } from './paper-table.js';
import { digits, isAslrOff, isEmulated, machineLine, methodLine } from './text.js';

/**
 * @typedef {import('./results.js').Results} Results
 * @typedef {import('./results.js').Row} Row
 * @typedef {import('./paper-table.js').Cells} Cells
 * @typedef {import('./paper-table.js').Column} Column
 *
 * @typedef {object} Figure what was measured, once for each file
 * @property {string} question @property {(Cells | undefined)[]} here of each file
 */

const KIB_PER_MIB = 1024;
const PAPER_LABEL = 'paper: Node 0.10, Pi B';

/** @param {Row[]} rows of one scenario, metric and number of workers @param {(row: Row) => string} text @returns {Cells} */
function cellsOf(rows, text) {
  return Object.fromEntries(
    rows.flatMap((row) => {
      const column = columnOf(row);
      return column ? [[column, text(row)]] : [];
    }),
  );
}

/**
 * The medians themselves.
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

/** @param {Results[]} files @returns {Figure[]} what each further game adds to the memory */
function eachFurther(files) {
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
 * @param {Results[]} given of `pitv bench paper`, or of its scenarios; see mergeRuns()
 * @param {{short?: boolean}} [options] short: without the figures behind the percentages
 * @returns {string} a table, what it was measured with, and what became of the paper's findings
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
          ...eachFurther(files),
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
  parts.push(files.map((file, i) => `${names[i]}: ${about(file)}`).join('\n\n'));
  return `${parts.join('\n\n')}\n`;
}

/** What belongs together, whatever numbers of games were measured. @param {import('./paper-table.js').Answer} answer */
const topicOf = ({ question }) =>
  question.match(/^(Creating|Memory of|Memory|Run time)/)?.[0] ?? '';

/** Gives the title of a column, which says if KSM was measured with ASLR off. @param {Column} column @param {Results[]} files */
function titleOf(column, files) {
  const title = COLUMNS[column];
  const withoutAslr = files.every(({ machine }) => isAslrOff(machine));
  return title.includes('KSM') && withoutAslr ? `${title}, ASLR off` : title;
}

/** @param {Results} file @param {Results[]} files @param {number} i */
function nameOf({ machine: { node, arch, board, cpu, virtual } }, files, i) {
  const version = node.replace(/^v/, '').split('.').slice(0, 2).join('.');
  const what = isEmulated(virtual)
    ? `emulated ${cpu?.match(/ARMv\d/)?.[0] ?? arch}`
    : (board ?? arch);
  const name = `Node ${version}, ${what}`;
  const same = files.filter(
    ({ machine }) => machine.node === node && machine.arch === arch && machine.cpu === cpu,
  );
  return same.length > 1 ? `${name} (${i + 1})` : name;
}

/** @param {import('./paper-table.js').Answer[][]} found @param {string[]} names */
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

/** @param {Results} file */
function about(file) {
  const day = file.startedAt.slice(0, 10);
  const cut = file.complete ? '' : '; cut short';
  return `${machineLine(file.machine)}; ${methodLine(file.method)}; ${day}${cut}. Paper: “${PAPER.title}” (2013), ${PAPER.machine}.`;
}

const PLACE = /(<!-- pitv bench: paper((?:, [\w -]+?)*) -->)[\s\S]*?(<!-- end of pitv bench -->)/g;

/**
 * Puts the table into the places that are made for it, `<!-- pitv bench: paper -->` (or `paper,
 * short`) to `<!-- end of pitv bench -->`; all else stays as it is. Places with a name of their own
 * (`paper, armv6`) are another machine's: they are filled where that name is given, and only they.
 * @param {string} text of a Markdown file @param {Results[]} files
 * @param {string} [place] a name
 * @returns {string | undefined} undefined when there is no such place
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
