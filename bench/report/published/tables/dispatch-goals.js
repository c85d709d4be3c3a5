/** Makes the table of the pool's goals, and whether they are reached, in docs/results/dispatch.md. */
import { GOALS } from '../dispatch-goals.js';
import { digits } from '../../text.js';
import { markdownTable, rowOf, runsOf } from '../pivot.js';

/**
 * @typedef {import('../../results.js').Row} Row
 * @typedef {import('../pivot.js').Where} Where
 * @typedef {import('../dispatch-goals.js').Case} Case
 */

export const sources = ['dispatch*'];

/**
 * Returns the value of a case.
 * @param {Row[]} rows @param {Case} one
 * @returns {number | undefined} a ratio, or a value in the metric's unit; undefined if something was not measured
 */
function valueOf(rows, { metric, of, to }) {
  const medians = (/** @type {(Where & {metric?: string})[]} */ wheres) =>
    wheres.flatMap((where) => rowOf(rows, { metric, ...where })?.median ?? []);
  const [value] = medians([of]);
  if (value === undefined || !to) return value;
  const others = medians(to);
  return others.length === to.length ? value / Math.min(...others) : undefined;
}

/** @param {import('../../results.js').Results[]} files */
export function render(files) {
  const runs = runsOf(files);
  const lines = runs.flatMap(({ name, results, isOnly }) => {
    const rows = results.rows.filter(({ scenario }) => scenario === 'dispatch');
    return GOALS.flatMap(({ wanted, limit, unit, cases }) => {
      const measured = cases.flatMap((one) => {
        const value = valueOf(rows, one);
        return value === undefined ? [] : [{ value, title: one.title }];
      });
      if (measured.length === 0) return [];
      const { value, title } = measured.reduce((worst, one) =>
        one.value > worst.value ? one : worst,
      );
      const isKnown = measured.length === cases.length;
      const text = `${digits(value)} ${unit}${cases.length > 1 ? ` (${title})` : ''}`;
      const reached = isKnown ? (value <= limit ? 'yes' : 'no') : 'not all measured';
      return [[...(isOnly ? [] : [name]), wanted, text, reached]];
    });
  });
  const first = runs.length > 1 ? ['Node.js'] : [];
  return markdownTable([...first, 'wanted', 'measured, the worst case', 'reached'], lines);
}
