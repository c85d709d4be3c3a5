import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Governor, MIN_QUALITY } from '../../app/web/screen/governor.js';

/** @param {Governor} governor @param {number} pictures @param {number} elapsedMs */
function draw(governor, pictures, elapsedMs) {
  let changes = 0;
  for (let i = 0; i < pictures; i++) if (governor.measure(elapsedMs)) changes++;
  return changes;
}

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

test('short delays, a hidden page and a display of 50 Hz do not lower the resolution', () => {
  const governor = new Governor();
  draw(governor, 60, 16);
  draw(governor, 30, 60);
  assert.equal(draw(governor, 1000, 1000 / 60), 0);
  assert.equal(governor.fps, 60);
  draw(governor, 100, 5000);
  for (let i = 0; i < 2000; i++) governor.measure(i % 2 ? 19.5 : 20.7);
  assert.deepEqual([governor.detail, governor.quality], ['full', 1]);
});

test('in calm times the resolution is raised again, step by step, and then the detail', () => {
  const governor = new Governor();
  while (governor.quality > MIN_QUALITY) governor.measure(40);
  draw(governor, 90 * 8, 1000 / 60);
  assert.ok(governor.quality > MIN_QUALITY && governor.quality < 1, `${governor.quality}`);
  assert.equal(governor.detail, 'low');
  draw(governor, 90 * 8 * 4, 1000 / 60);
  assert.deepEqual([governor.detail, governor.quality], ['full', 1]);
});

test('a page that is slow at full quality changes less and less often', () => {
  const governor = new Governor();
  const isSlow = () => governor.detail === 'full';
  const changesIn = (/** @type {number} */ pictures) => {
    let changes = 0;
    for (let i = 0; i < pictures; i++) if (governor.measure(isSlow() ? 30 : 16)) changes++;
    return changes;
  };
  const first = changesIn(20_000);
  assert.ok(first > 4, `${first}`);
  const later = changesIn(20_000);
  assert.ok(later <= first / 2, `${first}, then ${later}`);
});
