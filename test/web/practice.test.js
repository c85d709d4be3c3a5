/** The balls that phones roll in the lobby. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { AREA, stepBall } from '../../app/web/screen/practice.js';

/** Steps at 60 Hz. @param {import('../../app/web/screen/practice.js').Ball} ball @param {number} seconds */
function roll(ball, seconds) {
  for (let i = 0; i < seconds * 60; i++) stepBall(ball, 1 / 60);
}

test('a stick rolls its ball, which stays in the area, bounces, and rests without a push', () => {
  const ball = { at: [4, 4], speed: [0, 0], push: [0.5, -0.25] };
  roll(ball, 0.5);
  assert.ok(ball.at[0] > 4.3 && ball.at[1] < 3.9, `${ball.at}`);
  roll(ball, 10);
  assert.deepEqual(ball.at.map(Math.round), [Math.round(AREA[0]), 0]);
  Object.assign(ball, { speed: [30, 0], push: [0, 0] });
  roll(ball, 0.1);
  assert.ok(ball.speed[0] < 0 && ball.speed[0] > -30, `${ball.speed}`);
  roll(ball, 10);
  assert.ok(Math.hypot(...ball.speed) < 0.01);
});
