/** A scripted player of Kick-off. */
import { NO_BODY } from '../../../app/game/frame.js';
import { BUTTON_A, BUTTON_B } from '../../../app/game/input.js';
import { unit } from './play.js';

const CENTRE_Y = 450;
const GOALS = [1480, 120]; // x of the goal that each team attacks
const TOUCH = 52;

/**
 * Plans the moves of a player who knows the game: gets behind the ball, shoots, and dashes at opponents near the ball.
 * @param {import('../../../app/game/flow.js').Flow} flow @param {number} slot with a body
 * @returns {import('./play.js').Move}
 */
export function plan({ world, body, team, own, slots }, slot) {
  const id = body[slot];
  const ball = own.ball[0];
  const x = world.x[ball] + world.vx[ball] * 0.25;
  const y = world.y[ball] + world.vy[ball] * 0.25;
  const goal = unit(GOALS[team[slot]] - x, CENTRE_Y - y);
  const dx = x - world.x[id] - world.vx[id] * 0.2;
  const dy = y - world.y[id] - world.vy[id] * 0.2;
  const distance = Math.hypot(dx, dy);
  const along = (dx * goal.x + dy * goal.y) / (distance || 1); // 1: straight behind the ball
  if (along > 0.7) {
    const near = Array.from({ length: slots }, (_, other) => other).some(
      (other) =>
        body[other] !== NO_BODY &&
        team[other] !== team[slot] &&
        Math.hypot(world.x[body[other]] - x, world.y[body[other]] - y) < 1.6 * TOUCH,
    );
    const buttons = distance < 2 * TOUCH ? BUTTON_A : near && distance < 190 ? BUTTON_B : 0;
    return { ...unit(dx - goal.x * 0.5 * TOUCH, dy - goal.y * 0.5 * TOUCH), buttons };
  }
  // Around the ball, and aside while it is in the way.
  const aside = along < 0.2 ? (dx * goal.y - dy * goal.x > 0 ? 95 : -95) : 0;
  const go = unit(dx - goal.x * 90 - goal.y * aside, dy - goal.y * 90 + goal.x * aside);
  return { ...go, buttons: 0 };
}
