import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlayClock, TICK_MS } from '../../app/web/lib/play-clock.js';
import { seededRandom } from '../../app/web/lib/random.js';

/**
 * Simulates arriving frames and 60 pictures per second.
 * @param {object} stream
 * @param {number} stream.ticks number of frames
 * @param {number} [stream.periodMs] interval between frames
 * @param {() => number} [stream.delayMs] returns the delay of a frame
 * @returns {{clock: PlayClock, shown: number[], starved: number, drawn: number}} starved: pictures
 *   for which the newest frame was too old, without the first second
 */
function run({ ticks, periodMs = TICK_MS, delayMs = () => 0 }) {
  const clock = new PlayClock();
  const arrivals = Array.from({ length: ticks }, (_, tick) => tick * periodMs + delayMs());
  for (let i = 1; i < ticks; i++) arrivals[i] = Math.max(arrivals[i], arrivals[i - 1]); // TCP preserves the order
  const shown = [];
  let next = 0;
  let starved = 0;
  for (let nowMs = 0.5; nowMs < (ticks - 1) * periodMs; nowMs += TICK_MS) {
    while (next < ticks && arrivals[next] <= nowMs) clock.addArrival(next, arrivals[next++]);
    if (next === 0) continue;
    const tick = clock.tickAt(nowMs);
    if (nowMs > 1000) {
      shown.push(tick);
      if (tick > next - 1) starved++;
    }
  }
  return { clock, shown, starved, drawn: shown.length };
}

test('without jitter time advances steadily, little more than a tick behind, and no picture starves', () => {
  const { clock, starved, shown } = run({ ticks: 600 });
  assert.ok(clock.delayTicks >= 1 && clock.delayTicks < 1.3, `${clock.delayTicks}`);
  assert.equal(starved, 0);
  for (let i = 1; i < shown.length; i++) {
    assert.ok(Math.abs(shown[i] - shown[i - 1] - 1) < 0.05, `${shown[i] - shown[i - 1]} ticks`);
  }
});

test('jitter increases the delay, so that few pictures starve', () => {
  const next = seededRandom(1);
  const { clock, starved, drawn } = run({ ticks: 1800, delayMs: () => 5 + next() * 25 });
  assert.ok(clock.delayTicks > 1.5, `${clock.delayTicks}`);
  assert.ok(starved / drawn < 0.05, `${starved} of ${drawn} starved`);
});

test('the delay decreases when the jitter ends', () => {
  const next = seededRandom(2);
  let count = 0;
  const { clock } = run({ ticks: 2400, delayMs: () => (count++ < 800 ? next() * 40 : 0) });
  assert.ok(clock.delayTicks < 1.4, `${clock.delayTicks}`);
});

test('time follows a worker with 40 ticks per second', () => {
  const { clock, shown, starved } = run({ ticks: 800, periodMs: 25 });
  assert.ok(Math.abs(clock.periodMs - 25) < 0.5, `${clock.periodMs} ms`);
  const pace = (shown[shown.length - 1] - shown[shown.length - 301]) / 300;
  assert.ok(Math.abs(pace - TICK_MS / 25) < 0.02, `${pace} ticks a picture`);
  assert.ok(starved < shown.length * 0.05);
});

test('with much jitter the delay is limited, and time never runs backwards', () => {
  const next = seededRandom(3);
  const { clock, shown } = run({ ticks: 1200, delayMs: () => next() * 190 });
  assert.ok(clock.delayTicks <= 6);
  for (let i = 1; i < shown.length; i++) assert.ok(shown[i] >= shown[i - 1]);
});

test('after a pause of a second it continues with the new frames', () => {
  const clock = new PlayClock();
  for (let tick = 0; tick < 60; tick++) clock.addArrival(tick, tick * TICK_MS);
  clock.addArrival(60, 60 * TICK_MS + 1000);
  const tick = clock.tickAt(60 * TICK_MS + 1000);
  assert.ok(tick > 58 && tick <= 60, `shows ${tick}`);
});
