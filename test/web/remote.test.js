import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest } from '../../app/web/screen/remote.js';

/** @param {number} left @param {number} top @param {number} width @param {number} height */
const box = (left, top, width, height) => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});

const start = box(40, 300, 180, 60);
const cards = [box(0, 480, 220, 130), box(240, 480, 220, 130), box(480, 480, 220, 130)];
const sound = box(300, 650, 90, 30);

test('right and left go along a row', () => {
  assert.equal(nearest(cards[0], [start, cards[1], cards[2], sound], [1, 0]), 1);
  assert.equal(nearest(cards[2], [start, cards[0], cards[1], sound], [-1, 0]), 2);
});

test('down goes to the row below, up comes back', () => {
  assert.equal(nearest(start, [...cards, sound], [0, 1]), 0);
  assert.equal(nearest(cards[0], [start, cards[1], cards[2]], [0, -1]), 0);
  assert.equal(nearest(cards[1], [start, cards[0], cards[2], sound], [0, 1]), 3);
});

test('from the far end of a row up still finds the one thing there is', () => {
  assert.equal(nearest(cards[2], [start, cards[0], cards[1]], [0, -1]), 0);
});

test('at the edge there is nowhere to go', () => {
  assert.equal(nearest(cards[2], [start, cards[0], cards[1]], [1, 0]), -1);
  assert.equal(nearest(sound, [], [0, 1]), -1);
});

test('something wide below is not to the right, though its middle is', () => {
  const wide = box(0, 700, 900, 40);
  assert.equal(nearest(cards[0], [wide], [1, 0]), -1);
  assert.equal(nearest(cards[0], [wide], [0, 1]), 0);
});
