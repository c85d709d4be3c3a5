/** The frame pump: how often it takes frames. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FramePump } from '../../app/server/frames.js';
import { makeFrame } from '../support/frame.js';

/**
 * Counts the frames that are taken in a second.
 * @param {import('node:test').TestContext} t @param {number} bodies in each frame
 * @param {number} everyMs how often the match has one
 */
function takenOf(t, bodies, everyMs) {
  const frame = makeFrame({
    bodies: Array.from({ length: bodies }, (_, id) => ({ id, x: 1, y: 1 })),
  });
  let taken = 0;
  const pump = new FramePump(
    /** @type {any} */ ({
      matches: () => [match],
      counters: { latency: { recordFrame() {} } },
      onFrame: () => taken++,
    }),
  );
  let now = 0;
  let dueAt = 0;
  const takeFrame = () => {
    if (now < dueAt) return undefined;
    dueAt += everyMs;
    return frame;
  };
  const match = /** @type {any} */ ({ takeFrame });
  t.mock.method(performance, 'now', () => now);
  for (; now < 1000; now += 4) pump.poll();
  return { taken, bytes: frame.length };
}

test('a match loses no usual frames, and large ones or too many are taken at a limited rate', (t) => {
  assert.equal(takenOf(t, 4000, 1000 / 60).taken, 60);
  for (const bodies of [4000, 60_000]) {
    const { taken, bytes } = takenOf(t, bodies, 0);
    assert.ok(taken > 4 && taken * bytes < 10e6, `${taken} frames of ${bytes} bytes`);
  }
});
