import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventTracker } from '../../app/web/lib/event-tracker.js';

/** @param {...number} sequences */
const events = (...sequences) => sequences.map((sequence) => ({ sequence }));

/** Returns the new events of the last frame. @param {...number[]} frames numbers of their events */
function newIn(...frames) {
  const tracker = new EventTracker();
  const fresh = frames.map((frame) => tracker.fresh(events(...frame)));
  return fresh[fresh.length - 1].map(({ sequence }) => sequence);
}

test('the events of the first frame are old, unless the match was watched from its start', () => {
  assert.deepEqual(newIn([4, 5, 6]), []);
  assert.deepEqual(newIn([], [0]), [0]);
});

test('each event is returned once, after skipped frames, at the end of the numbers, after a restart', () => {
  assert.deepEqual(newIn([1, 2], [1, 2, 3]), [3]);
  assert.deepEqual(newIn([1, 2], [1, 2, 3], [1, 2, 3]), []);
  assert.deepEqual(newIn([1, 2], [1, 2, 3], [1, 2, 3], [4, 5, 6, 7]), [4, 5, 6, 7]);
  assert.deepEqual(newIn([65533, 65534], [65534, 65535, 0, 1]), [65535, 0, 1]);
  assert.deepEqual(newIn([10, 11, 12], [8, 9, 10]), []);
  assert.deepEqual(newIn([10, 11, 12], [8, 9, 10], [9, 10, 11]), [11]);
});

test('after reset() the events of the next frame are old', () => {
  const tracker = new EventTracker();
  tracker.fresh(events(1));
  tracker.reset();
  assert.deepEqual(tracker.fresh(events(2, 3)), []);
});
