import assert from 'node:assert/strict';
import test from 'node:test';
import { LatencyMeter } from '../../app/server/measurements.js';

/** @param {LatencyMeter} meter */
const values = (meter) => {
  const { count, max } = meter.snapshot();
  return [count, Math.round(max)];
};

test('an input is measured at the first sent frame that shows it', () => {
  const match = {};
  /** @type {number[]} */
  const seconds = [];
  const meter = new LatencyMeter((value) => seconds.push(value));
  meter.recordInput(match, 0, 5, 100);
  meter.recordFrame(match, () => 4, true, 110);
  assert.deepEqual(values(meter), [0, 0]);
  meter.recordFrame(match, () => 5, true, 120);
  meter.recordFrame(match, () => 5, true, 900);
  assert.deepEqual(values(meter), [1, 20]);
  assert.deepEqual(seconds, [0.02]);
});

test('each of several inputs that one frame shows is measured', () => {
  const match = {};
  const meter = new LatencyMeter();
  for (const sequence of [1, 2, 3]) meter.recordInput(match, 0, sequence, sequence * 10);
  meter.recordInput(match, 1, 1, 0);
  meter.recordFrame(match, (slot) => (slot === 0 ? 2 : 1), true, 40);
  assert.deepEqual(values(meter), [3, 40]);
});

test('an input in an unsent frame is not measured', () => {
  const match = {};
  const meter = new LatencyMeter();
  meter.recordInput(match, 0, 1, 0);
  meter.recordFrame(match, () => 1, false, 10);
  meter.recordFrame(match, () => 1, true, 500);
  assert.deepEqual(values(meter), [0, 0]);
});

test('sequence numbers wrap, matches are separate, and pending inputs are limited', () => {
  const [one, two] = [{}, {}];
  const meter = new LatencyMeter();
  meter.recordInput(one, 0, 0xffffffff, 0);
  meter.recordInput(one, 0, 0, 1);
  meter.recordFrame(two, () => 0, true, 10);
  meter.recordFrame(one, () => 0, true, 10);
  assert.deepEqual(values(meter), [2, 10]);
  meter.reset();
  for (let i = 1; i <= 10_000; i++) meter.recordInput(two, 0, i, i);
  meter.recordFrame(two, () => 10_000, true, 10_000);
  assert.equal(meter.snapshot().count, 64);
});
