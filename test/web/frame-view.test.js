import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeFrame } from '../support/decode-frame.js';
import { FrameView, InterpolatedBodies } from '../../app/web/lib/frame-view.js';
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

/** @param {Parameters<typeof makeFrame>[0]} what */
const viewOf = (what) => new FrameView(makeFrame(what).buffer);

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
