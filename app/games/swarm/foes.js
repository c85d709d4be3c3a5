/**
 * The foes: motes (small), chunks (break into motes), embers (explode and set off others) and hulks
 * (big, break into chunks); also the dust between them, which is harmless. A foe moves towards the
 * nearest ship and partly around it. The simulation kernel makes the foes bump into each other.
 */
import { BODY_STATE, NO_BODY, NO_OWNER, SHAPE, cos256, sin256 } from '../../game/index.js';

/** Kinds of bodies, and their indexes by name. */
export const KINDS = [
  { name: 'ship', look: 'ship', color: 'owner', glow: true },
  { name: 'bullet', look: 'bullet', color: 'owner', glow: true },
  { name: 'mote', look: 'shard', color: '#c6ff4a' },
  { name: 'chunk', look: 'shard', color: '#c9885b' },
  { name: 'ember', look: 'orb', color: '#ff5a36', glow: true },
  { name: 'hulk', look: 'shard', color: '#9b5de5', glow: true },
  { name: 'star', look: 'orb', color: '#ffe66d', glow: true },
  { name: 'dust', look: 'shard', color: '#10162a' },
  { name: 'hull3', look: 'ring', color: '#5fe07a' },
  { name: 'hull2', look: 'ring', color: '#ffd24d' },
  { name: 'hull1', look: 'ring', color: '#ff4d4d' },
];
export const KIND = Object.fromEntries(KINDS.map(({ name }, i) => [name, i]));
/** Types of events, and their indexes by name. */
export const EVENTS = [
  { name: 'pop', effect: 'flash', sound: 'pop', rumbleMs: 0 },
  { name: 'boom', effect: 'burst', sound: 'boom', rumbleMs: 0 },
  { name: 'hurt', effect: 'ring', sound: 'hit', rumbleMs: 120 },
  { name: 'lost', effect: 'burst', sound: 'boom', rumbleMs: 400 },
  { name: 'pulse', effect: 'ring', sound: 'dash', rumbleMs: 60 },
  { name: 'wave', effect: 'ring', sound: 'fanfare', rumbleMs: 0 },
  { name: 'star', effect: 'burst', sound: 'pop', rumbleMs: 60 },
  { name: 'won', effect: 'ring', sound: 'fanfare', rumbleMs: 0 },
];
export const EVENT = Object.fromEntries(EVENTS.map(({ name }, i) => [name, i]));

/**
 * Properties of the foes by kind. radius: world units if the option `bodies` is 1500; weight: its part
 * of a wave's size; speed: factor.
 * @type {Readonly<Record<number, {radius: number, hp: number, points: number, weight: number,
 *   speed: number}>>}
 */
const FOES = Object.freeze({
  [KIND.mote]: { radius: 10, hp: 1, points: 1, weight: 1, speed: 1 },
  [KIND.chunk]: { radius: 16, hp: 3, points: 3, weight: 4, speed: 0.75 },
  [KIND.ember]: { radius: 12, hp: 1, points: 2, weight: 1, speed: 0.85 },
  [KIND.hulk]: { radius: 44, hp: 30, points: 25, weight: 17, speed: 0.5 },
});
const DUST_RADIUS = 4.5;
const DUST_DRAG = 0.985;
const CHUNK_MOTES = 3;
const HULK_CHUNKS = 4;
const DRAG = 0.965; // factor on a foe's speed in each tick
const AIM_TICKS = 16; // interval between searches for the nearest ship
const FUSE_TICKS = 7; // from the hit to the explosion of an ember, so that chain reactions are visible
const BLAST_RADIUS = 76;
const BLAST_DAMAGE = 2;
const ENTRY_WIDTH = 41; // angle of the arc through which a pack comes in, 1/256 turns
const SHIP_CLEARANCE = 260; // minimum distance of a new foe from the ships
const MAX_POPS_PER_TICK = 4; // because the ring of events is short
const STAR_CHANCE = 0.012; // probability that a destroyed foe leaves a star

/** @typedef {import('../../game/index.js').Flow} Flow */

/** Returns whether a kind of body is a foe. @param {number} kind */
export const isFoe = (kind) => kind >= KIND.mote && kind <= KIND.hulk;

/** Returns a foe's part of a wave's size. @param {number} kind */
export const weightOf = (kind) => FOES[kind].weight;

/** Returns the scale of foes: the more bodies are allowed, the smaller they are. @param {Flow} flow */
const scaleOf = (flow) => Math.min(1.15, Math.max(0.5, Math.sqrt(1500 / flow.options.bodies)));

