/** Two results files against each other: which rows became worse, beyond chance and a threshold. */
import { MIN_RUNS, judge, labelOf } from '../report/results.js';
import { mannWhitney, ratioOfMedians } from './stats.js';
import { digits, range } from '../report/text.js';

/**
 * @typedef {import('../report/results.js').Row} Row
 * @typedef {import('../report/results.js').Results} Results
 *
 * @typedef {object} Change
 * @property {string} scenario @property {string} metric @property {string} unit @property {string} label
 * @property {number} before @property {number} after medians
 * @property {number} ratio after / before @property {[number, number]} ci95
 * @property {number} p @property {number} pHolm @property {boolean} significant
 * @property {'same' | 'better' | 'worse' | 'regression'} verdict
 */

/** @param {Row} row */
const keyOf = (row) => `${row.scenario}\0${row.metric}\0${labelOf(row)}`;

/**
 * Not paired: the two were not measured side by side. What changed on the machine in between counts
 * as a difference too.
 * @param {Results} a before @param {Results} b after
 * @param {number} threshold percent; a significant change for the worse beyond it is a regression
 * @returns {{changes: Change[], onlyInA: string[], onlyInB: string[]}}
 */
export function compareResults(a, b, threshold) {
  const before = new Map(a.rows.map((row) => [keyOf(row), row]));
  const after = new Map(b.rows.map((row) => [keyOf(row), row]));
  const found = b.rows.flatMap((row) => {
    const old = before.get(keyOf(row));
    const apart = old && ratioOfMedians(row.samples, old.samples, { seed: b.method.seed });
    if (!apart) return [];
    const { scenario, metric, unit, better } = row;
    const medians = { before: old.median, after: row.median };
    const { p } = mannWhitney(row.samples, old.samples);
    return { scenario, metric, unit, better, label: labelOf(row), ...medians, ...apart, p };
  });
  const changes = judge(found).map(({ better, ...one }) => {
    const worse = better === 'lower' ? one.ratio : 1 / one.ratio;
    /** @type {Change['verdict']} */
    let verdict = 'same';
    if (one.significant) {
      verdict = worse < 1 ? 'better' : worse > 1 + threshold / 100 ? 'regression' : 'worse';
    }
    return { ...one, verdict };
  });
  const names = (/** @type {Row[]} */ rows, /** @type {Map<string, Row>} */ other) =>
    rows
      .filter((row) => !other.has(keyOf(row)))
      .map((row) => `${row.scenario} ${row.metric}: ${labelOf(row)}`);
  return { changes, onlyInA: names(a.rows, after), onlyInB: names(b.rows, before) };
}

const WORDS = {
  same: 'no difference seen',
  better: 'better',
  worse: 'worse, within the threshold',
  regression: 'REGRESSION',
};

/** What makes two files hard to compare. @param {Results} a @param {Results} b @returns {string[]} */
function differences(a, b) {
  const facts = /** @type {const} */ ([
    'board',
    'cpu',
    'cores',
    'arch',
    'kernel',
    'node',
    'governor',
    'hugePages',
    'aslr',
    'pageSize',
  ]);
  return facts
    .filter((fact) => a.machine[fact] !== b.machine[fact])
    .map((fact) => `${fact}: ${a.machine[fact]} before, ${b.machine[fact]} after`);
}

/**
 * @param {ReturnType<typeof compareResults>} comparison @param {Results} a @param {Results} b
 * @param {number} threshold percent
 */
export function formatComparison({ changes, onlyInA, onlyInB }, a, b, threshold) {
  const width =
    Math.max(
      0,
      ...changes.map(({ scenario, metric, label }) => `${scenario} ${metric} ${label}`.length),
    ) + 2;
  const lines = changes.map((one) => {
    const name = `${one.scenario} ${one.metric}: ${one.label}`.padEnd(width);
    const medians = `${digits(one.before).padStart(9)} ->${digits(one.after).padStart(9)} ${one.unit}`;
    return `  ${name} ${medians.padEnd(30)} ${digits(one.ratio)} x (${range(one.ci95)})  ${WORDS[one.verdict]}`;
  });
  lines.push(...onlyInA.map((name) => `  ${name}: only in the first file`));
  lines.push(...onlyInB.map((name) => `  ${name}: only in the second file`));
  lines.push(...differences(a, b).map((text) => `  warning: ${text}`));
  const runs = Math.min(a.method.runs, b.method.runs);
  if (runs < MIN_RUNS) {
    lines.push(`  warning: fewer than ${MIN_RUNS} runs: hardly any difference can be seen`);
  }
  const bad = changes.filter(({ verdict }) => verdict === 'regression').length;
  const worse = `${bad} ${bad === 1 ? 'regression' : 'regressions'} of more than ${threshold} %`;
  return [...lines, '', `  ${worse} among ${changes.length} rows.`, ''].join('\n');
}
