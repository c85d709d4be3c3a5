/** The bots: they attack from the inside, avoid the edge, and hold back if they are far ahead of all people. */
import { BUTTON_A, BUTTON_B, NO_BODY } from '../../game/index.js';
import { CENTRE_X, CENTRE_Y } from './constants.js';

const LOOK_AHEAD = 0.34; // seconds
const EDGE_MARGIN = 62;
const MAX_MISJUDGEMENT = 50; // error in the distance of the edge, world units
const DASH_RANGE = 190;
const MIN_DECISION_TICKS = 9; // between decisions; a person reacts after about 12 ticks
const MAX_DECISION_TICKS = 22;
const MAX_AIM_ERROR = 130; // world units
const DASH_CHANCE = 0.3;
const BRACE_CHANCE = 0.3;
/** A bot holds back if it leads all people by this many points. */
const WIDE_LEAD = 6;
/** Factors of the ticks between decisions and of errors: by strength, and while a bot holds back. */
const EASE = [1.65, 1.25, 0.9];
const CALM = 2;
/** By strength: how far it tilts the stick. */
const TILT = [0.81, 0.9, 1];

/** @typedef {import('../../game/index.js').Flow} Flow */

/** Sets the controls of a bot on the arena. @param {Flow} flow @param {number} slot */
export function steerBot(flow, slot) {
  const { world, own, body } = flow;
  if (--own.botTicks[slot] > 0) {
    flow.command(slot, flow.stickX[slot], flow.stickY[slot], 0);
    return;
  }
  const calm = isFarAhead(flow, slot);
  const ease = EASE[flow.options.botStrength] * (calm ? CALM : 1);
  const ticks = MIN_DECISION_TICKS + world.randomInt(MAX_DECISION_TICKS - MIN_DECISION_TICKS + 1);
  own.botTicks[slot] = Math.round(ease * ticks);
  const id = body[slot];
  const x = world.x[id] - CENTRE_X;
  const y = world.y[id] - CENTRE_Y;
  const aheadX = x + world.vx[id] * LOOK_AHEAD;
  const aheadY = y + world.vy[id] * LOOK_AHEAD;
  const misjudged = world.random() * MAX_MISJUDGEMENT * ease;
  const safe = Math.max(30, own.arena[0] - EDGE_MARGIN + misjudged);
  const target = findNearest(flow, slot, id);
  if (target === NO_BODY || aheadX * aheadX + aheadY * aheadY > safe * safe) {
    steerTowards(flow, slot, -aheadX, -aheadY, 0);
  } else {
    attack(flow, slot, id, target, ease, calm ? 0 : DASH_CHANCE / ease);
  }
}

/** Returns whether a bot leads all people by far. @param {Flow} flow @param {number} slot */
function isFarAhead({ score, human, slots }, slot) {
  let best = -Infinity;
  for (let other = 0; other < slots; other++) {
    if (human[other] === 1) best = Math.max(best, score[other]);
  }
  return best > -Infinity && score[slot] - best >= WIDE_LEAD;
}

/**
 * Sets the stick to a direction.
 * @param {Flow} flow @param {number} slot
 * @param {number} x direction, any length @param {number} y
 * @param {number} buttons
 */
function steerTowards(flow, slot, x, y, buttons) {
  const scale = TILT[flow.options.botStrength] / (Math.sqrt(x * x + y * y) || 1);
  flow.command(slot, x * scale, y * scale, buttons);
}

/**
 * Steers towards another player, with an aiming error; dashes or braces.
 * @param {Flow} flow @param {number} slot @param {number} id @param {number} target
 * @param {number} ease factor of the error @param {number} dashChance
 */
function attack(flow, slot, id, target, ease, dashChance) {
  const { world } = flow;
  const noiseX = (world.random() - 0.5) * MAX_AIM_ERROR * ease;
  const noiseY = (world.random() - 0.5) * MAX_AIM_ERROR * ease;
  const dx = world.x[target] + world.vx[target] * 0.2 - world.x[id];
  const dy = world.y[target] + world.vy[target] * 0.2 - world.y[id];
  const distance = Math.sqrt(dx * dx + dy * dy) || 1;
  const outX = world.x[target] - CENTRE_X;
  const outY = world.y[target] - CENTRE_Y;
  const outward = dx * outX + dy * outY > 0; // the push would be towards the edge
  const chance = world.random();
  const closing =
    -(dx * (world.vx[target] - world.vx[id]) + dy * (world.vy[target] - world.vy[id])) / distance;
  let buttons = 0;
  if (outward && distance < DASH_RANGE && chance < dashChance) buttons = BUTTON_A;
  else if (distance < 140 && closing > 380 && chance > 1 - BRACE_CHANCE) buttons = BUTTON_B;
  steerTowards(flow, slot, dx + noiseX, dy + noiseY, buttons);
}

/**
 * Finds the nearest other player whom a bot may attack.
 * @param {Flow} flow @param {number} slot @param {number} id
 * @returns {number} id of their body, or NO_BODY
 */
function findNearest(flow, slot, id) {
  const { world, body, alive } = flow;
  let best = Infinity;
  let found = NO_BODY;
  for (let other = 0; other < flow.slots; other++) {
    const at = body[other];
    if (other === slot || alive[other] === 0 || at === NO_BODY) continue;
    if (flow.learning[other] > 0) continue;
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
