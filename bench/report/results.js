/**
 * From samples to results: rows with medians and intervals, comparisons with what they are worth,
 * warnings. The form is written down in results.schema.json.
 */
import {
  countOutliers,
  holm,
  mannWhitney,
  median,
  medianInterval,
  ratioOfMedians,
  trend,
} from '../stats/stats.js';

export const SCHEMA = 2;
/** Below this, and with an interval that leaves 1 out, two medians are called different. */
export const SIGNIFICANCE = 0.01;
/** Fewer runs than that can't show a difference; a reader has to know. */
export const MIN_RUNS = 10;
/** A trend over time that is smaller is not worth a warning. */
const DRIFT_SHARE = 0.02;

/**
 * @typedef {import('../harness/scenarios.js').Configuration} Configuration
 * @typedef {import('../harness/run.js').Plan} Plan
 *
 * @typedef {object} Row
 * @property {string} scenario @property {string} variant
 * @property {string | null} engine @property {string | null} level
 * @property {number | null} workers @property {number | null} n
 * @property {string} metric @property {string} unit
 * @property {'lower' | 'higher'} better
 * @property {number[]} samples all of them @property {number[]} rounds in which they were taken
 * @property {number} median @property {[number, number]} ci95 of the median
 * @property {number} outliers how many samples lie far off
 *
 * @typedef {object} Comparison
 * @property {string} scenario @property {string} metric
 * @property {string} a @property {string} b the two configurations
 * @property {number} ratio median of a / median of b, paired by round
 * @property {[number, number]} ci95 of the ratio
 * @property {number} p Mann-Whitney, as it is @property {number} pHolm corrected for all comparisons here
 * @property {boolean} significant
 *
 * @typedef {{scenario: string, configuration: Configuration, round: number, message: string}} Failure
 *
 * @typedef {object} Head
 * @property {string} pitv version @property {string} startedAt ISO 8601
 * @property {boolean} complete false: cut short, the rows hold what was measured until then
 * @property {{runs: number, warmUps: number, quick: boolean, seed: number}} method
 * @property {ReturnType<typeof import('../machine/facts.js').machineFacts> & {before: object, after: object}} machine
 * @property {Failure[]} failures
 *
 * @typedef {Head & {schema: number, suite: string, scenarios: {name: string, title: string}[],
 *   rows: Row[], comparisons: Comparison[], notes: string[], warnings: string[]}} Results
 */

/**
 * @param {Plan[]} plans with their samples
 * @param {Head} head
 * @returns {Results}
 */
export function assemble(plans, { pitv, startedAt, complete, method, machine, failures }) {
  const { seed } = method;
  for (const { scenario, samples } of plans) scenario.derive?.(samples);
  const rows = plans.flatMap(({ scenario, configurations, samples }) =>
    configurations.flatMap((one) => rowsOf(scenario, one, samples, seed)),
  );
  const warnings = plans.flatMap(({ scenario }) =>
    driftWarnings(rows.filter((row) => row.scenario === scenario.name)),
  );
  return {
    pitv,
    schema: SCHEMA,
    suite: plans.map(({ scenario }) => scenario.name).join(' '),
    startedAt,
    complete,
    method,
    machine,
    scenarios: plans.map(({ scenario: { name, title } }) => ({ name, title })),
    rows,
    comparisons: compareRows(plans, rows, seed),
    failures,
    notes: plans.flatMap(({ scenario, samples }) => scenario.notes?.(samples) ?? []),
    warnings,
  };
}

/**
 * @param {import('../harness/scenarios.js').Scenario} scenario @param {Configuration} configuration
 * @param {import('../harness/scenarios.js').Sample[]} samples @param {number} seed
 * @returns {Row[]} one a metric; none when nothing was measured
 */
function rowsOf(scenario, configuration, samples, seed) {
  const mine = samples.filter((sample) => sample.configuration === configuration);
  const { variant, engine = null, level = null, workers = null, n = null } = configuration;
  return scenario.metrics.flatMap(({ name: metric, unit, better = 'lower' }) => {
    const having = mine.filter(({ metrics }) => Number.isFinite(metrics[metric]));
    if (having.length === 0) return [];
    const numbers = having.map(({ metrics }) => metrics[metric]);
    return {
      ...{ scenario: scenario.name, variant, engine, level, workers, n, metric, unit, better },
      samples: numbers,
      rounds: having.map(({ round }) => round),
      median: median(numbers),
      ci95: medianInterval(numbers, seed),
      outliers: countOutliers(numbers),
    };
  });
}

const FIELDS = /** @type {const} */ (['variant', 'engine', 'level', 'workers', 'n']);

