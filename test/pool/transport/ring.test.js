/** Explores all interleavings of small rings, and of rings with errors in them, which must be found. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  HEADER_BYTES,
  RING_BYTES,
  linkBytes,
  ringsOf,
  viewOfAll,
} from '../../../app/pool/transport/layout.js';
import { RingReader, RingWriter } from '../../../app/pool/transport/ring.js';
import { all, extent } from '../../support/extent.js';
import { explore, loadRing } from './model.js';

const create = loadRing((source) => source);
/** Bodies of up to 32 bytes make records of 64 bytes, those of 72 bytes records of 128. */
const MODELS = extent(
  [
    { ringBytes: 128, bodies: [8, 32, 8] },
    { ringBytes: 512, bodies: [8, 72, 96, 8, 8] }, // starts over
    { ringBytes: 256, bodies: [72, 8], revoked: 0 },
  ],
  [
    { ringBytes: 128, bodies: [8, 32, 8, 32, 8] },
    { ringBytes: 512, bodies: [8, 72, 96, 8, 8, 8, 8, 96] },
    { ringBytes: 512, bodies: [8, 72, 96, 8, 8, 8], revoked: 4 },
    { ringBytes: 256, bodies: [72, 8, 72], revoked: 1 },
    { ringBytes: 256, bodies: [8, 72, 8, 96], revoked: 0 },
    { ringBytes: 512, bodies: [160, 0, 0, 0, 0, 0, 0, 0] }, // full, then empty, then starts over
  ],
);

for (const model of MODELS) {
  const { ringBytes, bodies, revoked } = model;
  const what = revoked === undefined ? '' : `, number ${revoked} revoked`;
  test(`ring of ${ringBytes} bytes, bodies ${bodies}${what}: each arrives once in all interleavings`, (t) => {
    const states = explore({ create, ...model });
    t.diagnostic(`${states} states`);
    assert.ok(states > 200);
  });
}

const [small] = MODELS;
/**
 * Errors that the exploration must find: what is wrong, a part of ring.js and its replacement, the message, the model.
 * @type {[string, string, string, RegExp, { ringBytes: number, bodies: number[], revoked?: number }][]}
 */
const ERRORS = [
  [
    'the tail moves before the record is written',
    'this.#next = (this.#tail + needed) | 0;',
    '$& Atomics.store(this.#control, CONTROL.tail, this.#next);',
    /torn|number|invalid|for ever/,
    small,
  ],
  [
    'the reader sleeps without another look',
    'if (Atomics.load(this.#control, CONTROL.tail) === this.#head) return true;',
    'return true;',
    /sleeps for ever/,
    small,
  ],
  [
    'the writer never wakes the reader',
    'return Atomics.exchange(this.#control, CONTROL.reader, WAITING.no);',
    'return WAITING.no;',
    /sleeps for ever/,
    small,
  ],
  [
    'the ring is taken for larger than it is',
    'needed <= this.#size - used',
    '$& + 64',
    /torn|invalid|number/,
    small,
  ],
  [
    'a restart counts although its record was not published',
    '= restarts ? at : this.#marker;',
    '$& this.#restart = this.#nextRestart; this.#marker = this.#nextMarker;',
    /sleeps for ever/,
    { ringBytes: 256, bodies: Array(13).fill(0) },
  ],
  [
    'a revoked record goes to both sides',
    'was === STATE.waiting;',
    'true;',
    /received/,
    { ringBytes: 256, bodies: [8, 8], revoked: 0 },
  ],
];
if (all) {
  ERRORS.push([
    'the mark of a restart is overwritten',
    'at + bytes <= this.#marker',
    'true',
    /torn|invalid|number/,
    { ringBytes: 512, bodies: [96, 96, 96, 8, 96, 96, 96] },
  ]);
}
for (const [name, from, to, expected, model] of ERRORS) {
  test(`the exploration finds an error: ${name}`, () => {
    const broken = loadRing((source) => {
      assert.ok(source.includes(from));
      return source.replace(from, to);
    });
    assert.throws(() => explore({ create: broken, ...model }), expected);
  });
}

/** @param {number} ringBytes */
function createRings(ringBytes, memory = new ArrayBuffer(linkBytes(ringBytes))) {
  return ringsOf(viewOfAll(memory), ringBytes);
}

test('each side sees of a ring what records have reached', () => {
  const memory = new ArrayBuffer(linkBytes(RING_BYTES));
  const sides = [0, 1].map(() => createRings(RING_BYTES, memory).requests);
  const writer = new RingWriter(sides[0]);
  const reader = new RingReader(sides[1]);
  /** @param {number} bytes */
  const pass = (bytes) => {
    const start = writer.reserve(bytes);
    sides[0].bytes.fill(7, start + HEADER_BYTES, start + HEADER_BYTES + bytes);
    writer.publish();
    assert.equal(reader.peek(), start);
    const body = sides[1].bytes.subarray(start + HEADER_BYTES, start + HEADER_BYTES + bytes);
    assert.ok(body.length === bytes && body.every((byte) => byte === 7));
    reader.release();
  };
  for (let i = 0; i < 10_000; i++) pass(100);
  for (const { bytes } of sides) assert.ok(bytes.length < RING_BYTES / 32, `${bytes.length} bytes`);
  for (const bytes of [70_000, 600_000, writer.maxBody, writer.maxBody, 100]) pass(bytes);
  for (const { bytes, words } of sides)
    assert.deepEqual([bytes.length, 4 * words.length], [RING_BYTES, RING_BYTES]);
});

test('positions may overflow 32 bits', () => {
  const ringBytes = 1 << 26; // of which only the headers are used
  const { requests } = createRings(ringBytes);
  const writer = new RingWriter(requests);
  const reader = new RingReader(requests);
  const overflows = 3;
  for (let moved = 0; moved < overflows * 2 ** 32; moved += ringBytes / 2) {
    const start = writer.reserve(writer.maxBody);
    assert.ok(start >= 0);
    writer.publish();
    assert.equal(reader.peek(), start);
    assert.ok(reader.claim(start));
    reader.release();
  }
  assert.ok(writer.empty);
});

test('numbers that a broken writer may leave are refused', () => {
  const ringBytes = 256;
  for (const [tail, size] of [
    [64, 0],
    [64, 96],
    [64, -32],
    [64, 33],
    [1 << 30, 64],
    [-64, 64],
    [1024, 512],
  ]) {
    const { responses } = createRings(ringBytes);
    responses.control[0] = tail;
    responses.words[0] = size;
    assert.equal(new RingReader(responses).peek(), -2, `tail ${tail}, size ${size}`);
  }
});
