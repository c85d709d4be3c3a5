/**
 * The bots. In each team the player nearest to the ball goes for it. Of the others, the one nearest to the own goal
 * guards it, and the rest wait for a pass.
 */
import { BUTTON_A, BUTTON_B, NO_BODY } from 'pitv/game';
import {
  BALL_RADIUS,
  CENTRE_X,
  CENTRE_Y,
  LEFT,
  PLAYER_RADIUS,
  RIGHT,
  SLOTS,
  directionOf,
} from './pitch.js';

const MAX_STRENGTH = 2;
/** A bot that stands in for a person may be weaker than easy. */
const MAX_STEPS = 4;
/** What each step below the greatest strength adds to the factor of errors and of the ticks between decisions. */
const EASE_STEP = 0.66;
/** What each step takes from the tilt of the stick. */
const TILT_STEP = 0.11;
const MIN_DECISION_TICKS = 5;
const MAX_DECISION_TICKS = 11;
const LOOK_AHEAD = 0.14; // seconds
const OWN_LEAD = 0.1; // seconds of its own movement that a bot takes into account
const TOUCH = PLAYER_RADIUS + BALL_RADIUS;
const KICK_RANGE = TOUCH + 34;
const BEHIND = 92; // distance of the place behind the ball
const SIDESTEP = 96; // way around the ball
const AIM = 0.78; // of half a goal's width: beside the guard
const AIM_ERROR = 60; // world units on the goal line
const AIM_CHANCE = 40; // decisions between two changes of the corner, on average
const STEER_ERROR = 50;
const ALIGNED = 0.72; // cosine of the angle at which a bot runs through the ball
const SHOT_ALIGNED = 0.86;
const DASH_CHANCE = 0.5;
const DASH_RANGE = 190;
const GUARD_DISTANCE = 140; // from the goal line
const GUARD_RADIUS = 270; // a ball this near to the goal is cleared
const SLOW_RADIUS = 50;
/** Bots do not wait for a person who does not move: the square of the factor on that person's distance. */
const IDLE_WEIGHT = 100;

/** @typedef {import('pitv/game').Flow} Flow */

/** Sets the controls of a bot. @param {Flow} flow @param {number} slot who has a body */
export function steerBot(flow, slot) {
  const { world, own } = flow;
  if (--own.botTicks[slot] > 0) {
    flow.command(slot, flow.stickX[slot], flow.stickY[slot], 0);
    return;
  }
  const ticks = MIN_DECISION_TICKS + world.randomInt(MAX_DECISION_TICKS - MIN_DECISION_TICKS + 1);
  own.botTicks[slot] = Math.round(ticks * easeOf(flow, slot));
  if (own.aim[slot] === 0 || world.randomInt(AIM_CHANCE) === 0) {
    own.aim[slot] = world.random() < 0.5 ? -AIM : AIM;
  }
  const ball = own.ball[0];
  const ownGoal = directionOf(flow.team[slot]) > 0 ? LEFT : RIGHT;
  if (nearestMate(flow, slot, world.x[ball], world.y[ball], -1) === slot) attack(flow, slot);
  else if (isGuard(flow, slot, ownGoal)) guard(flow, slot, ownGoal);
  else support(flow, slot);
}

/**
 * Returns how many steps a bot is below the greatest strength. One that stands in for a person, on the side with fewer
 * people, is as strong as these: it gets stronger with each goal that its team is behind, and weaker with each ahead.
 * @param {Flow} flow @param {number} slot
 * @returns {number} 0..MAX_STEPS
 */
function stepsBelow({ human, team, teamScore, options }, slot) {
  let mates = 0;
  let opponents = 0;
  for (let other = 0; other < SLOTS; other++) {
    if (human[other] === 0) continue;
    if (team[other] === team[slot]) mates++;
    else opponents++;
  }
  if (mates === 0 || mates >= opponents) return MAX_STRENGTH - options.botStrength;
  const lead = teamScore[team[slot]] - teamScore[1 - team[slot]];
  return Math.max(0, Math.min(MAX_STEPS, MAX_STRENGTH + lead));
}

/** Returns the factor of errors and of the ticks between decisions. @param {Flow} flow @param {number} slot */
const easeOf = (flow, slot) => 1 + EASE_STEP * stepsBelow(flow, slot);

/**
 * Finds the player of a team who is nearest to a place. Players who are stunned or do not move count as further away.
 * @param {Flow} flow @param {number} slot of one of the team @param {number} x @param {number} y
 * @param {number} except a slot that does not count, or -1
 * @returns {number} slot
 */
function nearestMate(flow, slot, x, y, except) {
  const { world, own, team, body } = flow;
  let found = slot;
  let best = Infinity;
  for (let mate = 0; mate < SLOTS; mate++) {
    const id = body[mate];
    if (id === NO_BODY || team[mate] !== team[slot] || mate === except) continue;
    const dx = world.x[id] - x;
    const dy = world.y[id] - y;
    const idle = flow.human[mate] === 1 && flow.stickX[mate] === 0 && flow.stickY[mate] === 0;
    const distance2 = (dx * dx + dy * dy) * (idle ? IDLE_WEIGHT : own.stun[mate] > 0 ? 4 : 1);
    if (distance2 >= best) continue;
    best = distance2;
    found = mate;
  }
  return found;
}

