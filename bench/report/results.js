/**
 * Turns samples into results: rows with medians and intervals, comparisons (comparisons.js) and warnings.
 * bench/results.schema.json describes the format.
 */
import { median, medianInterval, trend } from '../stats/stats.js';
import { SIGNIFICANCE, compareRows } from './comparisons.js';
import { digits, labelOf } from './text.js';

const SCHEMA = 3;
/** With fewer runs, reports state that they are a first look. */
export const MIN_RUNS = 10;
/** Smaller changes during a run cause no warning. */
const DRIFT_SHARE = 0.02;

/**
 * @typedef {import('../harness/scenarios.js').Configuration} Configuration
 * @typedef {import('../harness/run.js').Plan} Plan
 * @typedef {import('./comparisons.js').Comparison} Comparison
 *
 * @typedef {object} Row
 * @property {string} scenario @property {string} variant
 * @property {string} [node] see Configuration
 * @property {string | null} engine @property {string | null} level
 * @property {number | null} workers @property {number | null} n
 * @property {string} metric @property {string} unit
 * @property {'lower' | 'higher'} better
 * @property {number[]} samples all samples @property {number[]} rounds the round of each sample
 * @property {number} median @property {[number, number]} ci95 of the median; with fewer than 6 samples, their range
 *
 * @typedef {{scenario: string, configuration: Configuration, round: number, message: string}} Failure
 * @typedef {{scenario: string, configuration: Configuration, message: string}} Skip what this machine cannot measure,
 *   and why
 *
 * @typedef {object} Head
 * @property {string} pitv version @property {string} startedAt ISO 8601
 * @property {Provenance} [provenance] of published results
 * @property {boolean} complete false: the run was interrupted
 * @property {{runs: number, warmUps: number, quick: boolean, seed: number}} method
 * @property {ReturnType<typeof import('../machine/facts.js').machineFacts> & {before: object, after: object}} machine
 * @property {Failure[]} failures @property {Skip[]} skipped
 *
 * @typedef {{commit: string, command: string}} Provenance
 *
 * @typedef {Head & {schema: number, suite: string, scenarios: {name: string, title: string}[],
 *   rows: Row[], comparisons: Comparison[], notes: string[], warnings: string[]}} Results
 */

/** Makes the results of a run. @param {Plan[]} plans with their samples @param {Head} head @returns {Results} */
export function assemble(plans, head) {
  const { seed } = head.method;
  for (const { scenario, samples } of plans) scenario.derive?.(samples);
  const rows = plans.flatMap(({ scenario, configurations, samples }) =>
    configurations.flatMap((one) => rowsOf(scenario, one, samples, seed)),
  );
  const warnings = plans.flatMap(({ scenario }) =>
    driftWarnings(rows.filter((row) => row.scenario === scenario.name)),
  );
  return {
    ...head,
    schema: SCHEMA,
    suite: plans.map(({ scenario }) => scenario.name).join(' '),
    scenarios: plans.map(({ scenario: { name, title } }) => ({ name, title })),
    rows,
    comparisons: compareRows(plans, rows),
    notes: plans.flatMap(({ scenario, samples }) => [
      ...(scenario.notes?.(samples) ?? []),
      ...runtimeNotes(scenario.name, samples),
    ]),
    warnings,
  };
}

/**
 * Names the versions of other runtimes; that of Node.js is a fact of the machine.
 * @param {string} scenario @param {import('../harness/scenarios.js').Sample[]} samples
 * @returns {string[]}
 */
function runtimeNotes(scenario, samples) {
  const runtimes = new Set(samples.flatMap(({ facts }) => facts.runtime ?? []));
  return runtimes.size > 0
    ? [`${scenario}: measured with ${[...runtimes].sort().join(', ')}.`]
    : [];
}

/**
 * Makes the rows of a configuration.
 * @param {import('../harness/scenarios.js').Scenario} scenario @param {Configuration} configuration
 * @param {import('../harness/scenarios.js').Sample[]} samples @param {number} seed
 * @returns {Row[]} one for each metric that was measured
 */
function rowsOf(scenario, configuration, samples, seed) {
  const mine = samples.filter((sample) => sample.configuration === configuration);
  const { variant, node, engine = null, level = null, workers = null, n = null } = configuration;
  return scenario.metrics.flatMap(({ name: metric, unit, better = 'lower' }) => {
    const having = mine.filter(({ metrics }) => Number.isFinite(metrics[metric]));
    if (having.length === 0) return [];
    const numbers = having.map(({ metrics }) => metrics[metric]);
    return {
      scenario: scenario.name,
      variant,
      ...(node !== undefined && { node }),
      engine,
      level,
      workers,
      n,
      metric,
      unit,
      better,
      samples: numbers,
      rounds: having.map(({ round }) => round),
      median: median(numbers),
      ci95: medianInterval(numbers, seed),
    };
  });
}

/**
 * Checks the content of a results file. Adds an empty list of skipped configurations to published results that have
 * them among the failures.
 * @param {any} content
 * @returns {Results}
 * @throws {Error} whose message continues a sentence that begins with the file's name
 */
export function checkResults(content) {
  const format = content?.schema;
  if (format !== SCHEMA || !Array.isArray(content.rows)) {
    if (format === undefined) throw new Error('has no results of the harness');
    throw new Error(`has format ${format}, not ${SCHEMA}`);
  }
  return { ...content, skipped: content.skipped ?? [] };
}

/**
 * Warns of metrics that rose or fell during the run, for example because the processor got hot.
 * @param {Row[]} rows of one scenario
 * @returns {string[]}
 */
function driftWarnings(rows) {
  const drifting = rows.flatMap((row) => {
    const { tau, p } = trend(row.samples);
    const third = Math.ceil(row.samples.length / 3);
    const first = median(row.samples.slice(0, third));
    const last = median(row.samples.slice(-third));
    const share = Math.abs((last - first) / first); // NaN: both are 0
    // Bonferroni's correction for the number of rows.
    if (p * rows.length >= SIGNIFICANCE || !(share >= DRIFT_SHARE)) return [];
    const change = `from ${digits(first)} to ${digits(last)} ${row.unit}`;
    return { what: `${row.metric} of ${labelOf(row)} changed ${change}`, share, tau };
  });
  if (drifting.length === 0) return [];
  const [{ what, tau }] = drifting.toSorted((a, b) => b.share - a.share);
  const more = drifting.length > 1 ? `, and ${drifting.length - 1} more rows` : '';
  return [
    `${rows[0].scenario} drifts: ${what} between the first third of the run and the last (rank correlation with time ${tau.toFixed(2)})${more}. Check the temperature and other load, then measure again.`,
  ];
}
