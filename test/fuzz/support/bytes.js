/** Arbitraries of bytes: random bytes, and valid samples with a few edits. */
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