/**
 * Adds a foe, unless the number of bodies is at its maximum.
 * @param {Flow} flow @param {number} kind @param {number} x @param {number} y
 * @param {number} vx @param {number} vy
 */
function addFoe(flow, kind, x, y, vx, vy) {
  const { world, own } = flow;
  if (world.count >= flow.options.bodies) return;
  const foe = FOES[kind];
  const id = world.add({
    shape: SHAPE.circle,
    kind,
    x,
    y,
    vx,
    vy,
    radius: foe.radius * scaleOf(flow),
    angle: world.randomInt(256),
  });
  own.hp[id] = foe.hp;
  own.timer[id] = 0;
  own.aim[id] = NO_OWNER;
}

/** Adds dust at random positions. @param {Flow} flow @param {number} count */
export function scatterDust(flow, count) {
  const { world } = flow;
  for (let i = 0; i < count; i++) {
    world.add({
      shape: SHAPE.circle,
      kind: KIND.dust,
      x: world.random() * world.width,
      y: world.random() * world.height,
      vx: (world.random() - 0.5) * 60,
      vy: (world.random() - 0.5) * 60,
      radius: DUST_RADIUS * scaleOf(flow) * (0.7 + 0.6 * world.random()),
      angle: world.randomInt(256),
    });
  }
}

/**
 * Lets in a foe at the border, away from the ships.
 * @param {Flow} flow @param {number} kind
 * @param {number} side direction of the position from the centre, 1/256 turns
 */
export function spawnFoe(flow, kind, side) {
  const { world } = flow;
  const margin = FOES[kind].radius + 4;
  for (let tries = 0; tries < 4; tries++) {
    const angle = (side + world.randomInt(ENTRY_WIDTH) + tries * 64) & 255;
    const reachX = cos256(angle) * world.width;
    const reachY = sin256(angle) * world.width;
    const x = Math.min(world.width - margin, Math.max(margin, world.width / 2 + reachX));
    const y = Math.min(world.height - margin, Math.max(margin, world.height / 2 + reachY));
    if (tries < 3 && findNearestShip(flow, x, y, SHIP_CLEARANCE) !== NO_OWNER) continue;
    addFoe(flow, kind, x, y, (world.random() - 0.5) * 80, (world.random() - 0.5) * 80);
    return;
  }
}

/** Finds the slot of the nearest ship. @param {Flow} flow @param {number} x @param {number} y @param {number} within */
function findNearestShip(flow, x, y, within) {
  const { world, body } = flow;
  let best = within * within;
  let found = NO_OWNER;
  for (let slot = 0; slot < flow.slots; slot++) {
    const id = body[slot];
    if (id === NO_BODY) continue;
    const dx = world.x[id] - x;
    const dy = world.y[id] - y;
    const distance = dx * dx + dy * dy;
    if (distance < best) {
      best = distance;
      found = slot;
    }
  }
  return found;
}

/**
 * Moves foes and dust for one tick, and explodes embers.
 * @param {Flow} flow
 * @param {number} speed top speed of a mote, world units per second
 * @param {boolean} straight whether the foes attack directly
 */
export function moveFoes(flow, speed, straight) {
  const { world, own, body } = flow;
  const { x, y, vx, vy, kind, shape } = world;
  const push = speed * (1 - DRAG);
  const tick = flow.tick;
  for (let id = 0; id < world.high; id++) {
    const is = kind[id];
    if (is === KIND.dust) {
      vx[id] *= DUST_DRAG;
      vy[id] *= DUST_DRAG;
      continue;
    }
    if (shape[id] === SHAPE.none || is < KIND.mote || is > KIND.hulk) continue;
    if (own.timer[id] > 0 && --own.timer[id] === 0) {
      explode(flow, id);
      continue;
    }
    if ((tick + id) % AIM_TICKS === 0) {
      own.aim[id] = findNearestShip(flow, x[id], y[id], Infinity);
      world.state[id] &= ~BODY_STATE.hit;
    }
    const target = own.aim[id] === NO_OWNER ? NO_BODY : body[own.aim[id]];
    const dx = (target === NO_BODY ? world.width / 2 : x[target]) - x[id];
    const dy = (target === NO_BODY ? world.height / 2 : y[target]) - y[id];
    const distance = Math.sqrt(dx * dx + dy * dy);
    // Towards the ship and around it, half of the foes in each direction; directly when near.
    const aside = straight || distance < 200 ? 0 : id & 1 ? 0.7 : -0.7;
    const scale = (push * FOES[is].speed) / (distance + 1);
    vx[id] = vx[id] * DRAG + (dx - dy * aside) * scale;
    vy[id] = vy[id] * DRAG + (dy + dx * aside) * scale;
  }
}

