import assert from 'node:assert/strict';
import test from 'node:test';
import { BucketMap } from '../../app/limits/bucket-map.js';
import { TokenBucket } from '../../app/limits/token-bucket.js';

test('a burst at once, then the rate', () => {
  const bucket = new TokenBucket({ perSecond: 10, burst: 3 }, 0);
  assert.ok(bucket.full(0));
  const atOnce = [0, 0, 0, 0].map((now) => bucket.take(now));
  assert.deepEqual(atOnce, [true, true, true, false]);
  assert.ok(!bucket.has(99) && bucket.has(100) && bucket.take(100) && !bucket.take(100));
  assert.ok(!bucket.full(300) && bucket.full(500));
  let taken = 0;
  for (let now = 500; now < 10_500; now++) if (bucket.take(now)) taken++;
  assert.ok(taken >= 102 && taken <= 104, String(taken));
});

test('a token that is given back can be taken, up to the burst', () => {
  const bucket = new TokenBucket({ perSecond: 0.5, burst: 2 }, 0);
  bucket.giveBack();
  assert.deepEqual([bucket.take(0), bucket.take(0), bucket.take(0)], [true, true, false]);
  bucket.giveBack();
  assert.deepEqual([bucket.take(0), bucket.take(0)], [true, false]);
});

test('the time until there is a token is in seconds, and 0 if there is one', () => {
  const bucket = new TokenBucket({ perSecond: 0.25, burst: 3 }, 0);
  assert.equal(bucket.secondsUntilOne, 0);
  bucket.take(0, 2.5);
  assert.equal(bucket.secondsUntilOne, 2);
});

const rate = { perSecond: 1, burst: 2 };

test('each key has a bucket', () => {
  const buckets = new BucketMap(rate);
  assert.ok(buckets.take('a', 0) && buckets.take('a', 0) && !buckets.take('a', 0));
  assert.ok(!buckets.has('a', 0) && buckets.has('b', 0) && buckets.take('b', 0));
  assert.equal(buckets.secondsUntilOne('a'), 1);
  buckets.giveBack('a');
  assert.ok(buckets.take('a', 0));
  buckets.giveBack('unknown');
  assert.equal(buckets.secondsUntilOne('unknown'), 0);
});

test('full buckets are forgotten, and beyond the bound the least recently used', () => {
  const buckets = new BucketMap(rate, 3);
  for (const key of ['a', 'b', 'a', 'c', 'd']) buckets.take(key, 0);
  assert.equal(buckets.size, 3);
  assert.ok(!buckets.has('a', 0), 'b was used before a');
  buckets.take('e', 3000);
  assert.equal(buckets.size, 1);
});
