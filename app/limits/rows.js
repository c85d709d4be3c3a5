/** The type of a limit. */

/**
 * @typedef {{perSecond: number, burst: number}} Rate for a TokenBucket
 *
 * @typedef {object} Limit
 * @property {string} bounds what the limit bounds
 * @property {number | Rate} value in `unit`; the default if an option can change it
 * @property {string} unit
 * @property {string} [option] the option that changes the limit
 * @property {string} effect what a client notices when it reaches the limit
 */

/** Checks the types of some rows. @template {Record<string, Limit>} T @param {T} limits @returns {Readonly<T>} */
export const rows = (limits) => Object.freeze(limits);
