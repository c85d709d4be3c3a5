/** Chooses how much the tests do: little in `make test`, more in `make test-long`, everything in `make test-all`. */

/** The environment variable that `node test/run.js` sets: `long` or `all`. */
export const EXTENT = 'PITV_TEST_EXTENT';

const asked = process.env[EXTENT];

/** Whether the tests run to their full extent. */
export const all = asked === 'all';

/** Whether tests run that take too long for `make test`. */
export const long = all || asked === 'long';

/**
 * Chooses between two amounts.
 * @template T
 * @param {T} short for `make test` and `make test-long` @param {T} long for `make test-all` @returns {T}
 */
export const extent = (short, long) => (all ? long : short);

/** The reason for skipping a test in `make test`, or false. */
export const onlyLong = long ? false : 'make test-long runs it';
