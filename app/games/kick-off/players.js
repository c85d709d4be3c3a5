/** The players: they come and go, run, kick and bump. */
import { BODY_STATE, NO_BODY, NO_OWNER, SHAPE, atan256, cos256, sin256 } from 'pitv/game';
import {
  BALL_RADIUS,
  CENTRE_X,
  CENTRE_Y,
  EVENT,
  KIND,
  MODE,
  PLAYER_RADIUS,
  SLOTS,
  directionOf,
} from './pitch.js';

const PUSH = 15; // speed that a fully tilted stick adds in each tick
/** The handicap: part of PUSH for each goal that a team is behind or ahead, up to MAX_LEAD. */
const HANDICAP = 0.04;
const MAX_LEAD = 3;
const DRAG = 0.962; // factor on a player's speed in each tick
const BOUNCE = 0.9;
const KICK_SPEED = 900;
const KICK_REACH = PLAYER_RADIUS + BALL_RADIUS + 16;
const KICK_TICKS = 12; // a press counts for this time, so that it may come before the touch
const KICK_COOL_TICKS = 18;
const DASH_SPEED = 420;
const DASH_TICKS = 18;
const DASH_COOL_TICKS = 100;
const BUMP_SPEED = 150; // minimum approach speed of a bump
const BUMP_PUSH = 280;
const STUN_TICKS = 28;
/** Fastest speed, so that no body passes through a wall between two ticks. */
const MAX_SPEED = 1150;

/** Places at kick-off, from the centre of the pitch towards the own goal. */
const KICKER = Object.freeze({ back: 74, aside: 0 });
const PLACES = Object.freeze([
  { back: 300, aside: 0 },
  { back: 420, aside: -210 },
  { back: 420, aside: 210 },
  { back: 590, aside: 0 },
]);

/** @typedef {import('pitv/game').Flow} Flow */

/** Adds bodies for new players, and removes those of players who have left. @param {Flow} flow */
export function fieldPlayers(flow) {
  const { world, own, body, alive } = flow;
  for (let slot = 0; slot < SLOTS; slot++) {
    const seated = flow.seated(slot);
    if (seated === (body[slot] !== NO_BODY)) continue;
    alive[slot] = seated ? 1 : 0;
    flow.gauge[slot] = alive[slot];
    own.kick[slot] = 0;
    own.kickCool[slot] = 0;
    own.dashCool[slot] = 0;
    own.stun[slot] = 0;
    if (!seated) {
      world.remove(body[slot]);
      body[slot] = NO_BODY;
      continue;
    }
    body[slot] = world.add({
      shape: SHAPE.circle,
      kind: KIND.player,
      owner: slot,
      x: CENTRE_X,
      y: CENTRE_Y,
      radius: PLAYER_RADIUS,
      mass: 1,
      restitution: BOUNCE,
    });
    placePlayer(flow, slot);
  }
}

/** Places a player for the kick-off. @param {Flow} flow @param {number} slot */
export function placePlayer(flow, slot) {
  const { world, own, team } = flow;
  const id = flow.body[slot];
  let before = 0; // teammates in lower slots
  for (let other = 0; other < slot; other++) if (team[other] === team[slot]) before++;
  const kicks = before === 0 && own.kicker[0] === team[slot];
  const { back, aside } = kicks ? KICKER : PLACES[before % PLACES.length];
  const direction = directionOf(team[slot]);
  world.x[id] = CENTRE_X - direction * back;
  world.y[id] = CENTRE_Y + aside;
  world.vx[id] = 0;
  world.vy[id] = 0;
  world.angle[id] = direction > 0 ? 0 : 128;
  world.state[id] = 0;
  own.stun[slot] = 0;
  own.kick[slot] = 0;
}

/** Applies a player's controls for a tick. @param {Flow} flow @param {number} slot who has a body */
export function drivePlayer(flow, slot) {
  const { world, own } = flow;
  const id = flow.body[slot];
  world.vx[id] *= DRAG;
  world.vy[id] *= DRAG;
  countDown(own.kick, slot);
  countDown(own.kickCool, slot);
  countDown(own.dashCool, slot);
  const stunned = own.stun[slot] > 0;
  countDown(own.stun, slot);
  flow.gauge[slot] = 1 - own.dashCool[slot] / DASH_COOL_TICKS;
  const dashing = isDashing(flow, slot);
  world.state[id] = (stunned ? BODY_STATE.hit : 0) | (dashing ? BODY_STATE.boost : 0);
  const waits = !flow.playing || own.mode[0] === MODE.set;
  if (stunned || waits) return;
  const x = flow.stickX[slot];
  const y = flow.stickY[slot];
  if (x !== 0 || y !== 0) world.angle[id] = atan256(y, x);
  const lead = flow.teamScore[flow.team[slot]] - flow.teamScore[1 - flow.team[slot]];
  const push = PUSH * (1 - HANDICAP * Math.max(-MAX_LEAD, Math.min(MAX_LEAD, lead)));
  world.vx[id] += x * push;
  world.vy[id] += y * push;
  if (flow.tapsB[slot] > 0 && own.dashCool[slot] === 0) {
    world.vx[id] += cos256(world.angle[id]) * DASH_SPEED;
    world.vy[id] += sin256(world.angle[id]) * DASH_SPEED;
    own.dashCool[slot] = DASH_COOL_TICKS;
    flow.event(EVENT.dash, slot, world.x[id], world.y[id]);
  }
  if (flow.tapsA[slot] > 0) own.kick[slot] = KICK_TICKS;
  if (own.kick[slot] > 0 && own.kickCool[slot] === 0) kickBall(flow, slot, id);
}

