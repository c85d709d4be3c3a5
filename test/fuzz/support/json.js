/** Arbitraries of JSON values that are almost valid messages or files. */
import fc from 'fast-check';

/** Numbers, often at the edges. */
export const oddNumber = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 53), 1e308, 0.5),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const KEYS = ['__proto__', 'constructor', 'toString', 'length', '', 'id', 't', 'then'];

/** Any small JSON value. */
export const oddValue = fc.oneof(
  { maxDepth: 2 },
  oddNumber,
  fc.constantFrom(null, true, false, '', ...KEYS),
  fc.string({ maxLength: 24 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ maxLength: 300, size: 'max' }),
  fc.array(fc.oneof(oddNumber, fc.constant(null), fc.string({ maxLength: 6 })), { maxLength: 4 }),
  fc.dictionary(fc.oneof(fc.constantFrom(...KEYS), fc.string({ maxLength: 4 })), oddNumber, {
    maxKeys: 3,
  }),
);

/**
 * @param {Record<string, import('fast-check').Arbitrary<unknown>>} fields arbitraries of valid values
 * @returns {import('fast-check').Arbitrary<Record<string, unknown>>} some of the fields, some with odd values
 */
export const nearly = (fields) =>
  fc.record(
    Object.fromEntries(
      Object.entries(fields).map(([name, valid]) => [
        name,
        fc.oneof({ weight: 3, arbitrary: valid }, { weight: 1, arbitrary: oddValue }),
      ]),
    ),
    { requiredKeys: [] },
  );

/**
 * @param {Record<string, import('fast-check').Arbitrary<unknown>>} fields arbitraries of valid values
 * @returns {import('fast-check').Arbitrary<Record<string, unknown>>} all of the fields, mostly valid; in one of four,
 *   one field has an odd value or is missing
 */
export const almost = (fields) =>
  fc
    .tuple(
      fc.record(fields),
      fc.nat(3),
      fc.constantFrom(...Object.keys(fields)),
      fc.option(oddValue, { nil: undefined }),
    )
    .map(([record, chance, name, value]) => (chance === 0 ? { ...record, [name]: value } : record));
