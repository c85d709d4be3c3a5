/** Writes sentences with figures below published tables, so that no figure in the prose is copied by hand. */
import { MIN_INTERVAL_SAMPLES, ratioOfMedians } from '../../stats/stats.js';
import { digits } from '../text.js';
import { rowOf, runsOf } from './pivot.js';

/**
 * @typedef {import('../results.js').Results} Results
 * @typedef {import('./pivot.js').Where} Where
 *
 * @typedef {object} Ratio
 * @property {string} metric
 * @property {Where} of @property {Where} to the compared configurations: median of `of` / median of `to`
 * @property {string} text a sentence; `{times}` becomes the ratio with its interval, such as "2.4 times (1.8 to 2.9)"
 */

/**
 * Writes a list of ratios. Those whose configurations were not measured are left out.
 * @param {Results[]} files @param {string} scenario @param {Ratio[]} ratios
 * @returns {string} Markdown, empty if there are none
 */
export const listRatios = (files, scenario, ratios) =>
  runsOf(files)
    .flatMap(({ name, results, isOnly }) =>
      ratios.flatMap(({ metric, of, to, text }) => {
        const times = timesText(results, { scenario, metric, of, to });
        if (times === undefined) return [];
        return [`- ${isOnly ? '' : `Node ${name}: `}${text.replace('{times}', times)}`];
      }),
    )
    .join('\n');

/**
 * @param {Results} results
 * @param {{scenario: string, metric: string, of: Where, to: Where}} which
 * @returns {string | undefined} undefined if a row is missing, or the second median is 0
 */
function timesText({ rows, method }, { scenario, metric, of, to }) {
  const [one, other] = [of, to].map((where) => rowOf(rows, { ...where, scenario, metric }));
  if (!one || !other) return undefined;
  const paired = one.rounds.join() === other.rounds.join();
  const found = ratioOfMedians(one.samples, other.samples, { paired, seed: method.seed });
  if (!found) return undefined;
  const [low, high] = found.ci95.map(digits);
  const hasInterval = Math.min(one.samples.length, other.samples.length) >= MIN_INTERVAL_SAMPLES;
  return `${digits(found.ratio)} times${hasInterval ? ` (${low} to ${high})` : ''}`;
}
