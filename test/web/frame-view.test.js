import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeFrame } from '../support/decode-frame.js';
import { FrameBuffer, FrameView, InterpolatedBodies } from '../../app/web/lib/frame-view.js';
import { TICK_MS } from '../../app/web/lib/play-clock.js';
import { makeFrame } from '../support/frame.js';

const FIELDS = /** @type {const} */ (['id', 'x', 'y', 'a', 'b', 'kind', 'owner', 'state']);
const length = fc.integer({ min: -2048 * 16, max: 2047 * 16 }).map((units) => units / 16);
const byte = fc.integer({ min: 0, max: 255 });
const body = fc.record({
  id: fc.integer({ min: 0, max: 65534 }),
  x: length,
  y: length,
  a: length,
  b: length,
  kind: byte,
  owner: byte,
  angle: byte,
  state: byte,
});
const bodies = fc.uniqueArray(body, { selector: ({ id }) => id, maxLength: 40 });

/** @typedef {Parameters<typeof makeFrame>[0] & {tick: number}} Content */
/** @param {Content} what */
const bufferOf = (what) => makeFrame(what).buffer;
/** @param {Content} what */
const viewOf = (what) => new FrameView(bufferOf(what));

test('the bodies of a frame are read with all fields', () => {
  fc.assert(
    fc.property(bodies, (list) => {
      const bytes = makeFrame({
        tick: 70000,
        match: 9,
        bodies: list,
        events: [{ sequence: 65535, type: 3 }],
        players: [{ score: -5, flags: 9, body: 65535 }],
      });
      const expected = decodeFrame(bytes);
      const view = new FrameView(bytes.buffer);
      const bodies = new InterpolatedBodies();
      bodies.fill(view, view, 0);
      assert.equal(bodies.count, expected.bodies.count);
      for (const name of FIELDS) {
        const read = Array.from(bodies[name].subarray(0, bodies.count));
        assert.deepEqual(read, Array.from(expected.bodies[name]), name);
      }
    }),
  );
});

test('bodies are found by id, removed ones are not', () => {
  const bodies = new InterpolatedBodies();
  const two = [5, 9].map((id, i) => ({ id, x: i + 1, y: i + 1 }));
  const first = viewOf({ tick: 1, bodies: two });
  const second = viewOf({ tick: 2, bodies: [{ id: 9, x: 3, y: 3 }] });
  bodies.fill(first, first, 1);
  assert.equal(bodies.x[bodies.index[9]], 2);
  bodies.fill(first, second, 2);
  assert.equal(bodies.index[5], -1);
  assert.equal(bodies.x[bodies.index[9]], 3);
});

test('the arrays grow for 20,000 bodies', () => {
  const many = Array.from({ length: 20_000 }, (_, id) => ({ id, x: id % 1600, y: 3 }));
  const view = viewOf({ tick: 1, bodies: many });
  const bodies = new InterpolatedBodies();
  bodies.fill(view, view, 0);
  assert.equal(bodies.count, 20_000);
  assert.equal(bodies.x[19_999], 19_999 % 1600);
});

test('a new body with a reused id is not interpolated', () => {
  const bodies = new InterpolatedBodies();
  const first = viewOf({ tick: 1, bodies: [{ id: 5, x: 10, y: 0 }] });
  const gone = viewOf({ tick: 2, bodies: [{ id: 8, x: 30, y: 0 }] });
  const again = viewOf({ tick: 3, bodies: [{ id: 5, x: 20, y: 0 }] });
  bodies.fill(first, gone, 2);
  bodies.fill(gone, again, 2.5);
  assert.equal(bodies.x[bodies.index[5]], 20);
});

/** Fills a buffer with frames that arrive in time. @param {Content[]} frames */
function play(frames) {
  const buffer = new FrameBuffer();
  for (const each of frames) buffer.push(bufferOf(each), each.tick * TICK_MS);
  return buffer;
}

/** @param {FrameBuffer} buffer @param {number} id */
function at(buffer, id) {
  const { bodies } = buffer;
  const i = bodies.index[id];
  return i < 0 ? null : { x: bodies.x[i], y: bodies.y[i], angle: bodies.angle[i] };
}

