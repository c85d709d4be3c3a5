/** The players: their controls (roll, dash, brace), and hits: who gets the points for a fall. */
import { BODY_STATE, NO_OWNER, atan256, cos256, sin256 } from '../../game/index.js';
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
const TOUCH_SPEED = 40; // minimum approach speed of a hit
const HARD_SPEED = 220; // minimum approach speed of a hit that causes an event
const FLASH_TICKS = 6;
const POST_KICK = 260;

/** @typedef {import('../../game/index.js').Flow} Flow */

/**
 * Moves a player's ball for one tick.
 * @param {Flow} flow
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

/** Moves the loose balls a little by the stick of a player who is out. @param {Flow} flow @param {number} slot */
export function nudgeBalls({ world, stickX, stickY }, slot) {
  for (let id = 0; id < world.high; id++) {
    if (world.kind[id] !== KIND.loose) continue;
    world.vx[id] += stickX[slot] * NUDGE;
    world.vy[id] += stickY[slot] * NUDGE;
  }
}

/** Returns how light a player is: 1 - HANDICAP..1 + HANDICAP. @param {Flow} flow @param {number} slot */
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

/** Records the hits of the last step. @param {Flow} flow */
export function recordHits(flow) {
  const { world, own } = flow;
  for (let i = 0; i < world.contactCount; i++) {
    const p = world.contactA[i];
    const q = world.contactB[i];
    if (((world.flags[p] | world.flags[q]) & world.FLAG.sensor) !== 0) continue;
    const speed = world.contactSpeed[i];
    if (world.kind[q] === KIND.post) kickBody(flow, q, p);
    else if (world.kind[p] === KIND.post) kickBody(flow, p, q);
    else if (speed >= TOUCH_SPEED) {
      recordHitter(flow, p, q);
      recordHitter(flow, q, p);
    }
    if (speed < HARD_SPEED) continue;
    own.flash[p] = FLASH_TICKS;
    own.flash[q] = FLASH_TICKS;
    emitHit(flow, p, q);
  }
}

/** Kicks a body away from a post. @param {Flow} flow @param {number} post @param {number} id */
function kickBody(flow, post, id) {
  const { world } = flow;
  const dx = world.x[id] - world.x[post];
  const dy = world.y[id] - world.y[post];
  const length = Math.sqrt(dx * dx + dy * dy) || 1;
  world.vx[id] += (dx / length) * POST_KICK * world.invMass[id];
  world.vy[id] += (dy / length) * POST_KICK * world.invMass[id];
  flow.event(EVENT.ping, NO_OWNER, world.x[post], world.y[post]);
}

/**
 * Records who hit a player last. A loose ball that a player hits becomes theirs: it takes their colour,
 * and its hits count for them.
 * @param {Flow} flow @param {number} id body that was hit @param {number} by body that hit it
 */
function recordHitter(flow, id, by) {
  const { world, own } = flow;
  const hitter = world.owner[by];
  if (hitter === NO_OWNER) return;
  if (world.kind[id] === KIND.player) {
    const slot = world.owner[id];
    if (slot === hitter) return;
    own.hitBy[slot] = hitter;
    own.hitTick[slot] = flow.tick;
  } else if (world.kind[by] === KIND.player) {
    world.owner[id] = hitter;
  }
}

/** Emits a hard hit. Of two players, the faster one was hit. @param {Flow} flow @param {number} p @param {number} q */
function emitHit(flow, p, q) {
  const { world } = flow;
  const { kind, vx, vy, x, y } = world;
  let hit = p;
  if (kind[p] !== KIND.player) {
    if (kind[q] !== KIND.player) return;
    hit = q;
  } else if (kind[q] === KIND.player) {
    const faster = vx[q] * vx[q] + vy[q] * vy[q] > vx[p] * vx[p] + vy[p] * vy[p];
    if (faster) hit = q;
  }
  flow.event(EVENT.hit, world.owner[hit], (x[p] + x[q]) / 2, (y[p] + y[q]) / 2);
}