/**
 * Damages a foe. An ember starts to burn; other foes without hit points are destroyed.
 * @param {Flow} flow @param {number} id of a foe
 * @param {number} damage @param {number} by slot that gets the points, or NO_OWNER
 */
export function damageFoe(flow, id, damage, by) {
  const { world, own } = flow;
  if (own.hp[id] <= 0) return;
  own.hp[id] -= damage;
  world.state[id] |= BODY_STATE.hit;
  if (own.hp[id] > 0) return;
  if (world.kind[id] === KIND.ember) {
    own.timer[id] = FUSE_TICKS;
    world.owner[id] = by;
    return;
  }
  destroyFoe(flow, id, by);
}

/** Removes a foe, scores it, and adds its parts. @param {Flow} flow @param {number} id @param {number} by */
function destroyFoe(flow, id, by) {
  const { world, own } = flow;
  const kind = world.kind[id];
  const x = world.x[id];
  const y = world.y[id];
  const vx = world.vx[id];
  const vy = world.vy[id];
  if (by !== NO_OWNER) {
    flow.score[by] += FOES[kind].points;
    own.team[0] += FOES[kind].points;
  }
  own.hp[id] = 0;
  world.remove(id);
  if (kind === KIND.hulk || own.pops[0]++ < MAX_POPS_PER_TICK) {
    flow.event(kind === KIND.hulk ? EVENT.boom : EVENT.pop, by, x, y);
  }
  const parts = kind === KIND.hulk ? HULK_CHUNKS : kind === KIND.chunk ? CHUNK_MOTES : 0;
  const part = kind === KIND.hulk ? KIND.chunk : KIND.mote;
  const spread = FOES[kind].radius * 0.5;
  const turn = world.randomInt(256);
  for (let i = 0; i < parts; i++) {
    const angle = turn + Math.floor((i * 256) / parts);
    const outX = cos256(angle);
    const outY = sin256(angle);
    addFoe(flow, part, x + outX * spread, y + outY * spread, vx + outX * 120, vy + outY * 120);
  }
  if (by !== NO_OWNER && (kind === KIND.hulk || world.random() < STAR_CHANCE)) addStar(flow, x, y);
}

/** @param {Flow} flow @param {number} x @param {number} y */
function addStar(flow, x, y) {
  const id = flow.world.add({
    shape: SHAPE.circle,
    kind: KIND.star,
    x,
    y,
    radius: 15,
    sensor: true,
  });
  flow.own.timer[id] = 60 * 12;
}

/** Explodes an ember. @param {Flow} flow @param {number} id */
function explode(flow, id) {
  const { world } = flow;
  const by = world.owner[id];
  const x = world.x[id];
  const y = world.y[id];
  flow.own.hp[id] = 0;
  destroyFoe(flow, id, by);
  flow.event(EVENT.boom, by, x, y);
  pushAndDamage(flow, x, y, BLAST_RADIUS * scaleOf(flow), BLAST_DAMAGE, 260, by);
}

/**
 * Damages the foes around a point, and pushes foes and dust away.
 * @param {Flow} flow @param {number} x @param {number} y @param {number} radius
 * @param {number} damage @param {number} push speed added at the centre
 * @param {number} by slot that gets the points, or NO_OWNER
 */
export function pushAndDamage(flow, x, y, radius, damage, push, by) {
  const { world } = flow;
  const reach = radius * 1.5; // bodies further out are pushed but not damaged
  const { high } = world; // excludes the parts of foes that this call destroys
  for (let id = 0; id < high; id++) {
    const kind = world.kind[id];
    if (world.shape[id] === SHAPE.none || !(isFoe(kind) || kind === KIND.dust)) continue;
    const dx = world.x[id] - x;
    const dy = world.y[id] - y;
    const square = dx * dx + dy * dy;
    const far = reach + world.a[id];
    if (square > far * far) continue;
    const distance = Math.sqrt(square) + 1;
    const strength = (push * (1 - distance / (far + 1))) / distance;
    const weight = kind === KIND.hulk ? 0.2 : 1;
    world.vx[id] += dx * strength * weight;
    world.vy[id] += dy * strength * weight;
    if (kind !== KIND.dust && distance <= radius + world.a[id]) damageFoe(flow, id, damage, by);
  }
}
