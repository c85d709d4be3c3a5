/** Applies a player's controls to their ball: roll, dash, brace. */
import { BODY_STATE, atan256, cos256, sin256 } from '../../game/index.js';
import { EVENT, KIND } from './constants.js';

const DASH_SPEED = 430;
const DASH_COOL_TICKS = 90;
const DASH_SHOWN_TICKS = 20;
const BRACE_TICKS = 45;
const BRACE_COOL_TICKS = 120;
const BRACE_MASS = 5;
const BRACE_DRAG = 0.9; // factor on the speed in each tick
/** The handicap: a player who is this many points behind the average is heavier by this part, one ahead is lighter. */
const HANDICAP_POINTS = 6;
const HANDICAP = 0.15;
/** Speed that the fully tilted stick of a player who is out adds to each loose ball in each tick. */
const NUDGE = 1.5;

/**
 * Moves a player's ball for one tick.
 * @param {import('../../game/index.js').Flow} flow
 * @param {number} slot @param {number} id the slot's body
 * @param {number} push speed that a fully tilted stick adds in each tick
 */
export function drivePlayer(flow, slot, id, push) {
  const { world, own } = flow;
  const x = flow.stickX[slot];
  const y = flow.stickY[slot];
  if (x !== 0 || y !== 0) world.angle[id] = atan256(y, x);
  if (own.dashCool[slot] > 0) own.dashCool[slot]--;
  if (own.braceCool[slot] > 0) own.braceCool[slot]--;
  if (flow.tapsA[slot] > 0 && own.dashCool[slot] === 0) {
    const angle = world.angle[id];
    world.vx[id] += cos256(angle) * DASH_SPEED;
    world.vy[id] += sin256(angle) * DASH_SPEED;
    own.dashCool[slot] = DASH_COOL_TICKS;
    own.brace[slot] = 0;
    flow.event(EVENT.dash, slot, world.x[id], world.y[id]);
  }
  if (flow.tapsB[slot] > 0 && own.braceCool[slot] === 0) {
    own.brace[slot] = BRACE_TICKS;
    own.braceCool[slot] = BRACE_COOL_TICKS;
    flow.event(EVENT.brace, slot, world.x[id], world.y[id]);
  }
  const braced = own.brace[slot] > 0;
  if (braced) {
    own.brace[slot]--;
    world.vx[id] *= BRACE_DRAG;
    world.vy[id] *= BRACE_DRAG;
  }
  world.invMass[id] = handicap(flow, slot) / (braced ? BRACE_MASS : 1);
  world.vx[id] += x * push;
  world.vy[id] += y * push;
  const dashing = own.dashCool[slot] > DASH_COOL_TICKS - DASH_SHOWN_TICKS;
  world.state[id] = (braced ? BODY_STATE.shield : 0) | (dashing ? BODY_STATE.boost : 0);
  flow.gauge[slot] = 1 - own.dashCool[slot] / DASH_COOL_TICKS;
}

/**
 * Moves the loose balls a little by the stick of a player who is out.
 * @param {import('../../game/index.js').Flow} flow @param {number} slot
 */
export function nudgeBalls({ world, stickX, stickY }, slot) {
  for (let id = 0; id < world.high; id++) {
    if (world.kind[id] !== KIND.loose) continue;
    world.vx[id] += stickX[slot] * NUDGE;
    world.vy[id] += stickY[slot] * NUDGE;
  }
}

/**
 * Returns how light a player is: from 1 - HANDICAP, who moves others more, to 1 + HANDICAP.
 * @param {import('../../game/index.js').Flow} flow @param {number} slot
 */
function handicap(flow, slot) {
  let sum = 0;
  let seated = 0;
  for (let other = 0; other < flow.slots; other++) {
    if (!flow.seated(other)) continue;
    sum += flow.score[other];
    seated++;
  }
  const lead = (flow.score[slot] - sum / Math.max(1, seated)) / HANDICAP_POINTS;
  return 1 + HANDICAP * Math.max(-1, Math.min(1, lead));
}