/** @param {Float64Array} ticks @param {number} slot */
function countDown(ticks, slot) {
  if (ticks[slot] > 0) ticks[slot]--;
}

/** @param {Flow} flow @param {number} slot */
const isDashing = ({ own }, slot) => own.dashCool[slot] > DASH_COOL_TICKS - DASH_TICKS;

/** Kicks the ball if it is near, towards the stick. @param {Flow} flow @param {number} slot @param {number} id */
function kickBall(flow, slot, id) {
  const { world, own } = flow;
  const ball = own.ball[0];
  const dx = world.x[ball] - world.x[id];
  const dy = world.y[ball] - world.y[id];
  const distance = Math.sqrt(dx * dx + dy * dy) || 1;
  if (distance > KICK_REACH) return;
  const aimX = (dx / distance) * 0.6 + flow.stickX[slot] * 0.9;
  const aimY = (dy / distance) * 0.6 + flow.stickY[slot] * 0.9;
  const length = Math.sqrt(aimX * aimX + aimY * aimY);
  // A stick straight away from the ball leaves no direction.
  const scale = length > 0.05 ? KICK_SPEED / length : 0;
  world.vx[ball] = world.vx[id] * 0.3 + aimX * scale;
  world.vy[ball] = world.vy[id] * 0.3 + aimY * scale;
  own.kick[slot] = 0;
  own.kickCool[slot] = KICK_COOL_TICKS;
  touchBall(flow, slot);
  flow.event(EVENT.kick, slot, world.x[ball], world.y[ball]);
}

/** @param {Flow} flow @param {number} slot */
function touchBall({ own, team, tick }, slot) {
  own.touch[team[slot]] = slot;
  own.touchTick[team[slot]] = tick;
}

/** Applies the contacts of the last step: who touched the ball last, bumps, and posts. @param {Flow} flow */
export function applyContacts(flow) {
  const { world, own } = flow;
  const { kind, owner } = world;
  const ball = own.ball[0];
  for (let i = 0; i < world.contactCount; i++) {
    const p = world.contactA[i];
    const q = world.contactB[i];
    const speed = world.contactSpeed[i];
    if (p === ball && kind[q] === KIND.player) touchBall(flow, owner[q]);
    else if (kind[p] === KIND.player && kind[q] === KIND.player) {
      if (speed < BUMP_SPEED) continue;
      bump(flow, owner[p], owner[q], world.contactNx[i], world.contactNy[i]);
      bump(flow, owner[q], owner[p], -world.contactNx[i], -world.contactNy[i]);
    } else if (kind[p] === KIND.post && q === ball && speed > BUMP_SPEED) {
      flow.event(EVENT.post, NO_OWNER, world.x[ball], world.y[ball]);
    }
  }
}

/**
 * Knocks an opponent away if the player dashes and the opponent does not.
 * @param {Flow} flow @param {number} slot the player @param {number} other the other player's slot
 * @param {number} nx direction from the player to the other @param {number} ny
 */
function bump(flow, slot, other, nx, ny) {
  const { world, own, team, body } = flow;
  if (team[slot] === team[other] || !isDashing(flow, slot) || isDashing(flow, other)) return;
  if (own.stun[other] > 0) return;
  const id = body[other];
  own.stun[other] = STUN_TICKS;
  world.vx[id] += nx * BUMP_PUSH;
  world.vy[id] += ny * BUMP_PUSH;
  flow.event(EVENT.bump, other, world.x[id], world.y[id]);
}

/** Limits the speed of a body. @param {import('pitv/game').World} world @param {number} id */
export function limitSpeed({ vx, vy }, id) {
  const speed2 = vx[id] * vx[id] + vy[id] * vy[id];
  if (speed2 <= MAX_SPEED * MAX_SPEED) return;
  const scale = MAX_SPEED / Math.sqrt(speed2);
  vx[id] *= scale;
  vy[id] *= scale;
}
