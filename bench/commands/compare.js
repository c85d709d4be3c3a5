import { compareResults, formatComparison } from '../stats/compare.js';
import { readResults } from './common/files.js';
import { usage, whole } from './common/usage.js';

const THRESHOLD_PERCENT = 5;

export const help = `pitv bench compare A.json B.json [options]
    lists what became better or worse from A to B; exits with 1 if there is a regression
    --threshold N     percent, 0..1000; a significant deterioration by more than that is a regression; default ${THRESHOLD_PERCENT}
`;

export const options = /** @type {const} */ ({ threshold: { type: 'string' } });

/** @param {{threshold?: string}} values @param {string[]} files */
export async function run(values, files) {
  if (files.length !== 2) throw usage('Name two files that `--json` wrote.');
  const threshold = whole('threshold', values.threshold, 0, 1000) ?? THRESHOLD_PERCENT;
  const [a, b] = files.map(readResults);
  const comparison = compareResults(a, b, threshold);
  if (comparison.changes.length === 0) throw usage('The two files have no row in common.');
  process.stdout.write(formatComparison(comparison, a, b, threshold));
  return comparison.changes.some(({ change }) => change === 'regression') ? 1 : 0;
}
