/** Arbitraries of input that is valid, almost valid, or random. */
import fc from 'fast-check';

const MAX_EDITS = 8;

/** @typedef {{kind: 'set' | 'insert' | 'delete' | 'cut' | 'repeat', at: number, value: number}} Edit */

/** A byte, often at the edge of an integer. */
const byte = fc.oneof(
  fc.constantFrom(0, 1, 0x7f, 0x80, 0xff, 0x0a, 0x0d, 0x20),
  fc.integer({ min: 0, max: 255 }),
);

/** @type {import('fast-check').Arbitrary<Edit>} */
const edit = fc.record({
  kind: fc.constantFrom('set', 'set', 'set', 'insert', 'delete', 'cut', 'repeat'),
  at: fc.nat(0xffff),
  value: byte,
});

/** @param {Buffer} bytes @param {Edit} edit @returns {Buffer} */
function apply(bytes, { kind, at: anywhere, value }) {
  const at = bytes.length > 0 ? anywhere % bytes.length : 0;
  const before = bytes.subarray(0, at);
  if (kind === 'cut') return before;
  if (kind === 'delete') return Buffer.concat([before, bytes.subarray(at + 1 + (value & 7))]);
  if (kind === 'insert') return Buffer.concat([before, Buffer.from([value]), bytes.subarray(at)]);
  if (kind === 'repeat') {
    return Buffer.concat([bytes.subarray(0, at + (value & 15)), bytes.subarray(at)]);
  }
  const copy = Buffer.from(bytes);
  if (copy.length > 0) copy[at] = value;
  return copy;
}

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

/**
 * Chooses one of several arbitraries.
 * @param {...[weight: number, arbitrary: import('fast-check').Arbitrary<any>]} choices
 * @returns {import('fast-check').Arbitrary<any>}
 */
export const weighted = (...choices) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

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
 * @param {import('fast-check').Arbitrary<unknown>} value
 * @returns {import('fast-check').Arbitrary<Buffer>} as JSON
 */
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
