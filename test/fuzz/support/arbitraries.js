/** Arbitraries of input that is valid, almost valid, or random. */
import fc from 'fast-check';

const MAX_EDITS = 8;

/**
 * Chooses one of several arbitraries.
 * @param {...[weight: number, arbitrary: import('fast-check').Arbitrary<any>]} choices
 * @returns {import('fast-check').Arbitrary<any>}
 */
export const weighted = (...choices) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** A byte, often at the edge of an integer. */
const byte = fc.oneof(
  fc.constantFrom(0, 1, 0x7f, 0x80, 0xff, 0x0a, 0x0d, 0x20),
  fc.integer({ min: 0, max: 255 }),
);

/** Sets, inserts, removes or repeats bytes, or cuts the rest off. */
const edit = fc.record({
  at: fc.nat(0xffff),
  repeated: weighted([6, fc.constant(0)], [1, fc.nat(15)]),
  added: fc.array(byte, { maxLength: 1 }),
  removed: weighted([5, fc.nat(1)], [1, fc.nat(8)], [1, fc.constant(Infinity)]),
});

/** @param {Buffer} bytes @param {typeof edit extends fc.Arbitrary<infer E> ? E : never} edit @returns {Buffer} */
const apply = (bytes, { at: anywhere, repeated, added, removed }) => {
  const at = anywhere % Math.max(1, bytes.length);
  const [before, after] = [bytes.subarray(0, at + repeated), bytes.subarray(at + removed)];
  return Buffer.concat([before, Buffer.from(added), after]);
};

/** @param {number} [max] bytes @returns {import('fast-check').Arbitrary<Buffer>} */
export const randomBytes = (max = 256) =>
  fc.uint8Array({ maxLength: max, size: 'max' }).map((bytes) => Buffer.from(bytes));

/**
 * @param {import('fast-check').Arbitrary<Buffer>} valid
 * @returns {import('fast-check').Arbitrary<Buffer>} valid bytes with up to MAX_EDITS edits
 */
export const edited = (valid) =>
  fc
    .tuple(valid, fc.array(edit, { maxLength: MAX_EDITS }))
    .map(([bytes, edits]) => edits.reduce(apply, bytes));

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

/** @param {import('fast-check').Arbitrary<unknown>} value @returns {import('fast-check').Arbitrary<Buffer>} as JSON */
export const jsonBytes = (value) => value.map((each) => Buffer.from(JSON.stringify(each) ?? ''));

/**
 * @param {Record<string, import('fast-check').Arbitrary<unknown>>} fields arbitraries of valid values
 * @returns {import('fast-check').Arbitrary<Record<string, unknown>>} some of the fields, some with odd values
 */
export const nearly = (fields) =>
  fc.record(
    Object.fromEntries(
      Object.entries(fields).map(([name, valid]) => [name, weighted([3, valid], [1, oddValue])]),
    ),
    { requiredKeys: [] },
  );
