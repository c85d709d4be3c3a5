/** Scripted players: what people who know a game do. */
import { NO_BODY } from '../../../app/game/frame.js';
import { BUTTON_A, BUTTON_B } from '../../../app/game/input.js';
import { CENTRE_X, CENTRE_Y } from '../../../app/games/bumper/constants.js';
import { unit } from './play.js';

/**
 * Plans the moves of a player of Bumper: stays inside, hits others outwards, braces against fast players.
 * @param {import('../../../app/game/flow.js').Flow} flow @param {number} slot with a body
 * @returns {import('./play.js').Move}
 */
export function planBumper(flow, slot) {
  const { world, body, alive, own } = flow;
  const id = body[slot];
  if (!alive[slot]) return { x: 0, y: 0, buttons: 0 };
  const x = world.x[id] - CENTRE_X;
  const y = world.y[id] - CENTRE_Y;
  const radius = own.arena[0];
  const aheadX = x + world.vx[id] * 0.5;
  const aheadY = y + world.vy[id] * 0.5;
  const danger = Math.hypot(aheadX, aheadY) > Math.max(25, radius - 70);
  let best = -Infinity;
  let buttons = 0;
  let goX = -x;
  let goY = -y;
  for (let other = 0; other < flow.slots; other++) {
    const at = body[other];
    if (other === slot || at === NO_BODY || !alive[other]) continue;
    const tx = world.x[at] + world.vx[at] * 0.25 - CENTRE_X;
    const ty = world.y[at] + world.vy[at] * 0.25 - CENTRE_Y;
    const dx = tx - x;
    const dy = ty - y;
    const distance = Math.hypot(dx, dy);
    const out = unit(tx, ty);
    const outward = (dx * out.x + dy * out.y) / (distance || 1);
    const worth = Math.hypot(tx, ty) / radius + outward - distance / 300;
    const relX = world.vx[at] - world.vx[id];
    const relY = world.vy[at] - world.vy[id];
    const closing = -(dx * relX + dy * relY) / (distance || 1);
    if (distance < 190 && closing > 420 && Math.hypot(world.vx[at], world.vy[at]) > 330) {
      buttons |= BUTTON_B;
    }
    if (worth <= best) continue;
    best = worth;
    // Attack from the inside: move to a point behind the other player, then push.
    const behind = outward > 0.5 ? 0 : 90;
    goX = tx - out.x * behind - x;
    goY = ty - out.y * behind - y;
    buttons = (buttons & BUTTON_B) | (outward > 0.6 && distance < 210 ? BUTTON_A : 0);
  }
  if (danger) return { ...unit(-aheadX, -aheadY), buttons: buttons & BUTTON_B };
  return { ...unit(goX, goY), buttons };
}

/** Of Kick-off: the middle of the goals, x of the goal that each team attacks, and reach of a player. */
const GOAL_Y = 450;
const GOALS = [1480, 120];
const TOUCH = 52;

/**
 * Plans the moves of a player of Kick-off: gets behind the ball, shoots, and dashes at opponents near the ball.
 * @param {import('../../../app/game/flow.js').Flow} flow @param {number} slot with a body
 * @returns {import('./play.js').Move}
 */
export function planKickOff({ world, body, team, own, slots }, slot) {
  const id = body[slot];
  const ball = own.ball[0];
  const x = world.x[ball] + world.vx[ball] * 0.25;
  const y = world.y[ball] + world.vy[ball] * 0.25;
  const goal = unit(GOALS[team[slot]] - x, GOAL_Y - y);
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