/** @param {Flow} flow @param {number} slot @param {number} ownGoal x */
function isGuard(flow, slot, ownGoal) {
  const { world, own } = flow;
  const ball = own.ball[0];
  const chaser = nearestMate(flow, slot, world.x[ball], world.y[ball], -1);
  return nearestMate(flow, slot, ownGoal, CENTRE_Y, chaser) === slot;
}

/** Brings the ball to the other goal: gets behind it, runs, shoots. @param {Flow} flow @param {number} slot */
function attack(flow, slot) {
  const { world, own, team, body } = flow;
  const id = body[slot];
  const ball = own.ball[0];
  const goal = directionOf(team[slot]) > 0 ? RIGHT : LEFT;
  const x = world.x[ball] + world.vx[ball] * LOOK_AHEAD;
  const y = world.y[ball] + world.vy[ball] * LOOK_AHEAD;
  let goalX = goal - x;
  let goalY = CENTRE_Y + own.aim[slot] * own.goalHalf[0] - y;
  const goalDistance = Math.sqrt(goalX * goalX + goalY * goalY) || 1;
  goalX /= goalDistance;
  goalY /= goalDistance;
  const dx = x - world.x[id];
  const dy = y - world.y[id];
  const distance = Math.sqrt(dx * dx + dy * dy) || 1;
  const along = (dx * goalX + dy * goalY) / distance; // 1: straight behind the ball
  if (along > ALIGNED) {
    if (distance < KICK_RANGE && along > SHOT_ALIGNED) {
      const error = ((world.random() - 0.5) * 2 * AIM_ERROR * easeOf(flow, slot)) / goalDistance;
      return flow.command(slot, goalX - goalY * error, goalY + goalX * error, BUTTON_A);
    }
    const buttons = wantsDash(flow, slot, distance) ? BUTTON_B : 0;
    const touch = TOUCH * 0.7;
    return steerTo(flow, slot, x - goalX * touch, y - goalY * touch, buttons, false);
  }
  // Around the ball: aside while it is in the way.
  const side = dx * goalY - dy * goalX > 0 ? 1 : -1;
  const aside = along < 0.2 ? SIDESTEP * side : 0;
  const behindX = x - goalX * BEHIND - goalY * aside;
  const behindY = y - goalY * BEHIND + goalX * aside;
  steerTo(flow, slot, behindX, behindY, 0, false);
}

/**
 * Whether to dash at an opponent who has the ball, and who has had time to learn the controls.
 * @param {Flow} flow @param {number} slot @param {number} distance of the ball
 */
function wantsDash(flow, slot, distance) {
  const { world, own, team, body } = flow;
  if (distance > DASH_RANGE || own.dashCool[slot] > 0 || world.random() > DASH_CHANCE) return false;
  const ball = own.ball[0];
  for (let other = 0; other < SLOTS; other++) {
    const id = body[other];
    if (id === NO_BODY || team[other] === team[slot] || flow.learning[other] > 0) continue;
    const dx = world.x[id] - world.x[ball];
    const dy = world.y[id] - world.y[ball];
    if (dx * dx + dy * dy < 1.6 * TOUCH * 1.6 * TOUCH) return true;
  }
  return false;
}

/** Guards the own goal, and clears the ball. @param {Flow} flow @param {number} slot @param {number} ownGoal x */
function guard(flow, slot, ownGoal) {
  const { world, own } = flow;
  const ball = own.ball[0];
  const dx = world.x[ball] - ownGoal;
  const dy = world.y[ball] - CENTRE_Y;
  const distance = Math.sqrt(dx * dx + dy * dy) || 1;
  if (distance < GUARD_RADIUS) return attack(flow, slot);
  const out = Math.min(GUARD_DISTANCE, distance * 0.5) / distance;
  steerTo(flow, slot, ownGoal + dx * out, CENTRE_Y + dy * out, 0, true);
}

/** Waits ahead of the ball, in the other half of the pitch's width. @param {Flow} flow @param {number} slot */
function support(flow, slot) {
  const { world, own, team } = flow;
  const ball = own.ball[0];
  const ahead = world.x[ball] + directionOf(team[slot]) * 210;
  const x = Math.max(LEFT + 130, Math.min(RIGHT - 130, ahead));
  const y = CENTRE_Y + (world.y[ball] > CENTRE_Y ? -190 : 190);
  const crowd = (slot - SLOTS / 2) * 12; // so that two of them do not stand in one place
  steerTo(flow, slot, x + (CENTRE_X - x) * 0.1 + crowd, y, 0, true);
}

/**
 * Steers towards a place, not quite exactly.
 * @param {Flow} flow @param {number} slot @param {number} x @param {number} y
 * @param {number} buttons @param {boolean} stops whether to slow down there
 */
function steerTo(flow, slot, x, y, buttons, stops) {
  const { world, body } = flow;
  const id = body[slot];
  const error = STEER_ERROR * easeOf(flow, slot);
  const dx = x - world.x[id] - world.vx[id] * OWN_LEAD + (world.random() - 0.5) * error;
  const dy = y - world.y[id] - world.vy[id] * OWN_LEAD + (world.random() - 0.5) * error;
  const distance = Math.sqrt(dx * dx + dy * dy) || 1;
  const full = 1 - TILT_STEP * stepsBelow(flow, slot);
  const tilt = full * (stops ? Math.min(1, distance / SLOW_RADIUS) : 1);
  flow.command(slot, (dx / distance) * tilt, (dy / distance) * tilt, buttons);
}
