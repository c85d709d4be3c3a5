import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Governor, MIN_QUALITY } from '../../app/web/screen/governor.js';

/** @param {Governor} governor @param {number} pictures @param {number} elapsedMs */
function draw(governor, pictures, elapsedMs) {
  let changes = 0;
  for (let i = 0; i < pictures; i++) if (governor.measure(elapsedMs)) changes++;
  return changes;
}

test('a smooth picture keeps its resolution', () => {
  const governor = new Governor();
  assert.equal(draw(governor, 5000, 1000 / 60), 0);
  assert.deepEqual([governor.detail, governor.quality], ['full', 1]);
  assert.equal(governor.fps, 60);
});

test('slow drawing lowers the detail first, then the resolution step by step, down to a limit', () => {
  const governor = new Governor();
  while (!governor.measure(30));
  assert.deepEqual([governor.detail, governor.quality], ['low', 1]);
  while (!governor.measure(30));
  assert.ok(governor.quality < 1);
  draw(governor, 10_000, 40);
  assert.equal(governor.quality, MIN_QUALITY);
});

test('the slower the pictures, the sooner and the further the resolution is lowered', () => {
  const [slow, slower] = [new Governor(), new Governor()];
  const seconds = 8;
  draw(slow, (seconds * 1000) / 30, 30);
  draw(slower, (seconds * 1000) / 400, 400);
  assert.ok(slower.quality < slow.quality, `${slower.quality}, ${slow.quality}`);
  draw(slower, (seconds * 1000) / 400, 400);
  assert.equal(slower.quality, MIN_QUALITY);
});

test('short delays and a hidden page do not lower the resolution', () => {
  const governor = new Governor();
  draw(governor, 60, 16);
  draw(governor, 30, 60);
  draw(governor, 1000, 16);
  draw(governor, 100, 5000);
  assert.deepEqual([governor.detail, governor.quality], ['full', 1]);
});
