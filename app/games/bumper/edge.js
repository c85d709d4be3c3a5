/** The edge of the arena: it closes in, bodies fall over it, and loose balls roll in over it. */
import { BODY_STATE, NO_BODY, SHAPE, cos256, sin256 } from '../../game/index.js';
import { CENTRE_X, CENTRE_Y, FULL_RADIUS, KIND, PLAYER_RADIUS, SMALL_RADIUS } from './constants.js';

// The arena keeps its full size, then shrinks to nothing, so that every round ends.
const HOLD_TICKS = 5 * 60;
const SQUEEZE_TICKS = 30 * 60; // time at which its radius is SMALL_RADIUS
export const ROUND_TICKS = 42 * 60; // time at which it is gone
const MAX_OVERHANG = 0.4; // how far a ball's centre may be over the edge, part of its radius
const FALL_TICKS = 30;
const FALL_SHRINK = 0.93; // factor on the radius in each tick
const ROLL_IN_DISTANCE = 160; // from the edge, world units
const ROLL_IN_SPEED = 560;
const LOST_DISTANCE = 400; // from the edge, world units: a ball further out is removed

/** @typedef {import('../../game/index.js').Flow} Flow */

/** Returns the radius of the arena. @param {number} ticks time since the start of play */
export function arenaRadius(ticks) {
  if (ticks <= HOLD_TICKS) return FULL_RADIUS;
  if (ticks <= SQUEEZE_TICKS) {
    const part = (ticks - HOLD_TICKS) / (SQUEEZE_TICKS - HOLD_TICKS);
    return FULL_RADIUS + (SMALL_RADIUS - FULL_RADIUS) * part;
  }
  const part = (ticks - SQUEEZE_TICKS) / (ROUND_TICKS - SQUEEZE_TICKS);
  return part < 1 ? SMALL_RADIUS * (1 - part) : 0;
}

/**
 * Lets a loose ball roll in from outside. It is a sensor until it is on the arena.
 * @param {Flow} flow @param {import('./layouts.js').Layout} layout
 */
export function rollInBall(flow, layout) {
  const { world, own } = flow;
  let loose = 0;
  for (let id = 0; id < world.high; id++) {
    if (world.shape[id] !== SHAPE.none && world.kind[id] === KIND.loose) loose++;
  }
  const radius = own.arena[0];
  if (loose >= layout.loose || radius < SMALL_RADIUS) return;
  const from = world.randomInt(256);
  const heading = from + 128 + world.randomInt(41) - 20;
  const size = layout.smallest + world.random() * (layout.largest - layout.smallest);
  const id = world.add({
    shape: SHAPE.circle,
    kind: KIND.loose,
    x: CENTRE_X + cos256(from) * (radius + ROLL_IN_DISTANCE),
    y: CENTRE_Y + sin256(from) * (radius + ROLL_IN_DISTANCE),
    vx: cos256(heading) * ROLL_IN_SPEED,
    vy: sin256(heading) * ROLL_IN_SPEED,
    radius: size,
    mass: (size * size) / (PLAYER_RADIUS * PLAYER_RADIUS),
    sensor: true,
    state: BODY_STATE.ghost,
  });
  own.arriving[id] = 1;
}

/**
 * Drops the bodies over the edge: a body shrinks for a moment, then it is removed.
 * @param {Flow} flow
 * @param {(flow: Flow, slot: number, id: number) => void} onFall called when a player falls
 */
export function dropBodiesOutside(flow, onFall) {
  const { world, own } = flow;
  const radius = own.arena[0];
  for (let id = 0; id < world.high; id++) {
    if (world.shape[id] === SHAPE.none) continue;
    if (own.flash[id] > 0 && --own.flash[id] > 0) world.state[id] |= BODY_STATE.hit;
    else world.state[id] &= ~BODY_STATE.hit;
    if (own.fall[id] > 0) {
      world.a[id] *= FALL_SHRINK;
      if (--own.fall[id] === 0) removeBody(flow, id);
      continue;
    }
    const dx = world.x[id] - CENTRE_X;
    const dy = world.y[id] - CENTRE_Y;
    const distance = Math.sqrt(dx * dx + dy * dy);
    if (own.arriving[id] === 1 && !checkArrival(flow, id, distance)) continue;
    if (distance <= radius + world.a[id] * MAX_OVERHANG) continue;
    own.fall[id] = FALL_TICKS;
    world.flags[id] |= world.FLAG.sensor;
    world.state[id] = BODY_STATE.falling;
    if (world.kind[id] === KIND.player) onFall(flow, world.owner[id], id);
  }
}

/**
 * Makes an arriving ball solid once it is on the arena.
 * @param {Flow} flow @param {number} id @param {number} distance from the centre
 * @returns {boolean} whether it has arrived
 */
function checkArrival(flow, id, distance) {
  const { world, own } = flow;
  const radius = own.arena[0];
  if (distance > radius - world.a[id]) {
    if (distance > radius + LOST_DISTANCE) removeBody(flow, id);
    return false;
  }
  own.arriving[id] = 0;
  world.flags[id] &= ~world.FLAG.sensor;
  world.state[id] &= ~BODY_STATE.ghost;
  return true;
}

/** @param {Flow} flow @param {number} id */
function removeBody(flow, id) {
  const { world, own } = flow;
  if (world.kind[id] === KIND.player) flow.body[world.owner[id]] = NO_BODY;
  own.arriving[id] = 0;
  own.fall[id] = 0;
  own.flash[id] = 0;
  world.remove(id);
}
