/** The rows of the tables of limits. */

/**
 * @typedef {{perSecond: number, burst: number}} Rate for a TokenBucket
 *
 * @typedef {object} Limit
 * @property {string} bounds what the limit bounds
 * @property {number | Rate} value in `unit`; the default if an option can change it
 * @property {string} unit
 * @property {string} effect what a client notices when it reaches the limit
 * @property {string} [option] the option that changes the limit
 */

/**
 * Makes a limit; see Limit.
 * @param {string} bounds @param {number} value @param {string} unit @param {string} effect @param {string} [option]
 */
export const limit = (bounds, value, unit, effect, option) => {
  return { bounds, value, unit, effect, option };
};

/**
 * Makes a limit on a rate; see Limit.
 * @param {string} bounds @param {number} perSecond on average @param {number} burst at once
 * @param {string} unit @param {string} effect @param {string} [option]
 */
export const rate = (bounds, perSecond, burst, unit, effect, option) => {
  return { bounds, value: { perSecond, burst }, unit, effect, option };
};
