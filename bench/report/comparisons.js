/** Compares rows of results with their references, and adds verdicts. */
import { holm, ratioOfMedians } from '../stats/stats.js';
import { assess, detectableByInterval } from '../stats/verdict.js';
import { hasValues, labelOf } from './text.js';

/** The level of both claims, "different" and "equal". */
export const SIGNIFICANCE = 0.01;
/** Medians are equal if their ratio differs from 1 by less than this, percent. Memory varies less than time. */
const MARGIN_PERCENT = 5;
const MEMORY_MARGIN_PERCENT = 2;
const MEMORY_UNITS = ['KiB', 'MiB'];

/**
 * @typedef {import('../harness/scenarios.js').Configuration} Configuration
 * @typedef {import('../harness/run.js').Plan} Plan
 * @typedef {import('./results.js').Row} Row
 *
 * @typedef {'yes' | 'no' | 'cannot say'} Verdict whether there is a difference
 *
 * @typedef {object} Judged the results of the tests of two series of samples
 * @property {number} p p-value: they are equal @property {number} pHolm corrected for all comparisons of the results
 * @property {boolean} significant pHolm is small, and the interval of the ratio excludes 1
 * @property {number} margin percent; ratios within it count as equal
 * @property {number} pEqual p-value: they differ by the margin or more @property {number} pEqualHolm
 * @property {Verdict} verdict
 * @property {number | null} detectable percent; null: too few samples to find any difference
 *
 * @typedef {object} Pair two configurations and the ratio of their medians
 * @property {string} scenario @property {string} metric
 * @property {string} a @property {string} b the two configurations
 * @property {number} n number of rounds that have both
 * @property {number} ratio median of a / median of b, paired by round
 * @property {[number, number]} ci95 of the ratio
 *
 * @typedef {Pair & Judged} Comparison
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

/**
 * Compares every row with its reference.
 * @param {Plan[]} plans @param {Row[]} rows @param {number} seed @returns {Comparison[]}
 */
export function compareRows(plans, rows, seed) {
  const found = plans.flatMap(({ scenario }) => {
    const own = rows.filter((row) => row.scenario === scenario.name);
    return own
      .filter((row) => scenario.metrics.find(({ name }) => name === row.metric)?.compare !== false)
      .flatMap((row) => {
        const alike = own.filter(({ metric }) => metric === row.metric);
        const base = referenceRow(row, alike, scenario.reference);
        return base ? (compareSamples(row, base, seed) ?? []) : [];
      });
  });
  return judge(found);
}

/**
 * Compares two rows in the rounds that both have.
 * @param {Row} a @param {Row} b @param {number} seed
 * @returns {(Pair & Assessed) | undefined} undefined if they have no ratio
 */
function compareSamples(a, b, seed) {
  const other = new Map(b.rounds.map((round, i) => [round, b.samples[i]]));
  const common = a.rounds.flatMap((round, i) => {
    const theirs = other.get(round);
    return theirs === undefined ? [] : [{ mine: a.samples[i], theirs }];
  });
  if (common.length === 0) return undefined;
  const mine = common.map((pair) => pair.mine);
  const theirs = common.map((pair) => pair.theirs);
  const { scenario, metric, unit } = a;
  const tested = testSamples(mine, theirs, { unit, paired: true, seed });
  return tested && { scenario, metric, a: labelOf(a), b: labelOf(b), n: common.length, ...tested };
}

/**
 * Tests two series of samples for a difference and for equality.
 * @param {number[]} a @param {number[]} b at least one each
 * @param {{unit: string, paired: boolean, seed: number}} options paired: a[i] and b[i] were taken in the same round
 * @returns undefined if they have no ratio
 */
export function testSamples(a, b, { unit, paired, seed }) {
  const ratio = ratioOfMedians(a, b, { paired, seed });
  const margin = MEMORY_UNITS.includes(unit) ? MEMORY_MARGIN_PERCENT : MARGIN_PERCENT;
  return ratio && { margin, ...ratio, ...assess(a, b, { paired, margin }) };
}

/** @typedef {import('../stats/verdict.js').Assessment & {margin: number}} Assessed */

/**
 * Adds verdicts: "yes" if a test finds a difference, "no" if an equivalence test finds that it is smaller than the
 * margin, and "cannot say" otherwise. The p-values of each test are corrected for the number of comparisons.
 * @template {Assessed & {ci95: [number, number]}} T
 * @param {T[]} comparisons
 * @returns {(Omit<T, 'detectable'> & Judged)[]}
 */
export function judge(comparisons) {
  const different = holm(comparisons.map(({ p }) => p));
  const equal = holm(comparisons.map(({ pEqual }) => pEqual));
  return comparisons.map(({ detectable, ...one }, i) => {
    const [low, high] = one.ci95;
    const significant = different[i] < SIGNIFICANCE && (low > 1 || high < 1);
    /** @type {Verdict} */
    let verdict = 'cannot say';
    if (significant) verdict = 'yes';
    else if (equal[i] < SIGNIFICANCE) verdict = 'no';
    const byTests = detectable(SIGNIFICANCE / comparisons.length);
    return {
      ...one,
      pHolm: different[i],
      significant,
      pEqualHolm: equal[i],
      verdict,
      // For which p is small and the interval excludes 1.
      detectable: byTests === null ? null : Math.max(byTests, detectableByInterval(one.ci95)),
    };
  });
}
