/** A bumper player nobody holds: attacks from the inside, minds the edge, now and then too late. */
import { NO_BODY } from '../../game/flow.js';
import { BUTTON_A, BUTTON_B } from '../../game/input.js';

const LOOK_AHEAD = 0.42; // seconds
const EDGE_MARGIN = 55;
const DASH_RANGE = 230;
const SLOWEST_THOUGHT = 16; // ticks between decisions
const SLOPPINESS = 70; // units it aims beside
const DASH_CHANCE = 0.55;
const BRACE_CHANCE = 0.3;

/**
 * @param {import('../../game/flow.js').Flow} flow
 * @param {number} slot whose body is on the arena
 * @param {number} centreX @param {number} centreY
 */
export function think(flow, slot, centreX, centreY) {
  const { world, own, body } = flow;
  const id = body[slot];
  const x = world.x[id] - centreX;
  const y = world.y[id] - centreY;
  let buttons = 0;
  if (--own.botTicks[slot] <= 0) {
    own.botTicks[slot] = 6 + world.randomInt(SLOWEST_THOUGHT - 5);
    const target = nearest(flow, slot, id);
    if (target === NO_BODY) {
      own.botX[slot] = -x;
      own.botY[slot] = -y;
    } else {
      buttons = attack(flow, slot, id, target, centreX, centreY);
    }
  }
  let goX = own.botX[slot];
  let goY = own.botY[slot];
  const aheadX = x + world.vx[id] * LOOK_AHEAD;
  const aheadY = y + world.vy[id] * LOOK_AHEAD;
  const safe = Math.max(30, own.arena[0] - EDGE_MARGIN);
  if (aheadX * aheadX + aheadY * aheadY > safe * safe) {
    goX = -aheadX;
    goY = -aheadY;
    buttons &= ~BUTTON_A;
  }
  const length = Math.sqrt(goX * goX + goY * goY) || 1;
  flow.command(slot, goX / length, goY / length, buttons);
}

/**
 * Sets where the bot heads for.
 * @param {import('../../game/flow.js').Flow} flow @param {number} slot
 * @param {number} id @param {number} target
 * @param {number} centreX @param {number} centreY
 * @returns {number} buttons it presses now
 */
function attack(flow, slot, id, target, centreX, centreY) {
  const { world, own } = flow;
  const noiseX = (world.random() - 0.5) * SLOPPINESS;
  const noiseY = (world.random() - 0.5) * SLOPPINESS;
  const dx = world.x[target] + world.vx[target] * 0.2 - world.x[id];
  const dy = world.y[target] + world.vy[target] * 0.2 - world.y[id];
  const distance = Math.sqrt(dx * dx + dy * dy) || 1;
  own.botX[slot] = dx + noiseX;
  own.botY[slot] = dy + noiseY;
  const outX = world.x[target] - centreX;
  const outY = world.y[target] - centreY;
  const outward = dx * outX + dy * outY > 0; // the push would go to the edge
  const chance = world.random();
  if (outward && distance < DASH_RANGE && chance < DASH_CHANCE) return BUTTON_A;
  const closing =
    -(dx * (world.vx[target] - world.vx[id]) + dy * (world.vy[target] - world.vy[id])) / distance;
  return distance < 140 && closing > 380 && chance > 1 - BRACE_CHANCE ? BUTTON_B : 0;
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
