import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventTracker } from '../../app/web/lib/event-tracker.js';

/** @param {...number} sequences */
const events = (...sequences) => sequences.map((sequence) => ({ sequence }));
/** @param {{sequence: number}[]} list */
const numbers = (list) => list.map(({ sequence }) => sequence);

test('the events of the first frame are old', () => {
  assert.deepEqual(new EventTracker().fresh(events(4, 5, 6)), []);
});

test('the first event is new if the match was watched from its start', () => {
  const tracker = new EventTracker();
  tracker.fresh([]);
  assert.deepEqual(numbers(tracker.fresh(events(0))), [0]);
});

test('each event is returned once, also after skipped frames', () => {
  const tracker = new EventTracker();
  tracker.fresh(events(1, 2));
  assert.deepEqual(numbers(tracker.fresh(events(1, 2, 3))), [3]);
  assert.deepEqual(numbers(tracker.fresh(events(1, 2, 3))), []);
  assert.deepEqual(numbers(tracker.fresh(events(4, 5, 6, 7))), [4, 5, 6, 7]);
});

test('the numbers wrap around after 65535', () => {
  const tracker = new EventTracker();
  tracker.fresh(events(65533, 65534));
  assert.deepEqual(numbers(tracker.fresh(events(65534, 65535, 0, 1))), [65535, 0, 1]);
});

test('after a restart from a checkpoint no event is repeated, and later events are new', () => {
  const tracker = new EventTracker();
  tracker.fresh(events(10, 11, 12));
  assert.deepEqual(tracker.fresh(events(8, 9, 10)), []);
  assert.deepEqual(numbers(tracker.fresh(events(9, 10, 11))), [11]);
});

test('after reset() the events of the next frame are old', () => {
  const tracker = new EventTracker();
  tracker.fresh(events(1));
  tracker.reset();
  assert.deepEqual(tracker.fresh(events(2, 3)), []);
});
