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
