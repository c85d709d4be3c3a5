import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeFrame } from '../support/decode-frame.js';
import { FrameView, Scene } from '../../app/web/lib/frame-view.js';
import { frame } from './frames.js';

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

test('reads in place what decodeFrame() reads by copying', () => {
  fc.assert(
    fc.property(bodies, (list) => {
      const bytes = frame({
        tick: 70000,
        match: 9,
        bodies: list,
        events: [{ sequence: 65535, type: 3 }],
        players: [{ score: -5, flags: 9, body: 65535 }],
      });
      const expected = decodeFrame(new Uint8Array(bytes));
      const view = new FrameView(bytes);
      const scene = new Scene();
      scene.fill(view, view, 1, 1);
      assert.equal(view.tick, expected.tick);
      assert.equal(view.match, expected.match);
      assert.equal(view.seconds, expected.seconds);
      assert.deepEqual(view.extra, expected.extra);
      assert.deepEqual(view.player(0), expected.players[0]);
      assert.deepEqual(view.event(0), expected.events[0]);
      assert.equal(scene.count, expected.bodies.count);
      for (const name of /** @type {const} */ ([
        'id',
        'x',
        'y',
        'a',
        'b',
        'kind',
        'owner',
        'state',
      ])) {
        assert.deepEqual(
          Array.from(scene[name].subarray(0, scene.count)),
          Array.from(expected.bodies[name]),
          name,
        );
      }
    }),
  );
});

test('a scene finds each body by its id, and none that is gone', () => {
  const scene = new Scene();
  const first = new FrameView(
    frame({
      tick: 1,
      bodies: [
        { id: 5, x: 1, y: 1 },
        { id: 9, x: 2, y: 2 },
      ],
    }),
  );
  const second = new FrameView(frame({ tick: 2, bodies: [{ id: 9, x: 3, y: 3 }] }));
  scene.fill(first, first, 1, 50);
  assert.equal(scene.x[scene.index[9]], 2);
  scene.fill(first, second, 1, 50);
  assert.equal(scene.index[5], -1);
  assert.equal(scene.x[scene.index[9]], 3);
});

test('a scene grows for 20,000 bodies', () => {
  const many = Array.from({ length: 20_000 }, (_, id) => ({ id, x: id % 1600, y: 3 }));
  const view = new FrameView(frame({ tick: 1, bodies: many }));
  const scene = new Scene();
  scene.fill(view, view, 0.5, 50);
  assert.equal(scene.count, 20_000);
  assert.equal(scene.x[19_999], 19_999 % 1600);
});

test('a body that has come anew under an old id starts where it is', () => {
  const scene = new Scene();
  const first = new FrameView(frame({ tick: 1, bodies: [{ id: 5, x: 10, y: 0 }] }));
  const gone = new FrameView(frame({ tick: 2, bodies: [{ id: 8, x: 30, y: 0 }] }));
  const again = new FrameView(frame({ tick: 3, bodies: [{ id: 5, x: 20, y: 0 }] }));
  scene.fill(first, gone, 1, 50);
  scene.fill(gone, again, 0.5, 50);
  assert.equal(scene.x[scene.index[5]], 20);
});
