/** The pitch: its size, walls, posts and lines; kinds of bodies, events, and the modes of play. */
import { SHAPE } from 'pitv/game';

export const SLOTS = 8;
export const CENTRE_X = 800;
export const CENTRE_Y = 450;
/** Edges of the pitch, world units. */
export const LEFT = 120;
export const RIGHT = 1480;
const TOP = 50;
const BOTTOM = 850;
const GOAL_DEPTH = 80;
/** Half the width of a goal's mouth. */
export const GOAL_HALF = 155;
export const PLAYER_RADIUS = 30;
export const BALL_RADIUS = 22;

/** Kinds of bodies, and their indexes by name. */
export const KINDS = [
  { name: 'player', look: 'ball', color: 'owner', glow: true },
  { name: 'ball', look: 'ball', color: '#f4f4f8', picture: 'art/ball.png' },
  { name: 'goldenBall', look: 'orb', color: '#ffd24d', glow: true, picture: 'art/golden.png' },
  { name: 'wall', look: 'wall', color: '#d8f5e4', glow: true },
  { name: 'post', look: 'orb', color: '#ffffff', glow: true },
  { name: 'grass', look: 'box', color: '#12402a', picture: 'art/pitch.png' },
  { name: 'line', look: 'wall', color: '#3f8560' },
  { name: 'circle', look: 'ring', color: '#3f8560' },
  { name: 'spot', look: 'disc', color: '#4f9a70' },
  { name: 'leftGoal', look: 'box', color: '#6b4a22', picture: 'art/left-net.png' },
  { name: 'rightGoal', look: 'box', color: '#234a7a', picture: 'art/right-net.png' },
];
export const KIND = Object.fromEntries(KINDS.map(({ name }, i) => [name, i]));
/** Types of events, and their indexes by name. */
export const EVENTS = [
  { name: 'kick', effect: 'flash', sound: 'thud', rumbleMs: 40 },
  { name: 'bump', effect: 'flash', sound: 'hit', rumbleMs: 160 },
  { name: 'dash', effect: 'ring', sound: 'dash', rumbleMs: 0 },
  { name: 'goal', effect: 'burst', sound: 'fanfare', rumbleMs: 0 },
  { name: 'whistle', effect: 'ring', sound: 'go', rumbleMs: 0 },
  { name: 'post', effect: 'flash', sound: 'zap', rumbleMs: 0 },
  { name: 'golden', effect: 'burst', sound: 'power', rumbleMs: 0 },
  { name: 'cheer', effect: 'ring', sound: 'boom', rumbleMs: 250 },
];
export const EVENT = Object.fromEntries(EVENTS.map(({ name }, i) => [name, i]));
/** What happens during play: the ball is in play, a goal is celebrated, or everybody waits for the whistle. */
export const MODE = Object.freeze({ live: 0, goal: 1, set: 2 });

/** Returns a team's direction of play, 1: to the right, -1: to the left. @param {number} team */
export const directionOf = (team) => (team === 0 ? 1 : -1);

const CORNER = 90; // length of the cut corners
const POST_RADIUS = 13;
const POST_BOUNCE = 1.4;
const CIRCLE_RADIUS = 130;
const SPOT_RADIUS = 9;
/** Penalty areas: depth and half their width. */
const AREA_DEPTH = 190;
const AREA_HALF = 230;
/** Smallest distance of a body's centre from a wall. */
const EDGE = 2;

/** Sides of the pitch: x of the goal line, and of the goal's back; the sign of the way to the centre. */
const SIDES = Object.freeze([
  { line: LEFT, back: LEFT - GOAL_DEPTH, inwards: 1 },
  { line: RIGHT, back: RIGHT + GOAL_DEPTH, inwards: -1 },
]);
/** Upper and lower half. */
const HALVES = Object.freeze([
  { sign: -1, edge: TOP },
  { sign: 1, edge: BOTTOM },
]);
/** Bodies of each goal that move when it grows: for each half beside, roof and post, then the back. */
const GOAL_BODIES = 7;
/** Number of bodies that addPitch() draws under the others. */
export const DECOR = 12;
/** Number of bodies of the pitch. */
export const PITCH_BODIES = 2 * GOAL_BODIES + 6;

/** @typedef {import('pitv/game').World} World */
/** @typedef {import('pitv/game').DecorWriter} DecorWriter */

