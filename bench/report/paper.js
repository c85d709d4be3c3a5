/**
 * The figures in the text of the paper "Parallelization and memory deduplication of Node.js in embedded environment"
 * (Kim, Hong, Shin; SungKyunKwan University, 2013), measured on a Raspberry Pi B with Node 0.10.16. For its plots
 * (figures 3 and 4), the text states ranges only.
 */
export const PAPER = Object.freeze({
  title: 'Parallelization and memory deduplication of Node.js in embedded environment',
  authors: 'DongHun Kim, GyeongHwan Hong, DongKun Shin; SungKyunKwan University',
  machine: 'Raspberry Pi B, ARM1176JZF-S 700 MHz, 512 MB, Node.js 0.10.16',
  /** Section 4.1, ms. */
  processMs: 1076,
  threadMs: 4,
  /** Figure 3: savings of threads against processes, percent. */
  threadMemorySaving: Object.freeze([9.1, 28.5]),
  threadTimeSaving: Object.freeze([10, 12.5]),
  /** Figure 4: savings of processes with KSM, percent. */
  ksmSaving: Object.freeze([3.5, 4.5]),
});

/** The scenarios that repeat the paper's experiments, in the paper's order. */
export const PAPER_SCENARIOS = Object.freeze(['startup', 'memory', 'runtime']);

/**
 * @typedef {object} Measured how much less a row takes than its reference, for a number of workers
 * @property {number} workers @property {number} percent @property {[number, number]} ci95
 * @typedef {Measured & Pick<import('./comparisons.js').Comparison, 'verdict' | 'n' | 'margin' | 'detectable'>} Saving
 */

/**
 * Lists the savings of some rows against their references.
 * @param {import('./results.js').Results} results
 * @param {string} scenario @param {string} metric
 * @param {(row: import('./results.js').Row) => boolean} which selects the rows
 * @param {(row: import('./results.js').Row) => string} labelOf returns the name of a row in comparisons
 * @returns {Saving[]} sorted by the number of workers
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
        verdict: found.verdict,
        n: found.n,
        margin: found.margin,
        detectable: found.detectable,
      };
    })
    .sort((a, b) => a.workers - b.workers);
}
