import assert from 'node:assert/strict';
import test from 'node:test';
import { agesOf, riseOf } from '../../../bench/scenarios/network/index.js';

const births = new Map([
  [1, 0],
  [2, 5],
  [3, 20],
  [4, 30],
]);

test('network: the age of the picture grows until a newer frame arrives', () => {
  const arrivals = [
    [1, 4],
    [2, 8],
    [4, 10],
  ];
  assert.deepEqual(agesOf(arrivals, births, 2), [4, 6, 3]);
});

test('network: frames that arrive late together count from their arrival', () => {
  const arrivals = [
    [1, 2],
    [2, 32],
    [3, 32],
    [4, 32],
    [5, 33], // the witness has not seen it
    [4, 34],
  ];
  assert.deepEqual(agesOf(arrivals, births, 10), [2, 12, 22, 2]);
});

test('network: a screen without two frames has no age', () => {
  assert.deepEqual(agesOf([[1, 4]], births, 1), []);
  assert.deepEqual(agesOf([], births, 1), []);
});

test('network: ages of frames that wait for each other rise, others do not', () => {
  const saw = [0, 10, 20, 0, 10, 20];
  assert.equal(riseOf([saw, saw]), 0);
  assert.equal(riseOf([saw.map((age, i) => age + 100 * i)]), 300);
});
