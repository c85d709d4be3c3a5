/** The ships: steering, guns, the pulse, the hull, loss and replacement. */
import {
  BODY_STATE,
  BUTTON_A,
  NO_BODY,
  NO_OWNER,
  SHAPE,
  atan256,
  cos256,
  sin256,
} from '../../game/index.js';
import { EVENT, KIND, damageFoe, isFoe, pushAndDamage } from './foes.js';

const SHIP_RADIUS = 17;
const THRUST = 24; // speed that a fully tilted stick adds in each tick
const DRAG = 0.935;
export const HULL = 3;
const SAFE_TICKS = 75; // invulnerable after a hit
const SPAWN_SAFE_TICKS = 150; // invulnerable after it is added, and while a new player learns the controls
const RESPAWN_TICKS = 120; // from a ship's loss to its replacement
const GUN_TICKS = 7;
const GUN_TICKS_PER_SHIP = 0.8; // guns are slower with more ships, so that eight are not too strong
const BULLET_SPEED = 900;
const BULLET_TICKS = 42;
const BULLET_RADIUS = 8;
const BULLET_HITS = 1; // number of foes that a bullet can hit
const SIGHT = 520; // range of automatic aiming, world units
const SPREAD = 9; // angle between the three bullets of a ship with a star, 1/256 turns
const STAR_TICKS = 60 * 9;
const PULSE_TICKS = 60 * 8;
const PULSE_RADIUS = 185;
const PULSE_DAMAGE = 4;

/** @typedef {import('../../game/index.js').Flow} Flow */

/** Adds a player's ship near the centre. @param {Flow} flow @param {number} slot */
export function addShip(flow, slot) {
  const { world, own } = flow;
  const angle = slot * 32;
  const id = world.add({
    shape: SHAPE.circle,
    kind: KIND.ship,
    owner: slot,
    x: world.width / 2 + cos256(angle) * 110,
    y: world.height / 2 + sin256(angle) * 110,
    radius: SHIP_RADIUS,
    mass: 4000,
    angle: angle & 255,
  });
  flow.body[slot] = id;
  flow.alive[slot] = 1;
  own.hull[slot] = HULL;
  own.safe[slot] = SPAWN_SAFE_TICKS;
  own.cool[slot] = 0;
  own.star[slot] = 0;
  own.gun[slot] = 0;
}

/** Removes a ship without an event. @param {Flow} flow @param {number} slot */
export function removeShip(flow, slot) {
  if (flow.body[slot] !== NO_BODY) flow.world.remove(flow.body[slot]);
  flow.body[slot] = NO_BODY;
  flow.alive[slot] = 0;
  flow.gauge[slot] = 0;
}

/** Applies a player's controls to their ship. @param {Flow} flow @param {number} slot with a ship */
export function flyShip(flow, slot) {
  const { world, own, body } = flow;
  const id = body[slot];
  const x = flow.stickX[slot];
  const y = flow.stickY[slot];
  if (x !== 0 || y !== 0) world.angle[id] = atan256(y, x);
  world.vx[id] = world.vx[id] * DRAG + x * THRUST;
  world.vy[id] = world.vy[id] * DRAG + y * THRUST;
  if (own.safe[slot] > 0 && flow.learning[slot] === 0) own.safe[slot]--;
  if (own.star[slot] > 0) own.star[slot]--;
  if (own.gun[slot] > 0) own.gun[slot]--;
  if (own.cool[slot] > 0) own.cool[slot]--;
  flow.gauge[slot] = 1 - own.cool[slot] / PULSE_TICKS;
  world.state[id] =
    (own.safe[slot] > 0 ? BODY_STATE.ghost : 0) | (own.star[slot] > 0 ? BODY_STATE.boost : 0);
  const fires = (flow.held[slot] & BUTTON_A) !== 0 || flow.tapsA[slot] > 0;
  if (fires && own.gun[slot] === 0) fireGun(flow, slot, id);
  if (flow.tapsB[slot] > 0 && own.cool[slot] === 0) {
    own.cool[slot] = PULSE_TICKS;
    flow.event(EVENT.pulse, slot, world.x[id], world.y[id]);
    pushAndDamage(flow, world.x[id], world.y[id], PULSE_RADIUS, PULSE_DAMAGE, 700, slot);
  }
}

