/** The frame pump: how often it takes frames. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FramePump } from '../../app/server/frames.js';
import { makeFrame } from '../support/frame.js';

/**
 * Counts the frames that are taken in a second in which a match has one at each poll.
 * @param {import('node:test').TestContext} t @param {number} bodies in each frame
 */
function takenOf(t, bodies) {
  const frame = makeFrame({
    bodies: Array.from({ length: bodies }, (_, id) => ({ id, x: 1, y: 1 })),
  });
  let taken = 0;
  const pump = new FramePump(
    /** @type {any} */ ({
      matches: () => [match],
      latency: { recordFrame() {} },
      onFrame: () => taken++,
    }),
  );
  const match = /** @type {any} */ ({ takeFrame: () => frame });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  for (; now < 1000; now += 4) pump.poll();
  return { taken, bytes: frame.length };
}

test('usual frames are taken at each poll, large ones at a limited rate', (t) => {
  assert.equal(takenOf(t, 4000).taken, 250);
  const { taken, bytes } = takenOf(t, 60_000);
  assert.ok(taken > 4 && taken * bytes < 10e6, `${taken} frames of ${bytes} bytes`);
});
