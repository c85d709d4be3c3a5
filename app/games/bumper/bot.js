/** Steers a bot: attacks from the inside and keeps away from the edge, sometimes too late. */
import { NO_BODY } from '../../game/flow.js';
import { BUTTON_A, BUTTON_B } from '../../game/input.js';
import { CENTRE_X, CENTRE_Y } from './terms.js';

const LOOK_AHEAD = 0.34; // seconds
const EDGE_MARGIN = 62;
const MISJUDGED = 50; // units by which it takes the edge to be further away, at most
const DASH_RANGE = 190;
const QUICKEST_THOUGHT = 9; // ticks between decisions; a person's reaction takes 12 or so
const SLOWEST_THOUGHT = 22;
const SLOPPINESS = 130; // world units by which it misses its target
const DASH_CHANCE = 0.3;
const BRACE_CHANCE = 0.3;

/**
 * @param {import('../../game/flow.js').Flow} flow
 * @param {number} slot whose body is on the arena
 */
export function think(flow, slot) {
  const { world, own, body } = flow;
  if (--own.botTicks[slot] > 0) {
    flow.command(slot, flow.stickX[slot], flow.stickY[slot], 0);
    return;
  }
  own.botTicks[slot] = QUICKEST_THOUGHT + world.randomInt(SLOWEST_THOUGHT - QUICKEST_THOUGHT + 1);
  const id = body[slot];
  const x = world.x[id] - CENTRE_X;
  const y = world.y[id] - CENTRE_Y;
  const aheadX = x + world.vx[id] * LOOK_AHEAD;
  const aheadY = y + world.vy[id] * LOOK_AHEAD;
  const misjudged = world.random() * MISJUDGED;
  const safe = Math.max(30, own.arena[0] - EDGE_MARGIN + misjudged);
  const target = nearest(flow, slot, id);
  if (target === NO_BODY || aheadX * aheadX + aheadY * aheadY > safe * safe) {
    head(flow, slot, -aheadX, -aheadY, 0);
  } else {
    attack(flow, slot, id, target);
  }
}

/**
 * @param {import('../../game/flow.js').Flow} flow @param {number} slot
 * @param {number} x direction, of any length @param {number} y
 * @param {number} buttons
 */
function head(flow, slot, x, y, buttons) {
  const length = Math.sqrt(x * x + y * y) || 1;
  flow.command(slot, x / length, y / length, buttons);
}

/**
 * Heads for another player, with an aiming error.
 * @param {import('../../game/flow.js').Flow} flow @param {number} slot
 * @param {number} id @param {number} target
 */
function attack(flow, slot, id, target) {
  const { world } = flow;
  const noiseX = (world.random() - 0.5) * SLOPPINESS;
  const noiseY = (world.random() - 0.5) * SLOPPINESS;
  const dx = world.x[target] + world.vx[target] * 0.2 - world.x[id];
  const dy = world.y[target] + world.vy[target] * 0.2 - world.y[id];
  const distance = Math.sqrt(dx * dx + dy * dy) || 1;
  const outX = world.x[target] - CENTRE_X;
  const outY = world.y[target] - CENTRE_Y;
  const outward = dx * outX + dy * outY > 0; // the push would go to the edge
  const chance = world.random();
  const closing =
    -(dx * (world.vx[target] - world.vx[id]) + dy * (world.vy[target] - world.vy[id])) / distance;
  let buttons = 0;
  if (outward && distance < DASH_RANGE && chance < DASH_CHANCE) buttons = BUTTON_A;
  else if (distance < 140 && closing > 380 && chance > 1 - BRACE_CHANCE) buttons = BUTTON_B;
  head(flow, slot, dx + noiseX, dy + noiseY, buttons);
}

/**
 * @param {import('../../game/flow.js').Flow} flow @param {number} slot @param {number} id
 * @returns {number} the nearest other player's body, or NO_BODY
 */
function nearest(flow, slot, id) {
  const { world, body, alive } = flow;
  let best = Infinity;
  let found = NO_BODY;
  for (let other = 0; other < flow.slots; other++) {
    const at = body[other];
    if (other === slot || alive[other] === 0 || at === NO_BODY) continue;
    const dx = world.x[at] - world.x[id];
    const dy = world.y[at] - world.y[id];
    const distance = dx * dx + dy * dy;
    if (distance < best) {
      best = distance;
      found = at;
    }
  }
  return found;
}
