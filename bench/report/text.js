/** Formats numbers, configurations, methods, machines and verdicts for all reports. */
import { MIN_INTERVAL_SAMPLES } from '../stats/stats.js';

/** Length of a commit's name in texts. */
export const COMMIT_DIGITS = 12;

/** Formats a number with at least three significant digits and without an exponent. @param {number} value */
export function digits(value) {
  if (value === 0) return '0';
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(decimals, 6));
}

/** Numbers from this one on have a comma and no decimals in a figure. */
const GROUPED = 1000;

/** Formats a figure of a table or a plot. @param {number} value */
export const figure = (value) =>
  Math.abs(value) >= GROUPED ? Math.round(value).toLocaleString('en') : digits(value);

/** Formats an interval. @param {[number, number]} interval */
export const range = ([low, high]) => `${digits(low)}..${digits(high)}`;

/** Formats a number of things. @param {number} n @param {string} noun */
export const count = (n, noun) => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** Describes a configuration in one line. @param {import('../harness/scenarios.js').Configuration} configuration */
export function labelOf({ variant, node, engine, level, workers, n }) {
  const parts = [
    variant,
    engine && !variant.includes(engine) && engine,
    level,
    node && `Node ${node}`,
    workers && count(workers, 'worker'),
    n !== null && n !== undefined && `n = ${n}`,
  ];
  return [...new Set(parts.filter(Boolean))].join(', ');
}

/** Lists numbers of games: "1 game", "1, 2 and 4 games". @param {number[]} counts at least one @returns {string} */
export function games(counts) {
  const list = counts.join(', ').replace(/, (\d+)$/, ' and $1');
  return `${list} ${list === '1' ? 'game' : 'games'}`;
}

/** Returns whether an object has some values. @param {object} object @param {object} wanted */
export const hasValues = (object, wanted) =>
  Object.entries(wanted).every(([field, value]) => Reflect.get(object, field) === value);

/**
 * Groups items by a key.
 * @template T @param {T[]} items @param {(item: T) => string} key @returns {Map<string, T[]>}
 */
export function groupBy(items, key) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const item of items) {
    const name = key(item);
    groups.set(name, [...(groups.get(name) ?? []), item]);
  }
  return groups;
}

/**
 * Describes the configurations that were skipped, in one line for each reason.
 * @param {import('./results.js').Skip[]} skipped
 * @returns {string[]}
 */
export function skippedLines(skipped) {
  const groups = groupBy(skipped, ({ scenario, message }) => JSON.stringify([scenario, message]));
  return [...groups.values()].map((group) => {
    const [{ scenario, message }] = group;
    const names = group.map(({ configuration: { variant, engine } }) =>
      labelOf({ variant, engine }),
    );
    const count = group.length > 1 ? ` (${group.length} configurations)` : '';
    return `${scenario} ${[...new Set(names)].join('; ')}${count}: ${message}`;
  });
}

/** Describes failures, in one line for each reason. @param {import('./results.js').Failure[]} failures */
export const failedLines = (failures) =>
  [
    ...groupBy(
      failures,
      ({ scenario, configuration, message }) => `${scenario} ${labelOf(configuration)}: ${message}`,
    ),
  ].map(([text, { length }]) => (length > 1 ? `${text} (${length} times)` : text));

/**
 * Describes how results were measured, in one sentence.
 * @param {Pick<import('./results.js').Results, 'method' | 'rows' | 'complete'>} results
 */
export function methodLine({ method: { runs, warmUps, quick, seed }, rows, complete }) {
  const counts = rows.map(({ samples }) => samples.length);
  const most = Math.max(...counts, 0);
  const least = Math.min(...counts, most);
  const range = least === most ? `${least}` : `${least} to ${most}`;
  const done = complete && least === runs ? '' : `${range} of `;
  const brief = quick ? ' (quick)' : '';
  const order = runs === 1 ? 'in random order' : 'shuffled in each round';
  const warm = warmUps > 0 ? ', after a round for warming up' : '';
  return `${done}${count(runs, 'run')} of each${brief}, ${order} (seed ${seed})${warm}; ${figuresText(most)}`;
}

/** Describes the figures of rows. @param {number} samples the maximum of a row */
function figuresText(samples) {
  if (samples <= 1) return 'single values, no intervals';
  return samples < MIN_INTERVAL_SAMPLES
    ? 'medians with the lowest and the highest value, too few for 95 % intervals'
    : 'medians with 95 % bootstrap intervals';
}

/**
 * Describes the verdict of a comparison.
 * @param {Pick<import('./comparisons.js').Comparison, 'verdict' | 'margin' | 'n'>} comparison
 */
export function verdictText({ verdict, margin, n }) {
  if (verdict === 'yes') return 'yes';
  return verdict === 'no' ? `no difference: equal within ${margin} %` : `cannot say (n = ${n})`;
}

/**
 * Describes how results were measured: machine, method and date; for published results, also command and commit.
 * @param {import('./results.js').Results} results
 */
export function sourceLine(results) {
  const { machine, startedAt, complete, provenance } = results;
  const parts = [machineLine(machine), methodLine(results), startedAt.slice(0, 10)];
  if (!complete) parts.push('interrupted');
  if (provenance) {
    const { command, commit } = provenance;
    parts.push(`\`${command}\``, `commit ${commit.slice(0, COMMIT_DIGITS)}`);
  }
  return `${parts.join('; ')}.`;
}

/**
 * Describes a machine in one line. If the kernel randomises no addresses, more pages are equal, and KSM saves more.
 * @param {import('./results.js').Results['machine']} machine
 */
export function machineLine({ node, arch, cores, cpu, board, kernel, virtual, aslr }) {
  const what = board ?? cpu ?? 'unknown CPU';
  // Times of a processor that is emulated in software are not those of a real machine.
  const how = /^emulated\b/.test(virtual ?? '') ? ` (${virtual})` : ' (virtual)';
  const end = aslr === 0 ? ', ASLR off' : '';
  return `Node ${node} ${arch}, ${count(cores, 'core')}, ${what}${virtual ? how : ''}, Linux ${kernel}${end}`;
}
