/**
 * What the paper measured: "Parallelization and memory deduplication of Node.js in embedded
 * environment" (Kim, Hong, Shin; SungKyunKwan University, 2013), on a Raspberry Pi B with Node 0.10.16.
 * Its text gives these figures; of its plots (figures 3 and 4) it gives the ranges, not the points.
 */
export const PAPER = Object.freeze({
  title: 'Parallelization and memory deduplication of Node.js in embedded environment',
  authors: 'DongHun Kim, GyeongHwan Hong, DongKun Shin; SungKyunKwan University',
  machine: 'Raspberry Pi B, ARM1176JZF-S 700 MHz, 512 MB, Node.js 0.10.16',
  /** Section 4.1, ms. */
  processMs: 1076,
  threadMs: 4,
  /** Figure 3: how much less threads take than processes, percent. */
  threadMemorySaving: Object.freeze([9.1, 28.5]),
  threadTimeSaving: Object.freeze([10, 12.5]),
  /** Figure 4: how much less processes take with KSM, percent. */
  ksmSaving: Object.freeze([3.5, 4.5]),
});

/** The scenarios that repeat its experiments, in its order. */
export const PAPER_SCENARIOS = Object.freeze(['startup', 'memory', 'runtime']);

/**
 * How much less a takes than b, in percent, at each number of workers.
 * @typedef {object} Saving
 * @property {number} workers @property {number} percent @property {[number, number]} ci95
 * @property {boolean} significant
 */

/**
 * @param {import('./results.js').Results} results
 * @param {string} scenario @param {string} metric
 * @param {(row: import('./results.js').Row) => boolean} which the rows that are compared with their reference
 * @param {(row: import('./results.js').Row) => string} labelOf as comparisons name it
 * @returns {Saving[]} in order of the workers
 */
export function savings({ rows, comparisons }, scenario, metric, which, labelOf) {
  return rows
    .filter((row) => row.scenario === scenario && row.metric === metric && which(row))
    .flatMap((row) => {
      const found = comparisons.find(
        (one) => one.scenario === scenario && one.metric === metric && one.a === labelOf(row),
      );
      if (!found) return [];
      const percent = (/** @type {number} */ ratio) => (1 - ratio) * 100;
      const [low, high] = found.ci95;
      return {
        workers: row.workers ?? 0,
        percent: percent(found.ratio),
        ci95: /** @type {[number, number]} */ ([percent(high), percent(low)]),
        significant: found.significant,
      };
    })
    .sort((a, b) => a.workers - b.workers);
}
