/** Who hit whom: for the credit of a fall, and for what is seen and heard of it. */
import { NO_OWNER } from '../../game/flow.js';
import { EVENT, KIND } from './terms.js';

const TOUCH_SPEED = 40; // a slower touch is not a hit
const HARD_SPEED = 220; // approach speed from which a hit is seen, heard and felt
const FLASH_TICKS = 6;
const POST_KICK = 260;

/** @typedef {import('../../game/flow.js').Flow} Flow */

/** @param {Flow} flow */
export function countHits(flow) {
  const { world, own } = flow;
  for (let i = 0; i < world.contactCount; i++) {
    const p = world.contactA[i];
    const q = world.contactB[i];
    if (((world.flags[p] | world.flags[q]) & world.FLAG.sensor) !== 0) continue;
    const speed = world.contactSpeed[i];
    if (world.kind[q] === KIND.post) kick(flow, q, p);
    else if (world.kind[p] === KIND.post) kick(flow, p, q);
    else if (speed >= TOUCH_SPEED) {
      credit(flow, p, q);
      credit(flow, q, p);
    }
    if (speed < HARD_SPEED) continue;
    own.flash[p] = FLASH_TICKS;
    own.flash[q] = FLASH_TICKS;
    tell(flow, p, q);
  }
}

/** A post throws back. @param {Flow} flow @param {number} post @param {number} id */
function kick(flow, post, id) {
  const { world } = flow;
  const dx = world.x[id] - world.x[post];
  const dy = world.y[id] - world.y[post];
  const length = Math.sqrt(dx * dx + dy * dy) || 1;
  world.vx[id] += (dx / length) * POST_KICK * world.invMass[id];
  world.vy[id] += (dy / length) * POST_KICK * world.invMass[id];
  flow.event(EVENT.ping, NO_OWNER, world.x[post], world.y[post]);
}

/**
 * A player remembers who hit them last; a loose ball takes the colour of the player who hit it, and
 * hits for that player.
 * @param {Flow} flow @param {number} id body that is hit @param {number} by body that hits
 */
function credit(flow, id, by) {
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

/** Of two players the one that flies off now was hit. @param {Flow} flow @param {number} p @param {number} q */
function tell(flow, p, q) {
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
