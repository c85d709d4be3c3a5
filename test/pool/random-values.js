/** Random values for the tests of the pool: everything that structuredClone() takes, nested, aliased and cyclic. */
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { TYPES, bytesOf } from '../../app/pool/transport/views.js';

const VIEWS = TYPES.filter((type) => type !== ArrayBuffer);
const PRIMITIVES = new Set([Number, String, Boolean, BigInt].map((each) => each.prototype));
const ERRORS = [Error, TypeError, RangeError, SyntaxError];
/** Sizes of the buffers that all views of a value show. */
const BUFFERS = [64, 40, 0];
const MAX_BYTES = 96;
/** Size of the memory that small Buffers share. */
const SLAB_BYTES = Buffer.from('a').buffer.byteLength;
/** V8 of Node.js 20 cannot read an error again whose cause refers to an object. */
const LOSES_CAUSES = Number(process.versions.node.split('.')[0]) < 22;

class Point {
  constructor(/** @type {number} */ x) {
    this.x = x;
  }
}

const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('__proto__', 'constructor', '1', '\ud800', 'é'.repeat(50), '한글'.repeat(30)),
);
const primitive = fc.oneof(
  fc.constantFrom(undefined, null, true, false),
  fc.constantFrom(0, -0, NaN, Infinity, -Infinity, 2 ** 31, -(2 ** 31)),
  fc.integer(),
  fc.double(),
  text,
  fc.bigInt(),
);
/**
 * @typedef {object} Node of a plan
 * @property {(buffers: ArrayBuffer[]) => any} make @property {(object: any, objects: any[]) => void} [fill]
 *
 * @typedef {{nodes: Node[], moved: number[]}} Plan
 */

/**
 * @template T @param {fc.Arbitrary<T>} values
 * @param {(value: T, buffers: ArrayBuffer[]) => any} make
 * @returns {fc.Arbitrary<Node>}
 */
const leaf = (values, make) => values.map((value) => ({ make: (buffers) => make(value, buffers) }));

const leaves = fc.oneof(
  leaf(primitive, (value) => value),
  leaf(fc.oneof(fc.double(), text, fc.boolean(), fc.bigInt()), Object),
  leaf(fc.constantFrom(0, NaN, 1.7e12, -8.64e15), (time) => new Date(time)),
  leaf(fc.constantFrom('', 'gi', 'su', 'my'), (flags) => new RegExp('a(b)|[c-e]', flags)),
  leaf(text, (value) => Buffer.from(value)),
  leaf(fc.nat(BUFFERS.length), (index, buffers) => buffers[index]),
  leaf(
    fc.record({
      index: fc.nat(BUFFERS.length),
      type: fc.constantFrom(...VIEWS),
      words: fc.nat(6),
      length: fc.option(fc.nat(4), { nil: undefined }),
    }),
    ({ index, type, words, length }, buffers) => {
      const buffer = buffers[index];
      const { BYTES_PER_ELEMENT: bytes = 1 } = type;
      const rest = Math.floor(buffer.byteLength / bytes) - words;
      if (rest < 0) return new type(buffer, 0);
      return new type(buffer, words * bytes, length && Math.min(length, rest));
    },
  ),
  leaf(
    fc.array(fc.oneof(fc.integer(), fc.double()), { minLength: 16, maxLength: 40 }),
    (numbers) => [...numbers],
  ),
);

/** @param {object} object @param {any} value @param {string} key */
const define = (object, value, key) => Object.defineProperty(object, key, { value, ...ORDINARY });
const ORDINARY = { enumerable: true, configurable: true, writable: true };

/**
 * How objects with others in them are made, and how another one is added.
 * @type {[(length: number) => any, (object: any, child: any, key: string, index: number) => void][]}
 */
const CONTAINERS = [
  [() => ({}), define],
  [() => Object.create(null), define],
  [() => new Point(1), define],
  [() => [], (array, child) => array.push(child)],
  [(length) => new Array(length * 3), (array, child, _, i) => (array[i * 2] = child)],
  [() => [], (array, child, key) => define(array, child, `.${key}`)],
  [() => new Map(), (map, child, key, i) => map.set(i % 2 ? key : child, child)],
  [() => new Set(), (set, child) => set.add(child)],
  [(length) => new ERRORS[length % ERRORS.length](`message ${length}`), setCause],
];

/** @param {Error} error @param {unknown} cause */
function setCause(error, cause) {
  if (!LOSES_CAUSES || Object(cause) !== cause) error.cause = cause;
}

