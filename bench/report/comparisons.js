/** Compares rows of results with their references. */
import { compareSeries } from '../stats/ratio.js';
import { hasValues, labelOf } from './text.js';

/** The level of both claims, "different" and "equal". */
export const SIGNIFICANCE = 0.01;
/** Series are equal if their ratio differs from 1 by less than this, percent. Memory varies less than time. */
const MARGIN_PERCENT = 5;
const MEMORY_MARGIN_PERCENT = 2;
const MEMORY_UNITS = ['KiB', 'MiB'];

/**
 * @typedef {import('../harness/scenarios.js').Configuration} Configuration
 * @typedef {import('../harness/run.js').Plan} Plan
 * @typedef {import('./results.js').Row} Row
 *
 * @typedef {object} Compared what is compared, paired by round
 * @property {string} scenario @property {string} metric
 * @property {string} a @property {string} b the two configurations
 * @property {number} n number of rounds that have both
 *
 * @typedef {Compared & NonNullable<ReturnType<typeof compareSamples>>} Comparison
 */

const FIELDS = /** @type {const} */ (['variant', 'node', 'engine', 'level', 'workers', 'n']);

/**
 * Finds the row with which another row is compared. It has the same n and Node.js, matches the scenario's reference,
 * and has the most other fields in common with the row.
 * @param {Row} row @param {Row[]} rows of the same scenario and metric
 * @param {string | Partial<Configuration> | undefined} reference
 * @returns {Row | undefined}
 */
function referenceRow(row, rows, reference) {
  if (reference === undefined) return undefined;
  const asked = typeof reference === 'string' ? { variant: reference } : reference;
  const likeness = (/** @type {Row} */ other) =>
    FIELDS.filter((field) => other[field] === row[field]).length;
  const [nearest] = rows
    .filter((other) => other.n === row.n && other.node === row.node)
    .filter((other) => [row.workers, null].includes(other.workers))
    .filter((other) => hasValues(other, asked))
    .sort((one, other) => likeness(other) - likeness(one));
  return nearest === row ? undefined : nearest;
}

/** Compares every row with its reference. @param {Plan[]} plans @param {Row[]} rows @returns {Comparison[]} */
export function compareRows(plans, rows) {
  const pairs = plans.flatMap(({ scenario }) => {
    const own = rows.filter((row) => row.scenario === scenario.name);
    return own
      .filter((row) => scenario.metrics.find(({ name }) => name === row.metric)?.compare !== false)
      .flatMap((row) => {
        const alike = own.filter(({ metric }) => metric === row.metric);
        const base = referenceRow(row, alike, scenario.reference);
        return base ? [{ row, base }] : [];
      });
  });
  return pairs.flatMap(({ row, base }) => {
    const rounds = row.rounds.filter((round) => base.rounds.includes(round));
    const [mine, theirs] = [row, base].map(({ samples, rounds: all }) =>
      rounds.map((round) => samples[all.indexOf(round)]),
    );
    const { scenario, metric, unit } = row;
    const found = compareSamples(mine, theirs, { unit, paired: true, count: pairs.length });
    return found
      ? { scenario, metric, a: labelOf(row), b: labelOf(base), n: rounds.length, ...found }
      : [];
  });
}

/**
 * Compares two series of samples.
 * @param {number[]} a @param {number[]} b
 * @param {{unit: string, paired: boolean, count: number}} options paired: a[i] and b[i] were taken in the same round;
 *   count: of all comparisons, by which the level is divided (Bonferroni)
 * @returns undefined if they have no ratio
 */
export function compareSamples(a, b, { unit, paired, count }) {
  const margin = MEMORY_UNITS.includes(unit) ? MEMORY_MARGIN_PERCENT : MARGIN_PERCENT;
  const ratio = compareSeries(a, b, { paired, margin, level: SIGNIFICANCE / count });
  return ratio && { margin, ...ratio };
}

/** Returns the comparison of a row with its reference. @param {Row} row @param {Comparison[]} comparisons */
export const comparisonOf = ({ scenario, metric, ...row }, comparisons) =>
  comparisons.find((one) => hasValues(one, { scenario, metric, a: labelOf(row) }));
