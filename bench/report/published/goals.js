/** Makes tables of goals: what was wanted, what was measured, and whether it is reached. */
import { digits } from '../text.js';
import { rowOf } from './pivot.js';

/**
 * @typedef {import('../results.js').Row} Row
 * @typedef {import('./pivot.js').Where & {metric?: string, scenario?: string}} Where
 *
 * @typedef {object} Case
 * @property {string} title
 * @property {string} [metric] of all rows of the case
 * @property {Where} of
 * @property {Where[]} [to] the best of them is what `of` is divided by; without it, the value counts
 * @property {Where} [minus] what is subtracted from `of`
 *
 * @typedef {object} Goal reached if the worst case is
 * @property {string} wanted
 * @property {number} limit the largest ratio or value
 * @property {boolean} [atLeast] whether it is the smallest one instead
 * @property {string} unit
 * @property {number} [scale] factor of the measured value, default 1
 * @property {Case[]} cases
 */

export const GOAL_HEAD = ['wanted', 'measured, the worst case', 'reached'];

/**
 * Returns the value of a case.
 * @param {Row[]} rows @param {Case} one
 * @returns {number | undefined} a ratio, or a value in the metric's unit; undefined if something was not measured
 */
function valueOf(rows, { metric, of, to, minus }) {
  const medians = (/** @type {Where[]} */ wheres) =>
    wheres.flatMap((where) => rowOf(rows, { ...(metric && { metric }), ...where })?.median ?? []);
  const [value] = medians([of]);
  if (value === undefined || !(to || minus)) return value;
  const others = medians(to ?? [/** @type {Where} */ (minus)]);
  if (others.length < (to?.length ?? 1)) return undefined;
  return minus ? value - others[0] : value / Math.min(...others);
}

/**
 * Makes the lines of a table.
 * @param {Row[]} rows @param {Goal[]} goals
 * @returns {string[][]} one for each goal of which something was measured
 */
export const goalLines = (rows, goals) =>
  goals.flatMap(({ wanted, limit, atLeast = false, unit, scale = 1, cases }) => {
    const measured = cases.flatMap((one) => {
      const value = valueOf(rows, one);
      return value === undefined ? [] : [{ value: value * scale, title: one.title }];
    });
    if (measured.length === 0) return [];
    const sign = atLeast ? -1 : 1;
    const { value, title } = measured.reduce((worst, one) =>
      sign * one.value > sign * worst.value ? one : worst,
    );
    const text = `${digits(value)} ${unit}${cases.length > 1 ? ` (${title})` : ''}`;
    const isReached = sign * value <= sign * limit ? 'yes' : 'no';
    return [[wanted, text, measured.length === cases.length ? isReached : 'not all measured']];
  });
