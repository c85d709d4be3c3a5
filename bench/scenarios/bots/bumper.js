/** A scripted player of Bumper. */
import { NO_BODY } from '../../../app/game/frame.js';
import { BUTTON_A, BUTTON_B } from '../../../app/game/input.js';
import { CENTRE_X, CENTRE_Y } from '../../../app/games/bumper/constants.js';
import { unit } from './play.js';

/**
 * Plans the moves of a player who knows the game: stays inside, hits others outwards, braces against fast players.
 * @param {import('../../../app/game/flow.js').Flow} flow @param {number} slot with a body
 * @returns {import('./play.js').Move}
 */
export function plan(flow, slot) {
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
