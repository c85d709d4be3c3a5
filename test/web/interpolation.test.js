import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameBuffer } from '../../app/web/lib/interpolation.js';
import { TICK_MS } from '../../app/web/lib/play-clock.js';
import { makeFrame } from '../support/frame.js';

/** @param {Parameters<typeof makeFrame>[0] & {tick: number}} what */
const frame = (what) => makeFrame(what).buffer;

/** Fills a buffer with frames that arrive in time. @param {Parameters<typeof frame>[0][]} frames */
function play(frames) {
  const buffer = new FrameBuffer();
  for (const each of frames) buffer.push(frame(each), each.tick * TICK_MS);
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
    buffer.push(frame({ tick, bodies }), tick * TICK_MS);
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
    buffer.push(frame({ tick, bodies: [{ id: 0, x: tick, y: 0 }] }), tick * TICK_MS);
    buffer.sample(tick * TICK_MS);
  }
  const resumedMs = 160 * TICK_MS;
  for (let tick = 115; tick < 119; tick++) {
    const nowMs = resumedMs + (tick - 115) * TICK_MS;
    buffer.push(frame({ tick, bodies: [{ id: 0, x: tick, y: 0 }] }), nowMs);
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
  for (let tick = 0; tick < 1000; tick++) buffer.push(frame({ tick }), tick * TICK_MS);
  assert.ok(buffer.frames.length <= 24);
  assert.equal(buffer.newest?.tick, 999);
});
