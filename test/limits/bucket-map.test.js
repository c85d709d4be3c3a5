import assert from 'node:assert/strict';
import test from 'node:test';
import { BucketMap } from '../../app/limits/bucket-map.js';

const rate = { perSecond: 1, burst: 2 };

test('each key has a bucket', () => {
  const buckets = new BucketMap(rate);
  assert.ok(buckets.take('a', 0) && buckets.take('a', 0) && !buckets.take('a', 0));
  assert.ok(!buckets.has('a', 0) && buckets.has('b', 0) && buckets.take('b', 0));
  assert.equal(buckets.secondsUntilOne('a'), 1);
  buckets.giveBack('a');
  assert.ok(buckets.take('a', 0));
});

test('full buckets are forgotten, and beyond the bound the least recently used', () => {
  const buckets = new BucketMap(rate, 3);
  for (const key of ['a', 'b', 'a', 'c', 'd']) buckets.take(key, 0);
  assert.equal(buckets.size, 3);
  assert.ok(!buckets.has('a', 0), 'b was used before a');
  buckets.take('e', 3000);
  assert.equal(buckets.size, 1);
});
