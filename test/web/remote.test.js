import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findNearest } from '../../app/web/screen/remote.js';

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

test('right and left move along a row', () => {
  assert.equal(findNearest(cards[0], [start, cards[1], cards[2], sound], [1, 0]), 1);
  assert.equal(findNearest(cards[2], [start, cards[0], cards[1], sound], [-1, 0]), 2);
});

test('down moves to the row below, up moves back', () => {
  assert.equal(findNearest(start, [...cards, sound], [0, 1]), 0);
  assert.equal(findNearest(cards[0], [start, cards[1], cards[2]], [0, -1]), 0);
  assert.equal(findNearest(cards[1], [start, cards[0], cards[2], sound], [0, 1]), 3);
});

test('up from the end of a row finds the only element above', () => {
  assert.equal(findNearest(cards[2], [start, cards[0], cards[1]], [0, -1]), 0);
});

test('there is no element beyond the edge', () => {
  assert.equal(findNearest(cards[2], [start, cards[0], cards[1]], [1, 0]), -1);
  assert.equal(findNearest(sound, [], [0, 1]), -1);
});

test('a wide element below is not to the right, although its centre is', () => {
  const wide = box(0, 700, 900, 40);
  assert.equal(findNearest(cards[0], [wide], [1, 0]), -1);
  assert.equal(findNearest(cards[0], [wide], [0, 1]), 0);
});
