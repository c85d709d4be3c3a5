/** A scripted player of Bumper. */
import { BUTTON_A, BUTTON_B } from '../../app/game/input.js';
import { unit } from './harness.js';

const CENTRE_X = 800;
const CENTRE_Y = 450;

/**
 * Creates a player who knows the game: stays inside, hits others outwards, braces against fast players.
 * It observes the world ten times a second and reacts 12 ticks later, as a person does.
 * @param {{delay?: number}} [options] delay: reaction time, ticks
 * @returns {import('./harness.js').Player}
 */
export function skilled({ delay = 12 } = {}) {
  /** @type {import('./harness.js').Move[]} */
  const plans = [];
  return (job, slot, tick) => {
    plans.push(
      tick % 6 === 0 ? plan(job.flow, slot) : (plans.at(-1) ?? { x: 0, y: 0, buttons: 0 }),
    );
    return plans.length > delay ? plans.splice(0, plans.length - delay)[0] : plans[0];
  };
}

/** @param {import('../../app/game/flow.js').Flow} flow @param {number} slot */
function plan(flow, slot) {
  const { world, body, alive, own } = flow;
  const id = body[slot];
  if (id === 0xffff || !alive[slot]) return { x: 0, y: 0, buttons: 0 };
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
    if (other === slot || at === 0xffff || !alive[other]) continue;
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
