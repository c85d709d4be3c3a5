/**
 * Quotes tables of bench/results/NAME.md, which other programs have printed (`make faults`, `make fuzz`), for the pages
 * of robustness and of the fleet. To replace the figures, replace the file.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable } from '../markdown.js';
import { findTables } from './pages.js';

/**
 * @typedef {object} Log the output of a program
 * @property {string[]} head @property {string[][]} rows of its first table
 * @property {string} conditions its list of command, commit, machine and load, in one line
 */

const CONDITION = /^- ((?:Command|Commit|Machine|Load average).*)$/gm;

/** Reads a log. @param {string} root @param {string} name @returns {Log | undefined} undefined if there is none */
function readLog(root, name) {
  const file = join(root, `bench/results/${name}.md`);
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  const [table] = findTables(text);
  const conditions = [...text.matchAll(CONDITION)].map(([, line]) => line);
  if (!table || conditions.length === 0)
    throw new Error(`${name}.md has no table or no conditions`);
  return { head: table.head, rows: table.rows, conditions: `${conditions.join('; ')}.` };
}

/**
 * Writes a table of a log.
 * @param {Log} log @param {string[]} [columns] titles, default all, which may be equal
 * @param {string[]} [lines] first cells, default all
 */
function quote({ head, rows, conditions }, columns = head, lines = rows.map(([first]) => first)) {
  const at = columns.map((title, i) => (columns === head ? i : head.indexOf(title)));
  const chosen = rows.filter(([first]) => lines.includes(first));
  if (at.includes(-1) || chosen.length < lines.length) throw new Error('the log has other titles');
  const table = markdownTable(
    columns,
    chosen.map((row) => at.map((i) => row[i])),
  );
  return `${table}\n\n${conditions}`;
}

const FAULTS = ['Fault', 'n', 'back p50, ms', 'p99', 'max', '> 1 s'];
const FAULT_LINES = [
  'worker killed',
  'worker hung',
  'worker stopped',
  'worker out of memory',
  'zygote and worker killed',
  'no descriptors, worker killed',
  'disk full, worker killed',
  'clock jumps, worker killed',
  'main killed',
  'disk slow, main killed',
  'all',
];

/** Writes the tables of the logs. @param {string} root @returns {Map<string, string>} by their place */
export function logTables(root) {
  const contents = new Map();
  const faults = readLog(root, 'faults');
  if (faults) contents.set('table faults', quote(faults, FAULTS, FAULT_LINES));
  for (const name of ['packages', 'fleet-failures']) {
    const log = readLog(root, name);
    if (log) contents.set(`table ${name}`, quote(log));
  }
  return contents;
}

/**
 * Prepares the plot of the faults. Their samples are not stored, so it shows three values of each.
 * @param {string} root
 * @returns {Map<string, import('../plot.js').Plot>} by name
 */
export function logPlots(root) {
  const faults = readLog(root, 'faults');
  if (!faults) return new Map();
  const marks = faults.rows
    .map((row) => FAULTS.map((title) => row[faults.head.indexOf(title)]))
    .filter(([fault]) => fault !== 'all')
    .map(([fault, n, ...times]) => {
      const [p50, p99, max] = times.map(Number);
      const tone = fault.includes('main') ? 'process' : 'zygote';
      return {
        label: `${fault} (${n})`,
        tone,
        value: p50,
        interval: /** @type {[number, number]} */ ([p50, p99]),
        samples: [max],
      };
    })
    .toSorted((a, b) => a.value - b.value);
  const title = 'Time until a match goes on after a fault';
  const legend =
    'In brackets: n. Tick: median. Line: from the median to the 99th percentile. Dot: the longest time.';
  const notes = [legend, faults.conditions.replaceAll('`', '')];
  const groups = [{ title: '', marks }];
  return new Map([['robustness', { title, unit: 'ms', groups, notes }]]);
}
