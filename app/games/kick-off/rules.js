/** The rules: kick-off, goals, time, golden goal. */
import { NO_BODY, NO_OWNER, SHAPE, TICK_HZ } from 'pitv/game';
import {
  BALL_RADIUS,
  CENTRE_X,
  CENTRE_Y,
  EVENT,
  GOAL_HALF,
  KIND,
  MODE,
  SLOTS,
  addPitch,
  goalAt,
  setGoals,
} from './pitch.js';
import { fieldPlayers, placePlayer } from './players.js';

const MATCH_TICKS = 120 * TICK_HZ;
/** A team with this many goals wins at once. */
export const TARGET_GOALS = 5;
const BALL_MASS = 0.35;
const BALL_BOUNCE = 0.75;
const BALL_DRAG = 0.99; // factor on the ball's speed in each tick
const NET_DRAG = 0.86;
const CREDIT_TICKS = 5 * TICK_HZ; // maximum time from a touch to a goal that it gets the credit for
const GOAL_TICKS = 100;
const SET_TICKS = 50;
const MAX_GOAL_HALF = 300;
const GOAL_GROWTH = 0.12; // world units a tick, during the golden goal
/** A golden goal that is not scored within this time is a draw. */
const GOLDEN_TICKS = 90 * TICK_HZ;
/** A ball that stays this near for this time is taken to the centre. */
const STILL_DISTANCE = 70;
const STILL_TICKS = 6 * TICK_HZ;

/** @typedef {import('pitv/game').Flow} Flow */

/** Builds the pitch, and places ball and players. @param {Flow} flow */
export function setUpMatch(flow) {
  const { world, own } = flow;
  world.clear();
  flow.body.fill(NO_BODY);
  for (const words of Object.values(own)) words.fill(0);
  addPitch(world);
  own.goalHalf[0] = GOAL_HALF;
  own.clock[0] = MATCH_TICKS;
  own.kicker[0] = world.randomInt(flow.teams);
  own.ball[0] = world.add({
    shape: SHAPE.circle,
    kind: KIND.ball,
    x: CENTRE_X,
    y: CENTRE_Y,
    radius: BALL_RADIUS,
    mass: BALL_MASS,
    restitution: BALL_BOUNCE,
  });
  fieldPlayers(flow);
  kickOff(flow, own.kicker[0]);
}

/** Places ball and players for a kick-off. @param {Flow} flow @param {number} team that kicks off */
function kickOff(flow, team) {
  const { own, body } = flow;
  own.kicker[0] = team;
  own.touch.fill(NO_OWNER);
  setMode(flow, MODE.set);
  placeBall(flow);
  for (let slot = 0; slot < SLOTS; slot++) if (body[slot] !== NO_BODY) placePlayer(flow, slot);
}

/** @param {Flow} flow */
function placeBall({ world, own }) {
  const ball = own.ball[0];
  world.x[ball] = CENTRE_X;
  world.y[ball] = CENTRE_Y;
  world.vx[ball] = 0;
  world.vy[ball] = 0;
  own.stillTicks[0] = 0;
}

/** @param {Flow} flow @param {number} mode one of MODE */
function setMode({ own }, mode) {
  own.mode[0] = mode;
  own.modeTicks[0] = 0;
}

/** Starts play: the ball may be played. @param {Flow} flow */
export function blowWhistle(flow) {
  setMode(flow, MODE.live);
  flow.event(EVENT.whistle, NO_OWNER, CENTRE_X, CENTRE_Y);
}

/** Slows the ball. @param {Flow} flow */
export function slowBall({ world, own }) {
  const ball = own.ball[0];
  const drag = own.mode[0] === MODE.goal ? NET_DRAG : BALL_DRAG;
  world.vx[ball] *= drag;
  world.vy[ball] *= drag;
}

/** Applies the rules after a tick of play. @param {Flow} flow */
export function judge(flow) {
  const { own } = flow;
  own.modeTicks[0]++;
  if (own.mode[0] === MODE.live) judgeLiveBall(flow);
  else if (own.mode[0] === MODE.set) {
    if (own.modeTicks[0] >= SET_TICKS) blowWhistle(flow);
  } else if (own.modeTicks[0] >= GOAL_TICKS) {
    if (isDecided(flow)) flow.endRound(true);
    else kickOff(flow, own.kicker[0]);
  }
  flow.ticksLeft = Math.max(0, own.clock[0]);
}

/** @param {Flow} flow */
function judgeLiveBall(flow) {
  const { world, own } = flow;
  const goal = goalAt(world.x[own.ball[0]]);
  if (goal >= 0) return scoreGoal(flow, goal);
  freeBall(flow);
  own.clock[0]--;
  if (own.golden[0] === 1) {
    own.goalHalf[0] = Math.min(MAX_GOAL_HALF, own.goalHalf[0] + GOAL_GROWTH);
    setGoals(world, own.goalHalf[0]);
    if (own.clock[0] <= -GOLDEN_TICKS) flow.endRound(true);
  } else if (own.clock[0] <= 0) {
    if (flow.teamScore[0] !== flow.teamScore[1]) flow.endRound(true);
    else startGoldenGoal(flow);
  }
}

/** Whether the last goal ends the match. @param {Flow} flow */
const isDecided = ({ own, teamScore }) =>
  own.golden[0] === 1 || Math.max(teamScore[0], teamScore[1]) >= TARGET_GOALS;

/** @param {Flow} flow @param {number} conceding the team whose goal it is */
function scoreGoal(flow, conceding) {
  const { world, own, team, body } = flow;
  const ball = own.ball[0];
  const scoring = 1 - conceding;
  flow.teamScore[scoring]++;
  own.kicker[0] = conceding;
  // A shot that a defender deflects is still the attacker's goal, and an own goal is nobody's point.
  const slot = own.touch[scoring];
  const scored = slot !== NO_OWNER && flow.tick - own.touchTick[scoring] <= CREDIT_TICKS;
  if (scored) flow.score[slot]++;
  setMode(flow, MODE.goal);
  flow.event(EVENT.goal, scored ? slot : NO_OWNER, world.x[ball], world.y[ball]);
  for (let mate = 0; mate < SLOTS; mate++) {
    if (team[mate] !== scoring || body[mate] === NO_BODY) continue;
    flow.event(EVENT.cheer, mate, world.x[body[mate]], world.y[body[mate]]);
  }
}

/** Takes a ball that has not moved for a while to the centre. @param {Flow} flow */
function freeBall(flow) {
  const { world, own } = flow;
  const ball = own.ball[0];
  const x = world.x[ball];
  const y = world.y[ball];
  const moved = Math.abs(x - own.stillX[0]) + Math.abs(y - own.stillY[0]);
  if (moved > STILL_DISTANCE) {
    own.stillX[0] = x;
    own.stillY[0] = y;
    own.stillTicks[0] = 0;
  } else if (++own.stillTicks[0] >= STILL_TICKS) {
    placeBall(flow);
    flow.event(EVENT.whistle, NO_OWNER, CENTRE_X, CENTRE_Y);
  }
}

/** The next goal wins, and the goals grow until then. @param {Flow} flow */
function startGoldenGoal(flow) {
  const { world, own } = flow;
  own.golden[0] = 1;
  world.kind[own.ball[0]] = KIND.goldenBall;
  kickOff(flow, world.randomInt(flow.teams));
  flow.event(EVENT.golden, NO_OWNER, CENTRE_X, CENTRE_Y);
}
