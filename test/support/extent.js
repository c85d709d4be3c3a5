/** Chooses how much the tests do: little in `make test`, everything in `make test-all`. */

/** The environment variable that `node test/run.js --all` sets. */
export const EXTENT = 'PITV_TEST_ALL';

/** Whether the tests run to their full extent. */
export const all = process.env[EXTENT] === '1';

/**
 * Chooses between two amounts.
 * @template T
 * @param {T} short for `make test` @param {T} long for `make test-all`
 * @returns {T}
 */
export const extent = (short, long) => (all ? long : short);

/** The reason for skipping a test in `make test`, or false. */
export const onlyInAll = all ? false : 'make test-all runs it';