/** Fires one bullet, or three with a star. @param {Flow} flow @param {number} slot @param {number} id */
function fireGun(flow, slot, id) {
  const { world, own } = flow;
  own.gun[slot] = Math.round(GUN_TICKS + GUN_TICKS_PER_SHIP * own.crew[0]);
  const aim = chooseAim(flow, id);
  const spread = own.star[slot] > 0 ? SPREAD : 0;
  for (let turn = -spread; turn <= spread; turn += SPREAD) {
    if (world.count >= world.capacity - 8) return; // leaves room for ships
    const angle = (aim + turn) & 255;
    const bullet = world.add({
      shape: SHAPE.circle,
      kind: KIND.bullet,
      owner: slot,
      x: world.x[id] + cos256(angle) * SHIP_RADIUS,
      y: world.y[id] + sin256(angle) * SHIP_RADIUS,
      vx: cos256(angle) * BULLET_SPEED,
      vy: sin256(angle) * BULLET_SPEED,
      radius: BULLET_RADIUS,
      sensor: true,
      angle,
    });
    own.timer[bullet] = BULLET_TICKS;
    own.hp[bullet] = BULLET_HITS;
    if (spread === 0) return;
  }
}

/**
 * Chooses where the gun aims, because one thumb cannot fly and aim at once. It prefers foes that are
 * near and ahead: a foe behind the ship counts as three times as far away.
 * @param {Flow} flow @param {number} id of the ship
 * @returns {number} angle, 1/256 turns
 */
function chooseAim(flow, id) {
  const { world } = flow;
  const aheadX = cos256(world.angle[id]);
  const aheadY = sin256(world.angle[id]);
  let best = SIGHT;
  let angle = world.angle[id];
  for (let foe = 0; foe < world.high; foe++) {
    if (world.shape[foe] === SHAPE.none || !isFoe(world.kind[foe])) continue;
    const dx = world.x[foe] - world.x[id];
    const dy = world.y[foe] - world.y[id];
    const square = dx * dx + dy * dy;
    if (square > SIGHT * SIGHT) continue;
    const distance = Math.sqrt(square);
    const counts = 2 * distance - (dx * aheadX + dy * aheadY);
    if (counts >= best) continue;
    best = counts;
    const lead = distance / BULLET_SPEED;
    angle = atan256(dy + world.vy[foe] * lead, dx + world.vx[foe] * lead);
  }
  return angle;
}

/** Resolves this step's contacts of bullets and ships. @param {Flow} flow */
export function resolveTouches(flow) {
  const { world } = flow;
  const { kind, shape } = world;
  for (let i = 0; i < world.contactCount; i++) {
    const p = world.contactA[i];
    const q = world.contactB[i];
    // An earlier contact may have removed one of the two.
    if (shape[p] === SHAPE.none || shape[q] === SHAPE.none) continue;
    if (kind[p] === KIND.bullet && isFoe(kind[q])) hitFoe(flow, p, q);
    else if (kind[q] === KIND.bullet && isFoe(kind[p])) hitFoe(flow, q, p);
    else if (kind[p] === KIND.ship) touchShip(flow, p, q);
    else if (kind[q] === KIND.ship) touchShip(flow, q, p);
  }
}

/** Hits a foe with a bullet. @param {Flow} flow @param {number} bullet @param {number} foe */
function hitFoe(flow, bullet, foe) {
  const { world, own } = flow;
  if (own.hp[foe] <= 0) return; // its fuse is already burning
  damageFoe(flow, foe, 1, world.owner[bullet]);
  if (--own.hp[bullet] <= 0) world.remove(bullet);
}

/** Picks up a star, or damages the ship. @param {Flow} flow @param {number} ship @param {number} other */
function touchShip(flow, ship, other) {
  const { world, own } = flow;
  const slot = world.owner[ship];
  if (world.kind[other] === KIND.star) {
    world.remove(other);
    own.star[slot] = STAR_TICKS;
    own.hull[slot] = HULL;
    flow.event(EVENT.star, slot, world.x[ship], world.y[ship]);
    return;
  }
  if (!isFoe(world.kind[other]) || own.safe[slot] > 0 || !flow.playing) return;
  own.safe[slot] = SAFE_TICKS;
  const x = world.x[ship];
  const y = world.y[ship];
  if (--own.hull[slot] > 0) {
    flow.event(EVENT.hurt, slot, x, y);
    pushAndDamage(flow, x, y, 70, 1, 500, NO_OWNER);
    return;
  }
  removeShip(flow, slot);
  flow.event(EVENT.lost, slot, x, y);
  pushAndDamage(flow, x, y, 190, 3, 700, NO_OWNER);
  if (own.lives[0] > 0) {
    own.lives[0]--;
    own.back[slot] = RESPAWN_TICKS;
  } else {
    own.out[slot] = 1; // until the next wave
  }
}