test('there is no picture before the first frame, which is shown unchanged', () => {
  assert.equal(new FrameBuffer().sample(0), null);
  const buffer = play([{ tick: 10, bodies: [{ id: 1, x: 100, y: 50 }] }]);
  assert.equal(buffer.sample(10 * TICK_MS)?.tick, 10);
  assert.deepEqual(at(buffer, 1), { x: 100, y: 50, angle: 0 });
});

test('a steady movement is shown steadily, in any order of the bodies', () => {
  const buffer = new FrameBuffer();
  let last = NaN;
  const steps = [];
  for (let tick = 0; tick < 120; tick++) {
    const bodies = [
      { id: 7, x: tick * 4, y: 300 },
      { id: 3, x: 900, y: 30 },
    ];
    if (tick % 2) bodies.reverse();
    buffer.push(bufferOf({ tick, bodies }), tick * TICK_MS);
    // A display of 120 Hz draws twice per tick.
    for (const part of [0, 0.5]) {
      buffer.sample((tick + part) * TICK_MS);
      const x = at(buffer, 7)?.x ?? NaN;
      if (tick > 20) steps.push(x - last);
      last = x;
    }
  }
  for (const step of steps) assert.ok(Math.abs(step - 2) < 0.2, `a step of ${step}, not of 2`);
});

test('an angle turns in the shorter direction; jumps and other kinds are not interpolated', () => {
  /** @param {object} from @param {object} to @param {number} share */
  const between = (from, to, share) => {
    const body = { id: 0, x: 0, y: 0 };
    const buffer = play([
      { tick: 1, bodies: [{ ...body, ...from }] },
      { tick: 2, bodies: [{ ...body, ...to }] },
    ]);
    buffer.bodies.fill(buffer.frames[0], buffer.frames[1], 1 + share);
    return at(buffer, 0) ?? assert.fail();
  };
  const turns = between({ angle: 250 }, { angle: 6 }, 0.5).angle / (2 * Math.PI);
  assert.ok(Math.abs(turns - Math.round(turns)) < 1e-6, `${turns} turns`);
  assert.deepEqual(between({}, { x: 800, y: 400 }, 0.25), { x: 800, y: 400, angle: 0 });
  assert.equal(between({ kind: 1 }, { x: 10, kind: 2 }, 0.5).x, 10);
});

test('a body moves steadily over skipped frames', () => {
  const buffer = play([
    { tick: 100, bodies: [{ id: 0, x: 0, y: 0 }] },
    { tick: 110, bodies: [{ id: 0, x: 200, y: 0 }] },
  ]);
  buffer.bodies.fill(buffer.frames[0], buffer.frames[1], 105);
  assert.equal(at(buffer, 0)?.x, 100);
});

test('the picture follows a worker that restarted from a checkpoint at once', () => {
  const buffer = new FrameBuffer();
  for (let tick = 100; tick < 130; tick++) {
    buffer.push(bufferOf({ tick, bodies: [{ id: 0, x: tick, y: 0 }] }), tick * TICK_MS);
    buffer.sample(tick * TICK_MS);
  }
  const resumedMs = 160 * TICK_MS;
  for (let tick = 115; tick < 119; tick++) {
    const nowMs = resumedMs + (tick - 115) * TICK_MS;
    buffer.push(bufferOf({ tick, bodies: [{ id: 0, x: tick, y: 0 }] }), nowMs);
    buffer.sample(nowMs);
  }
  const x = at(buffer, 0)?.x ?? NaN;
  assert.ok(x >= 115 && x <= 118, `shows tick ${x}`);
});

test('the frames of a new match replace those of the old one', () => {
  const buffer = play([
    { tick: 500, match: 1, bodies: [{ id: 0, x: 1, y: 0 }] },
    { tick: 501, match: 2, bodies: [{ id: 0, x: 2, y: 0 }] },
  ]);
  assert.equal(buffer.frames.length, 1);
  assert.equal(buffer.sample(501 * TICK_MS)?.match, 2);
});

test('the number of stored frames is limited', () => {
  const buffer = new FrameBuffer();
  for (let tick = 0; tick < 1000; tick++) buffer.push(bufferOf({ tick }), tick * TICK_MS);
  assert.ok(buffer.frames.length <= 24);
  assert.equal(buffer.newest?.tick, 999);
});