const containers = fc
  .tuple(fc.constantFrom(...CONTAINERS), fc.array(fc.tuple(text, fc.nat(40)), { maxLength: 6 }))
  .map(([[make, add], content]) => ({
    make: () => make(content.length),
    fill: (/** @type {any} */ object, /** @type {any[]} */ objects) =>
      content.forEach(([key, index], i) => add(object, objects[index % objects.length], key, i)),
  }));

/** A plan of a value: its objects, and which of its buffers are moved. @type {fc.Arbitrary<Plan>} */
export const plan = fc.record({
  nodes: fc.array(fc.oneof(leaves, containers), { minLength: 1, maxLength: 12 }),
  moved: fc.subarray([...BUFFERS.keys(), BUFFERS.length]),
});

/**
 * Builds the value of a plan.
 * @param {Plan} plan @returns {{value: any, transfers: ArrayBuffer[], buffers: ArrayBuffer[]}}
 */
export function build({ nodes, moved }) {
  const resizable = new /** @type {any} */ (ArrayBuffer)(48, { maxByteLength: MAX_BYTES });
  const buffers = [...BUFFERS.map((size) => new ArrayBuffer(size)), resizable];
  for (const buffer of buffers) new Uint8Array(buffer).forEach((_, i, bytes) => (bytes[i] = i * 7));
  const objects = nodes.map(({ make }) => make(buffers));
  nodes.forEach(({ fill }, i) => fill?.(objects[i], objects));
  return { value: objects, buffers, transfers: moved.map((index) => buffers[index]) };
}

/**
 * Asserts that a value is what structuredClone() returns, with the same objects in the same places.
 * @param {any} actual @param {any} expected
 */
export function assertSame(actual, expected) {
  /** @type {Map<object, any>} */
  const pairs = new Map();
  /** @type {Map<ArrayBuffer, {buffer: ArrayBuffer, shift: number}>} */
  const buffers = new Map();
  visit(actual, expected);

  /** @param {any} a @param {any} b */
  function visit(a, b) {
    if (typeof b !== 'object' || b === null) {
      assert.ok(Object.is(a, b), `${inspect(a)} is not ${inspect(b)}`);
      return;
    }
    if (pairs.has(b)) {
      assert.ok(pairs.get(b) === a, 'one object has become two');
      return;
    }
    pairs.set(b, a);
    assert.equal(Object.getPrototypeOf(a), Object.getPrototypeOf(b));
    assert.equal(Array.isArray(a), Array.isArray(b));
    if (ArrayBuffer.isView(b)) compareViews(a, b);
    else if (b instanceof ArrayBuffer) compareBuffers(a, b, 0);
    else if (b instanceof Map || b instanceof Set) visit([...a], [...b]);
    else compareProperties(a, b);
  }

  /** @param {any} a @param {any} b */
  function compareProperties(a, b) {
    const names = Object.getOwnPropertyNames(b);
    if (b instanceof Error) names.sort(); // their order differs between versions of V8
    assert.deepEqual(
      b instanceof Error ? Object.getOwnPropertyNames(a).sort() : Object.getOwnPropertyNames(a),
      names,
    );
    assert.deepEqual(Object.keys(a), Object.keys(b));
    for (const name of names) visit(a[name], b[name]);
    if (b instanceof Date || PRIMITIVES.has(Object.getPrototypeOf(b)))
      visit(a.valueOf(), b.valueOf());
    else if (b instanceof RegExp) assert.equal(String(a), String(b));
  }

  /** @param {any} a @param {any} b */
  function compareViews(a, b) {
    assert.equal(Buffer.compare(bytesOf(a), bytesOf(b)), 0, 'bytes');
    if (b.buffer.byteLength === SLAB_BYTES) return; // a small Buffer travels without the others
    compareBuffers(a.buffer, b.buffer, b.byteOffset - a.byteOffset);
  }

  /** @param {any} a @param {any} b @param {number} shift how much of b's beginning a has not */
  function compareBuffers(a, b, shift) {
    assert.equal(a.resizable, b.resizable);
    assert.equal(a.resizable && a.maxByteLength, b.resizable && b.maxByteLength);
    const known = buffers.get(b);
    buffers.set(b, { buffer: a, shift });
    if (known)
      assert.deepEqual([known.buffer === a, known.shift], [true, shift], 'aliases are lost');
  }
}
