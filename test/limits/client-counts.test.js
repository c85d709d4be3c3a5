import assert from 'node:assert/strict';
import test from 'node:test';
import { ClientCounts } from '../../app/limits/client-counts.js';

test('bounds each client, and all together', () => {
  const counts = new ClientCounts({ max: 3, maxPerClient: 2 });
  assert.deepEqual(
    [1, 2, 3].map(() => counts.take('a')),
    [true, true, false],
  );
  assert.deepEqual(
    [1, 2].map(() => counts.take('b')),
    [true, false],
    'three in all',
  );
  counts.release('a');
  assert.equal(counts.take('b'), true);
  assert.equal(counts.total, 3);
});
