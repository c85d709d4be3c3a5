import assert from 'node:assert/strict';
import test from 'node:test';
import { summarize } from '../../../bench/scenarios/jitter/summarize.js';

test('jitter: only the part of a collection that lies within a tick is subtracted from it', () => {
  const began = Float64Array.of(0, 10, 20, 30);
  const ended = Float64Array.of(1, 15, 21, 31);
  const collections = [
    { startMs: 11, durationMs: 3 },
    { startMs: 20.5, durationMs: 4 },
    { startMs: 5, durationMs: 2 },
  ];
  const figures = summarize(began, ended, collections);
  assert.ok(figures.tick_p999 > 4.9, `${figures.tick_p999}`);
  assert.ok(figures.tick_p999_no_gc <= 2, `${figures.tick_p999_no_gc}`);
  assert.equal(figures.gc_in_ticks, (3.5 / 4) * 1000);
  assert.equal(figures.gc, (9 / 4) * 1000);
  assert.equal(figures.gap_p999, 10);
});
