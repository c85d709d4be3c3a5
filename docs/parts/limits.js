/** The table of limits in operations.md. */
import { markdownTable } from '../../bench/report/markdown.js';
import { LIMITS } from '../../app/limits/table.js';

/** @typedef {import('../../app/limits/table.js').Limit} Limit */

/** @param {number} number */
const format = (number) =>
  Number.isInteger(number)
    ? number.toLocaleString('en-US')
    : `1 in ${Math.round(1 / number).toLocaleString('en-US')}`;

/**
 * Formats the limits as a Markdown table.
 * @returns {string}
 */
export function limits() {
  const rows = Object.values(LIMITS).map((/** @type {Limit} */ limit) => {
    const { bounds, value, unit, option, effect } = limit;
    const amount =
      typeof value === 'number'
        ? `${format(value)} ${unit}`
        : value.perSecond < 1
          ? `${format(value.burst)} at once, then ${format(value.perSecond)} s`
          : `${format(value.perSecond)} ${unit} a second, ${format(value.burst)} at once`;
    return [bounds, amount, option ? `\`${option}\`` : '', effect];
  });
  return markdownTable(['Limit', 'Default', 'Option', 'At the limit, the client gets'], rows);
}
