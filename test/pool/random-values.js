/** Random values for the tests of the pool: everything that structuredClone() takes, nested, aliased and cyclic. */
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { bytesOf } from '../../app/pool/transport/views.js';

const VIEWS = [
  Uint8Array,
  Int8Array,
  Uint8ClampedArray,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  DataView,
  ...('Float16Array' in globalThis ? [Reflect.get(globalThis, 'Float16Array')] : []),
];
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
  fc.constantFrom(
    undefined,
    null,
    true,
    false,
    0,
    -0,
    NaN,
    Infinity,
    -Infinity,
    2 ** 31,
    -(2 ** 31),
  ),
  fc.integer(),
  fc.double(),
  text,
  fc.bigInt(),
);
const leaf = fc.oneof(
  fc.record({ kind: fc.constant('primitive'), value: primitive }),
  fc.record({
    kind: fc.constant('boxed'),
    value: fc.oneof(fc.double(), text, fc.boolean(), fc.bigInt()),
  }),
  fc.record({ kind: fc.constant('date'), value: fc.constantFrom(0, NaN, 1.7e12, -8.64e15) }),
  fc.record({ kind: fc.constant('regExp'), value: fc.constantFrom('', 'gi', 'su', 'my') }),
  fc.record({ kind: fc.constant('text'), value: text }),
  fc.record({ kind: fc.constant('buffer'), value: fc.nat(BUFFERS.length) }),
  fc.record({
    kind: fc.constant('view'),
    value: fc.record({
      buffer: fc.nat(BUFFERS.length),
      type: fc.nat(VIEWS.length - 1),
      offset: fc.nat(6),
      length: fc.option(fc.nat(4), { nil: undefined }),
    }),
  }),
  fc.record({
    kind: fc.constant('numbers'),
    value: fc.array(fc.oneof(fc.integer(), fc.double()), { minLength: 16, maxLength: 40 }),
  }),
);
const container = fc.record({
  kind: fc.constantFrom(
    'object',
    'bare',
    'class',
    'array',
    'holes',
    'named',
    'map',
    'set',
    'error',
  ),
  value: fc.array(fc.tuple(text, fc.nat(40)), { maxLength: 6 }),
});

/** A plan of a value: its objects, and which of its buffers are moved. */
export const plan = fc.record({
  nodes: fc.array(fc.oneof(leaf, container), { minLength: 1, maxLength: 12 }),
  moved: fc.subarray([...BUFFERS.keys(), BUFFERS.length]),
});

/** @typedef {{nodes: {kind: string, value: any}[], moved: number[]}} Plan */

/**
 * Builds the value of a plan.
 * @param {Plan} plan @returns {{value: any, transfers: ArrayBuffer[], buffers: ArrayBuffer[]}}
 */
export function build({ nodes, moved }) {
  const resizable = new /** @type {any} */ (ArrayBuffer)(48, { maxByteLength: MAX_BYTES });
  const buffers = [...BUFFERS.map((size) => new ArrayBuffer(size)), resizable];
  for (const buffer of buffers) new Uint8Array(buffer).forEach((_, i, bytes) => (bytes[i] = i * 7));
  const objects = nodes.map((node) => create(node, buffers));
  nodes.forEach((node, i) => link(node, objects[i], objects));
  return { value: objects, buffers, transfers: moved.map((index) => buffers[index]) };
}

/** @param {{kind: string, value: any}} node @param {ArrayBuffer[]} buffers @returns {any} */
function create({ kind, value }, buffers) {
  switch (kind) {
    case 'primitive':
      return value;
    case 'boxed':
      return Object(value);
    case 'date':
      return new Date(value);
    case 'regExp':
      return new RegExp('a(b)|[c-e]', value);
    case 'text':
      return Buffer.from(value);
    case 'buffer':
      return buffers[value];
    case 'view': {
      const type = VIEWS[value.type];
      const offset = value.offset * 8;
      const buffer = buffers[value.buffer];
      const rest = Math.floor((buffer.byteLength - offset) / 8);
      if (rest < 0) return new type(buffer, 0);
      return new type(buffer, offset, value.length && Math.min(value.length, rest));
    }
    case 'numbers':
      return [...value];
    case 'bare':
      return Object.create(null);
    case 'class':
      return new Point(1);
    case 'array':
    case 'named':
      return [];
    case 'holes':
      return new Array(value.length * 3);
    case 'map':
      return new Map();
    case 'set':
      return new Set();
    case 'error':
      return new ERRORS[value.length % ERRORS.length](`message ${value.length}`);
    default:
      return {};
  }
}

/** @param {{kind: string, value: any}} node @param {any} object @param {any[]} objects */
function link({ kind, value }, object, objects) {
  if (!Array.isArray(value) || kind === 'numbers') return;
  for (const [i, [key, index]] of value.entries()) {
    const child = objects[index % objects.length];
    if (kind === 'map') object.set(i % 2 ? key : child, child);
    else if (kind === 'set') object.add(child);
    else if (kind === 'array') object.push(child);
    else if (kind === 'holes') object[i * 2] = child;
    else if (kind === 'error') {
      if (!LOSES_CAUSES || Object(child) !== child) object.cause = child;
    } else
      Object.defineProperty(object, kind === 'named' ? `.${key}` : key, {
        value: child,
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
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
