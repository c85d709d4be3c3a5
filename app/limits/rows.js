/** The rows of the tables of limits. */

/**
 * @typedef {{perSecond: number, burst: number}} Rate for a TokenBucket
 *
 * @typedef {object} About
 * @property {string} bounds what the limit bounds
 * @property {string} effect what a client notices when it reaches the limit
 * @property {string} [option] the option that changes the limit; its value is then the default
 *
 * @typedef {About & {value: number | Rate, unit: string}} Limit value: in `unit`
 */

/** Makes a limit. @param {number} value @param {string} unit @param {About} about */
export const limit = (value, unit, about) => ({ value, unit, ...about });

/**
 * Makes a limit on a rate.
 * @param {number} perSecond on average @param {number} burst at once @param {string} unit @param {About} about
 */
export const rate = (perSecond, burst, unit, about) => {
  return { value: { perSecond, burst }, unit, ...about };
};
