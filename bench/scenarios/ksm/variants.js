/**
 * Defines the variants of the `ksm` scenario, and computes savings.
 *
 * A level changes how workers are launched, and that alone saves memory (fewer threads, one malloc arena, freed memory
 * returned to the kernel). Therefore, each level has a control with the same launch and ksmd off. Only the difference
 * between the two is due to merging.
 */
import { LEVELS } from '../../../ksm/index.js';

/** @typedef {import('../../../ksm/layout.js').Level} Level */
/** @typedef {{launch: Level, merge: boolean}} Variant launch: how workers are launched; merge: ksmd runs */

const CONTROL = 'ksmd off';

/** @param {Level} level @returns {[string, Variant][]} */
function variantsOf(level) {
  if (level === 'off') return [[level, { launch: level, merge: false }]];
  return [
    [level, { launch: level, merge: true }],
    [controlOf(level), { launch: level, merge: false }],
  ];
}

/** @type {Readonly<Record<string, Variant>>} */
export const VARIANTS = Object.freeze(Object.fromEntries(LEVELS.flatMap(variantsOf)));

/** Returns the variant with the same launch and ksmd off. @param {string} level @returns {string} */
function controlOf(level) {
  return `${level}, ${CONTROL}`;
}

/**
 * Lists the configurations of one engine and number of workers. A control has no `level`, since nothing is merged.
 * @param {{engine: string, workers: number, levels?: string[]}} selection levels: only these and their controls
 * @returns {import('../../harness/scenarios.js').Configuration[]}
 */
export function configurationsOf({ engine, workers, levels = [...LEVELS] }) {
  return Object.entries(VARIANTS)
    .filter(([, { launch }]) => levels.includes(launch))
    .map(([variant, { launch, merge }]) => ({
      variant,
      engine,
      workers,
      level: merge || launch === 'off' ? launch : null,
    }));
}

/** @param {number} after @param {number | undefined} before @returns {number} percent; NaN without `before` */
const savedPercent = (after, before = NaN) => (1 - after / before) * 100;

/**
 * Computes the savings against samples of the same engine, number of workers and round:
 *
 * - saved: of launch and merging together, against `off`
 * - saved_launch: of the launch alone, the control against `off`
 * - saved_merging: of merging alone, against the control
 * - saved_workers: of merging alone, in the workers' own unreclaimable memory
 * @param {import('../../harness/scenarios.js').Sample[]} samples
 */
export function deriveSavings(samples) {
  for (const { configuration, round, metrics } of samples) {
    const metricsOf = (/** @type {string} */ variant) =>
      samples.find(
        (other) =>
          other.round === round &&
          other.configuration.variant === variant &&
          other.configuration.engine === configuration.engine &&
          other.configuration.workers === configuration.workers,
      )?.metrics;
    const { launch, merge } = VARIANTS[configuration.variant];
    const off = metricsOf('off')?.unreclaimable;
    const control = merge ? metricsOf(controlOf(launch)) : undefined;
    const isOff = launch === 'off';
    metrics.saved = isOff ? NaN : savedPercent(metrics.unreclaimable, off);
    metrics.saved_launch = merge || isOff ? NaN : savedPercent(metrics.unreclaimable, off);
    metrics.saved_merging = savedPercent(metrics.unreclaimable, control?.unreclaimable);
    metrics.saved_workers = savedPercent(metrics.workers, control?.workers);
  }
}