/**
 * The row that another is held against: of equal size, with what the scenario's reference names, and
 * otherwise as like it as there is.
 * @param {Row} row @param {Row[]} rows
 * @param {string | Partial<Configuration> | undefined} reference
 * @returns {Row | undefined}
 */
export function referenceRow(row, rows, reference) {
  if (reference === undefined) return undefined;
  const asked = Object.entries(
    typeof reference === 'string' ? { variant: reference } : reference,
  ).map(([field, value]) => ({ field, value }));
  const likeness = (/** @type {Row} */ other) =>
    FIELDS.filter((field) => other[field] === row[field]).length;
  const [nearest] = rows
    .filter((other) => other.scenario === row.scenario && other.metric === row.metric)
    .filter((other) => other.n === row.n && [row.workers, null].includes(other.workers))
    .filter((other) => asked.every(({ field, value }) => Reflect.get(other, field) === value))
    .sort((one, other) => likeness(other) - likeness(one));
  return nearest === row ? undefined : nearest;
}

/** @param {Plan[]} plans @param {Row[]} rows @param {number} seed @returns {Comparison[]} */
function compareRows(plans, rows, seed) {
  const found = plans.flatMap(({ scenario }) =>
    rows
      .filter((row) => row.scenario === scenario.name)
      .filter((row) => scenario.metrics.find(({ name }) => name === row.metric)?.compare !== false)
      .flatMap((row) => {
        const base = referenceRow(row, rows, scenario.reference);
        return base ? (compareSamples(row, base, seed) ?? []) : [];
      }),
  );
  return judge(found);
}

/**
 * @param {Row} a @param {Row} b measured side by side @param {number} seed
 * @returns {Omit<Comparison, 'pHolm' | 'significant'> | undefined}
 */
function compareSamples(a, b, seed) {
  const other = new Map(b.rounds.map((round, i) => [round, b.samples[i]]));
  const common = a.rounds.flatMap((round, i) =>
    other.has(round) ? [[a.samples[i], other.get(round)]] : [],
  );
  if (common.length === 0) return undefined;
  const mine = common.map(([value]) => Number(value));
  const theirs = common.map(([, value]) => Number(value));
  const found = ratioOfMedians(mine, theirs, { paired: true, seed });
  if (!found) return undefined;
  const { scenario, metric } = a;
  return {
    scenario,
    metric,
    a: labelOf(a),
    b: labelOf(b),
    ...found,
    p: mannWhitney(mine, theirs).p,
  };
}

/**
 * No significance, no claim: p is corrected for the number of comparisons, and the interval of the
 * ratio has to leave 1 out as well.
 * @template {{p: number, ci95: [number, number]}} T
 * @param {T[]} comparisons
 * @returns {(T & {pHolm: number, significant: boolean})[]}
 */
export function judge(comparisons) {
  const corrected = holm(comparisons.map(({ p }) => p));
  return comparisons.map((one, i) => {
    const [low, high] = one.ci95;
    const significant = corrected[i] < SIGNIFICANCE && (low > 1 || high < 1);
    return { ...one, pHolm: corrected[i], significant };
  });
}

/**
 * What became slower or larger in the course of the run: a processor that got hot, a disk that filled.
 * @param {Row[]} rows of one scenario
 * @returns {string[]}
 */
function driftWarnings(rows) {
  const trends = rows.map((row) => trend(row.samples));
  const corrected = holm(trends.map(({ p }) => p));
  const drifting = rows.flatMap((row, i) => {
    const third = Math.ceil(row.samples.length / 3);
    const first = median(row.samples.slice(0, third));
    const change = median(row.samples.slice(-third)) / first - 1;
    if (corrected[i] >= SIGNIFICANCE || Math.abs(change) < DRIFT_SHARE) return [];
    return { label: `${row.metric} of ${labelOf(row)}`, change, tau: trends[i].tau };
  });
  if (drifting.length === 0) return [];
  const worst = drifting.toSorted((a, b) => Math.abs(b.change) - Math.abs(a.change))[0];
  const { label, change, tau } = worst;
  const percent = `${change < 0 ? '' : '+'}${(change * 100).toFixed(1)} %`;
  const more = drifting.length > 1 ? `, and ${drifting.length - 1} more rows` : '';
  return [
    `${rows[0].scenario} drifts: ${label} changed by ${percent} from the first third of the run to the last (rank correlation with time ${tau.toFixed(2)})${more}. Look for heat or other load, then measure again.`,
  ];
}

/** @param {Configuration} configuration one line for people */
export function labelOf({ variant, engine, level, workers, n }) {
  const parts = [
    variant,
    engine && !variant.includes(engine) && engine,
    level,
    workers && `${workers} ${workers === 1 ? 'worker' : 'workers'}`,
    n !== null && n !== undefined && `n = ${n}`,
  ];
  return [...new Set(parts.filter(Boolean))].join(', ');
}
