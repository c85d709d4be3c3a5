/** Records hits: who gets the points for a fall, and the events of hard hits. */
import { NO_OWNER } from '../../game/index.js';
import { EVENT, KIND } from './constants.js';

const TOUCH_SPEED = 40; // minimum approach speed of a hit
const HARD_SPEED = 220; // minimum approach speed of a hit that causes an event
const FLASH_TICKS = 6;
const POST_KICK = 260;

/** @typedef {import('../../game/index.js').Flow} Flow */

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

/**
 * Emits the event of a hard hit. Of two players, the faster one after the collision was hit.
 * @param {Flow} flow @param {number} p @param {number} q
 */
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
