/** Sizes of the pitch, kinds of bodies, events, and the modes of play. */
import { TICK_HZ } from 'pitv/game';

export const SLOTS = 8;
export const CENTRE_X = 800;
export const CENTRE_Y = 450;
/** Edges of the pitch, world units. */
export const LEFT = 120;
export const RIGHT = 1480;
export const TOP = 50;
export const BOTTOM = 850;
export const GOAL_DEPTH = 80;
/** Half the width of a goal's mouth. */
export const GOAL_HALF = 155;
export const MAX_GOAL_HALF = 300;
export const PLAYER_RADIUS = 30;
export const BALL_RADIUS = 22;
export const MATCH_TICKS = 120 * TICK_HZ;
/** A team with this many goals wins at once. */
export const TARGET_GOALS = 5;

/** Kinds of bodies, indexes into view.kinds. */
export const KIND = Object.freeze({
  player: 0,
  ball: 1,
  goldenBall: 2,
  wall: 3,
  post: 4,
  grass: 5,
  line: 6,
  circle: 7,
  spot: 8,
  leftGoal: 9,
  rightGoal: 10,
});
/** Types of events, indexes into view.events. */
export const EVENT = Object.freeze({
  kick: 0,
  bump: 1,
  dash: 2,
  goal: 3,
  whistle: 4,
  post: 5,
  golden: 6,
  cheer: 7,
});
/** What happens during play: the ball is in play, a goal is celebrated, or everybody waits for the whistle. */
export const MODE = Object.freeze({ live: 0, goal: 1, set: 2 });

/**
 * Returns the direction in which a team plays.
 * @param {number} team @returns {number} 1: to the right, -1: to the left
 */
export const directionOf = (team) => (team === 0 ? 1 : -1);
