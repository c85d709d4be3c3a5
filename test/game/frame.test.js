import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  NO_BODY,
  NO_OWNER,
  PHASE,
  STEPS_PER_UNIT,
  decodeHeader,
  frameBytes,
} from '../../app/game/frame.js';
import { FAULTS, FrameWriter } from '../../app/game/frame-writer.js';
import { decodeFrame } from '../support/decode-frame.js';

const head = {
  match: 7,
  tick: 123456,
  phase: PHASE.play,
  round: 3,
  timer: 425,
  extra: [1, 2, 3, 65535],
  players: 0,
  events: 0,
};

/** @param {Uint8Array} bytes @param {number} players @param {number} events */
function writer(bytes, players = 0, events = 0) {
  const frame = new FrameWriter();
  frame.attach(bytes);
  frame.begin({ ...head, players, events });
  return frame;
}

test('decoding returns what was written', () => {
  const bytes = new Uint8Array(frameBytes(2, 2, 1));
  const frame = writer(bytes, 2, 1);
  frame.player(4294967295, -5, 15, 255, 2);
  frame.player(0, 2000000, 0, 0, NO_BODY);
  frame.event(65535, 3, 1, 800.5, -12.25);
  frame.body(2, 10.0625, 900, 32, 0, 1, 0, 200, 9);
  frame.body(65000, -1, -2, 100, -50, 4, NO_OWNER, 0, 255);
  const length = frame.end();
  const read = decodeFrame(bytes.subarray(0, length));
  const { match, tick, phase, round } = read;
  assert.deepEqual([match, tick, phase, round], [7, 123456, PHASE.play, 3]);
  assert.equal(read.seconds, 42.5);
  assert.deepEqual(read.extra, [1, 2, 3, 65535]);
  assert.deepEqual(read.players, [
    { inputSequence: 4294967295, score: -5, flags: 15, gauge: 255, body: 2 },
    { inputSequence: 0, score: 2000000, flags: 0, gauge: 0, body: NO_BODY },
  ]);
  assert.deepEqual(read.events, [{ sequence: 65535, type: 3, owner: 1, x: 800.5, y: -12.25 }]);
  assert.deepEqual([...read.bodies.id], [2, 65000]);
  assert.deepEqual([...read.bodies.x], [10.0625, -1]);
  assert.deepEqual([...read.bodies.b], [0, -50]);
  assert.deepEqual([...read.bodies.owner], [0, NO_OWNER]);
  assert.deepEqual([...read.bodies.state], [9, 255]);
});

test('lengths are rounded to 1/16 and clamped', () => {
  fc.assert(
    fc.property(fc.double({ noDefaultInfinity: false }), (x) => {
      const bytes = new Uint8Array(frameBytes(1, 0, 0));
      const frame = writer(bytes);
      frame.body(0, x, 0, 0, 0, 0, 0, 0, 0);
      const read = decodeFrame(bytes.subarray(0, frame.end())).bodies.x[0];
      const expected = Number.isNaN(x) ? 0 : Math.min(32767 / STEPS_PER_UNIT, Math.max(-2048, x));
      assert.ok(Math.abs(read - expected) <= 0.5 / STEPS_PER_UNIT, `${x} was read as ${read}`);
    }),
  );
});

test('frameBytes() is sufficient for any counts', () => {
  fc.assert(
    fc.property(fc.nat(300), fc.nat(8), fc.nat(16), (bodies, players, events) => {
      const bytes = new Uint8Array(frameBytes(bodies, players, events));
      const frame = writer(bytes, players, events);
      for (let i = 0; i < players; i++) frame.player(i, i, 1, 0, i);
      for (let i = 0; i < events; i++) frame.event(i, 0, 0, 0, 0);
      for (let i = 0; i < bodies; i++) frame.body(i, i, i, 1, 0, 0, 0, 0, 0);
      const length = frame.end();
      assert.ok(length <= bytes.length);
      const { counts } = decodeHeader(bytes.subarray(0, length));
      assert.deepEqual(counts, { bodies, players, events });
    }),
  );
});

test('an incomplete frame or another version is rejected', () => {
  const bytes = new Uint8Array(frameBytes(3, 1, 1));
  const frame = writer(bytes, 1, 1);
  frame.player(1, 1, 1, 1, 1);
  frame.event(1, 1, 1, 1, 1);
  for (let i = 0; i < 3; i++) frame.body(i, 0, 0, 1, 0, 0, 0, 0, 0);
  const whole = bytes.slice(0, frame.end());
  assert.equal(decodeFrame(whole).bodies.count, 3);
  for (let length = 0; length < whole.length; length++) {
    assert.throws(() => decodeFrame(whole.subarray(0, length)), RangeError);
  }
  for (const at of [0, 1]) {
    const other = whole.with(at, 9); // version, type
    assert.throws(() => decodeFrame(other), RangeError);
  }
});

test('bad values are clamped, never wrapped, and noted', () => {
  const bytes = new Uint8Array(frameBytes(4, 2, 1));
  const lines = [false, true];
  const frame = new FrameWriter({ bodies: 3, kinds: 2, events: 1, slots: 2, lines });
  frame.attach(bytes);
  const odd = { round: 300, timer: -4, extra: [70000, -1, NaN, 5], players: 2, events: 1 };
  frame.begin({ ...head, ...odd });
  frame.player(1, 2 ** 31, 0, 256, -1);
  frame.player(1, NaN, 0, NaN, 65536);
  frame.event(1, 256, 256, NaN, Infinity);
  frame.body(1, NaN, Infinity, 5, 0, 258, 257, 0, 0);
  frame.body(65535, 0, 0, 5, 0, 0, 0, 0, 0);
  frame.body(2, 1, 1, 5, 0, -1, 2, 0, 0);
  frame.body(3, 1, 1, 5, -NO_BODY, 0, 1, 0, 0);
  frame.body(4, 1, 1, 5, 0, 1, 1, 0, 0);
  const read = decodeFrame(bytes.subarray(0, frame.end()));
  const { round, seconds, extra } = read;
  assert.deepEqual({ round, seconds, extra }, { round: 255, seconds: 0, extra: [65535, 0, 0, 5] });
  const rest = { inputSequence: 1, flags: 0, body: NO_BODY };
  assert.deepEqual(read.players, [
    { ...rest, score: 2 ** 31 - 1, gauge: 255 },
    { ...rest, score: 0, gauge: 0 },
  ]);
  assert.deepEqual([read.events[0].type, read.events[0].owner], [255, NO_OWNER]);
  assert.deepEqual([...read.bodies.id], [1, 2, 3], 'the others are left out');
  assert.deepEqual([...read.bodies.x], [0, 1, 1]);
  assert.deepEqual([...read.bodies.b], [0, 0, 0]);
  assert.deepEqual([...read.bodies.kind], [255, 0, 0]);
  assert.deepEqual([...read.bodies.owner], [NO_OWNER, NO_OWNER, 1]);
  assert.deepEqual([...frame.faults.keys()].sort(), Object.keys(FAULTS).sort());
  assert.equal(frame.faults.get('kind'), 'body 1 of kind 258');
});

test('the count of bodies never wraps', () => {
  const bytes = new Uint8Array(frameBytes(65540, 0, 0));
  const frame = writer(bytes);
  for (let i = 0; i < 65540; i++) frame.body(i % 65535, 0, 0, 1, 0, 0, 0, 0, 0);
  assert.equal(decodeHeader(bytes.subarray(0, frame.end())).counts.bodies, 65535);
  assert.deepEqual([...frame.faults.keys()], ['bodies']);
});
