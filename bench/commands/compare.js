/** Compares two results files, and finds the rows that became worse. */
import { SWITCH, TEXT } from '../../app/config/flags.js';
import { alignColumns } from '../../ksm/table.js';
import { compareSamples } from '../report/comparisons.js';
import { MIN_RUNS } from '../report/results.js';
import { count, digits, labelOf, range, verdictText } from '../report/text.js';
import { readResults, usage, whole } from './common/usage.js';

const THRESHOLD_PERCENT = 5;

export const help = `pitv bench compare A.json B.json [options]
    lists what became better or worse from A to B, two files of run --json; exits with 1 if there is a regression
    --json            prints the comparison as JSON
    --threshold N     percent, 0..1000; a significant deterioration by more than that is a regression; default ${THRESHOLD_PERCENT}
`;

export const options = /** @type {const} */ ({ json: SWITCH, threshold: TEXT });
export const operands = [2, 2];

/** @param {{threshold?: string, json?: boolean}} values @param {string[]} files */
export async function run(values, files) {
  const threshold = whole('threshold', values.threshold, 0, 1000) ?? THRESHOLD_PERCENT;
  const [a, b] = files.map(readResults);
  const comparison = compareResults(a, b, threshold);
  const { changes, withoutRatio } = comparison;
  if (changes.length + withoutRatio.length === 0)
    throw usage('The two files have no row in common.');
  const text = values.json
    ? `${JSON.stringify(comparison, undefined, 2)}\n`
    : formatComparison(comparison, a, b, threshold);
  process.stdout.write(text);
  return changes.some(({ change }) => change === 'regression') ? 1 : 0;
}

/**
 * @typedef {import('../report/results.js').Row} Row
 * @typedef {import('../report/results.js').Results} Results
 * @typedef {ReturnType<typeof compareResults>} Comparison
 */

/** @param {Row} row */
const nameOf = (row) => `${row.scenario} ${row.metric}: ${labelOf(row)}`;

/**
 * Compares the rows that both files have. They are not paired, because they were not measured in the same rounds. So a
 * change of the machine also counts as a difference.
 * @param {Results} a before @param {Results} b after
 * @param {number} threshold percent; a significant deterioration by more than that is a regression
 */
export function compareResults(a, b, threshold) {
  const before = new Map(a.rows.map((row) => [nameOf(row), row]));
  const pairs = b.rows.flatMap((row) => {
    const old = before.get(nameOf(row));
    return old ? [{ old, row }] : [];
  });
  /** @type {string[]} */
  const withoutRatio = [];
  const changes = pairs.flatMap(({ old, row }) => {
    const options = { unit: row.unit, paired: false, count: pairs.length };
    const found = compareSamples(row.samples, old.samples, options);
    if (!found) {
      const medians = `${digits(old.median)} -> ${digits(row.median)} ${row.unit}`;
      withoutRatio.push(`${nameOf(row)}: ${medians}`);
      return [];
    }
    const worse = row.better === 'lower' ? found.ratio : 1 / found.ratio;
    const change = changeOf(found.verdict, worse, threshold);
    const n = Math.min(row.samples.length, old.samples.length);
    return {
      name: nameOf(row),
      unit: row.unit,
      before: old.median,
      after: row.median,
      n,
      change,
      ...found,
    };
  });
  const names = (/** @type {Row[]} */ rows, /** @type {Row[]} */ others) => {
    const known = others.map(nameOf);
    return rows.map(nameOf).filter((name) => !known.includes(name));
  };
  return { changes, withoutRatio, onlyInA: names(a.rows, b.rows), onlyInB: names(b.rows, a.rows) };
}

/**
 * @param {import('../stats/ratio.js').Verdict} verdict
 * @param {number} worse ratio, above 1 if it became worse @param {number} threshold percent
 * @returns {'same' | 'unclear' | 'better' | 'worse' | 'regression'}
 */
function changeOf(verdict, worse, threshold) {
  if (verdict === 'no') return 'same';
  if (verdict === 'cannot say') return 'unclear';
  if (worse < 1) return 'better';
  return worse > 1 + threshold / 100 ? 'regression' : 'worse';
}

/** @type {Record<string, string>} */
const WORDS = {
  better: 'better',
  worse: 'worse, within the threshold',
  regression: 'REGRESSION',
};

/** Lists facts that differ between the machines. @param {Results} a @param {Results} b @returns {string[]} */
const differences = (a, b) =>
  Object.entries(a.machine)
    .map(([fact, before]) => ({ fact, before, after: Reflect.get(b.machine, fact) }))
    .filter(({ before, after }) => Object(before) !== before && before !== after)
    .map(({ fact, before, after }) => `${fact}: ${before} before, ${after} after`);

/**
 * Formats a comparison for a terminal.
 * @param {Comparison} comparison @param {Results} a @param {Results} b
 * @param {number} threshold percent
 */
export function formatComparison({ changes, withoutRatio, onlyInA, onlyInB }, a, b, threshold) {
  const rows = changes.map((one) => [
    `  ${one.name}`,
    digits(one.before),
    `-> ${digits(one.after)} ${one.unit}`,
    `${digits(one.ratio)} x (${range(one.ci95)})`,
    WORDS[one.change] ?? verdictText(one),
  ]);
  const lines = alignColumns(rows, (i) => i === 1);
  lines.push(...withoutRatio.map((text) => `  ${text} (not compared: a value is not above 0)`));
  lines.push(...onlyInA.map((name) => `  ${name}: only in the first file`));
  lines.push(...onlyInB.map((name) => `  ${name}: only in the second file`));
  lines.push(...differences(a, b).map((text) => `  warning: ${text}`));
  const runs = Math.min(a.method.runs, b.method.runs);
  if (runs < MIN_RUNS) {
    lines.push(`  warning: fewer than ${MIN_RUNS} runs find only large differences`);
  }
  const bad = changes.filter(({ change }) => change === 'regression').length;
  const worse = `${count(bad, 'regression')} of more than ${threshold} %`;
  return [...lines, '', `  ${worse} among ${changes.length} rows.`, ''].join('\n');
}