/** Adds the walls and posts to an empty world: first those of the goals. @param {World} world */
export function addPitch(world) {
  for (const { line, back } of SIDES) {
    for (const { edge, sign } of HALVES) {
      addWall(world, line, edge - sign * CORNER, line, CENTRE_Y);
      addWall(world, line, CENTRE_Y, back, CENTRE_Y);
      world.add({
        shape: SHAPE.circle,
        kind: KIND.post,
        x: line,
        y: CENTRE_Y,
        radius: POST_RADIUS,
        mass: Infinity,
        restitution: POST_BOUNCE,
      });
    }
    addWall(world, back, CENTRE_Y, back, CENTRE_Y);
  }
  for (const { edge, sign } of HALVES) {
    addWall(world, LEFT + CORNER, edge, RIGHT - CORNER, edge);
    for (const { line, inwards } of SIDES) {
      addWall(world, line + inwards * CORNER, edge, line, edge - sign * CORNER);
    }
  }
  setGoals(world, GOAL_HALF);
}

/** @param {World} world @param {number} x @param {number} y @param {number} x2 @param {number} y2 */
function addWall(world, x, y, x2, y2) {
  world.add({ shape: SHAPE.segment, kind: KIND.wall, x, y, x2, y2 });
}

/** Changes the size of both goals. @param {World} world after addPitch() @param {number} half of the width */
export function setGoals(world, half) {
  const { y, b } = world;
  for (let side = 0; side < SIDES.length; side++) {
    const first = side * GOAL_BODIES;
    for (let lower = 0; lower < HALVES.length; lower++) {
      const { sign } = HALVES[lower];
      const beside = first + lower * 3;
      const post = CENTRE_Y + sign * half;
      b[beside] = post - y[beside];
      y[beside + 1] = post;
      y[beside + 2] = post;
    }
    const back = first + GOAL_BODIES - 1;
    y[back] = CENTRE_Y - half;
    b[back] = 2 * half;
  }
}

/** Returns the team in whose goal the ball is, or -1. @param {number} x of the ball */
export function goalAt(x) {
  if (x < LEFT - BALL_RADIUS) return 0;
  return x > RIGHT + BALL_RADIUS ? 1 : -1;
}

/** Draws the grass and the lines. @param {DecorWriter} writer @param {number} half half the width of the goals */
export function drawPitch(writer, half) {
  let next = 0;
  writer.kind = KIND.grass;
  writer.box(next++, CENTRE_X, CENTRE_Y, (RIGHT - LEFT) / 2, (BOTTOM - TOP) / 2);
  writer.kind = KIND.leftGoal;
  writer.box(next++, LEFT - GOAL_DEPTH / 2, CENTRE_Y, GOAL_DEPTH / 2, half);
  writer.kind = KIND.rightGoal;
  writer.box(next++, RIGHT + GOAL_DEPTH / 2, CENTRE_Y, GOAL_DEPTH / 2, half);
  writer.kind = KIND.line;
  writer.segment(next++, CENTRE_X, TOP, CENTRE_X, BOTTOM);
  for (const { line, inwards } of SIDES) {
    const front = line + inwards * AREA_DEPTH;
    const [top, bottom] = [CENTRE_Y - AREA_HALF, CENTRE_Y + AREA_HALF];
    writer.segment(next++, line, top, front, top);
    writer.segment(next++, line, bottom, front, bottom);
    writer.segment(next++, front, top, front, bottom);
  }
  writer.kind = KIND.circle;
  writer.circle(next++, CENTRE_X, CENTRE_Y, CIRCLE_RADIUS);
  writer.kind = KIND.spot;
  writer.circle(next, CENTRE_X, CENTRE_Y, SPOT_RADIUS);
}

/**
 * Keeps the centre of a body on the pitch or in a goal, however hard others squeeze it against a wall.
 * @param {World} world @param {number} id
 * @param {number} half half the width of the goals
 */
export function keepInside({ x, y }, id, half) {
  y[id] = Math.max(TOP + EDGE, Math.min(BOTTOM - EDGE, y[id]));
  const depth = Math.abs(y[id] - CENTRE_Y) < half ? GOAL_DEPTH : 0;
  x[id] = Math.max(LEFT - depth + EDGE, Math.min(RIGHT + depth - EDGE, x[id]));
}
