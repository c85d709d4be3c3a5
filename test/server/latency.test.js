import assert from 'node:assert/strict';
import test from 'node:test';
import { LatencyMeter } from '../../app/server/latency.js';

/** @param {LatencyMeter} meter */
const values = (meter) => {
  const { count, max } = meter.snapshot();
  return [count, Math.round(max)];
};

test('an input is measured with the first frame that shows it and was sent', () => {
  const match = {};
  /** @type {number[]} */
  const seconds = [];
  const meter = new LatencyMeter((value) => seconds.push(value));
  meter.arrived(match, 0, 5, 100);
  meter.shown(match, () => 4, true, 110);
  assert.deepEqual(values(meter), [0, 0]);
  meter.shown(match, () => 5, true, 120);
  meter.shown(match, () => 5, true, 900);
  assert.deepEqual(values(meter), [1, 20]);
  assert.deepEqual(seconds, [0.02]);
});

test('one frame may show several inputs, each counts', () => {
  const match = {};
  const meter = new LatencyMeter();
  for (const sequence of [1, 2, 3]) meter.arrived(match, 0, sequence, sequence * 10);
  meter.arrived(match, 1, 1, 0);
  meter.shown(match, (slot) => (slot === 0 ? 2 : 1), true, 40);
  assert.deepEqual(values(meter), [3, 40]);
});

test('what nobody was shown is not measured', () => {
  const match = {};
  const meter = new LatencyMeter();
  meter.arrived(match, 0, 1, 0);
  meter.shown(match, () => 1, false, 10);
  meter.shown(match, () => 1, true, 500);
  assert.deepEqual(values(meter), [0, 0]);
});

test('sequences wrap, matches do not mix, and a match that stands still fills no memory', () => {
  const [one, two] = [{}, {}];
  const meter = new LatencyMeter();
  meter.arrived(one, 0, 0xffffffff, 0);
  meter.arrived(one, 0, 0, 1);
  meter.shown(two, () => 0, true, 10);
  meter.shown(one, () => 0, true, 10);
  assert.deepEqual(values(meter), [2, 10]);
  meter.reset();
  for (let i = 1; i <= 10_000; i++) meter.arrived(two, 0, i, i);
  meter.shown(two, () => 10_000, true, 10_000);
  assert.equal(meter.snapshot().count, 64);
});
