/** The obstacles on the arena, different in each round. */
import { SHAPE, cos256, sin256 } from '../../game/index.js';
import { CENTRE_X, CENTRE_Y, FULL_RADIUS, KIND, PLAYER_RADIUS } from './constants.js';

const POST_RADIUS = 26;
const POST_RING = 215; // distance of the posts from the centre
const BOULDER_RADIUS = 46;
const BOULDER_MASS = 2.6;
const PLAYER_CLEARANCE = 80; // minimum distance between a player and an obstacle at the start
const MAX_TRIES = 30;
const MAX_DRIFT = 220; // range of the speed at the start on each axis: -half..half

/**
 * Layouts of the rounds. loose: number of loose balls, up to which new ones roll in; smallest, largest: their radius;
 * boulders: heavy balls; posts: are fixed and kick; drag: factor on a player's speed in each tick; push: speed that a
 * fully tilted stick adds in each tick, units per second.
 */
export const LAYOUTS = Object.freeze([
  { loose: 42, smallest: 13, largest: 24, boulders: 0, posts: 0, drag: 0.966, push: 13 },
  { loose: 32, smallest: 13, largest: 22, boulders: 0, posts: 6, drag: 0.966, push: 13 },
  { loose: 26, smallest: 14, largest: 22, boulders: 6, posts: 0, drag: 0.966, push: 13 },
  { loose: 96, smallest: 9, largest: 14, boulders: 0, posts: 0, drag: 0.966, push: 13 },
  { loose: 36, smallest: 14, largest: 26, boulders: 2, posts: 3, drag: 0.98, push: 9 }, // ice
]);
/** @typedef {typeof LAYOUTS[number]} Layout */

/**
 * Adds posts, boulders and loose balls.
 * @param {import('../../game/index.js').World} world contains the players only @param {Layout} layout
 */
export function placeObstacles(world, layout) {
  const players = world.high;
  const turn = world.randomInt(256);
  for (let i = 0; i < layout.posts; i++) {
    const angle = (turn + Math.floor((i * 256) / layout.posts)) & 255;
    world.add({
      shape: SHAPE.circle,
      kind: KIND.post,
      x: CENTRE_X + cos256(angle) * POST_RING,
      y: CENTRE_Y + sin256(angle) * POST_RING,
      radius: POST_RADIUS,
      mass: Infinity,
    });
  }
  for (let i = 0; i < layout.boulders + layout.loose; i++) {
    const boulder = i < layout.boulders;
    const size = boulder
      ? BOULDER_RADIUS
      : layout.smallest + world.random() * (layout.largest - layout.smallest);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const x = (world.random() * 2 - 1) * FULL_RADIUS;
      const y = (world.random() * 2 - 1) * FULL_RADIUS;
      const room = FULL_RADIUS - size - 30;
      if (x * x + y * y > room * room) continue;
      if (!isFree(world, CENTRE_X + x, CENTRE_Y + y, size, players)) continue;
      world.add({
        shape: SHAPE.circle,
        kind: boulder ? KIND.boulder : KIND.loose,
        x: CENTRE_X + x,
        y: CENTRE_Y + y,
        vx: (world.random() - 0.5) * MAX_DRIFT,
        vy: (world.random() - 0.5) * MAX_DRIFT,
        radius: size,
        mass: boulder ? BOULDER_MASS : (size * size) / (PLAYER_RADIUS * PLAYER_RADIUS),
      });
      break;
    }
  }
}

/**
 * Returns whether there is room for a circle.
 * @param {import('../../game/index.js').World} world
 * @param {number} x @param {number} y @param {number} radius
 * @param {number} players bodies with a lower id are players, they need more clearance
 */
function isFree(world, x, y, radius, players) {
  for (let id = 0; id < world.high; id++) {
    const dx = world.x[id] - x;
    const dy = world.y[id] - y;
    const room = radius + world.a[id] + (id < players ? PLAYER_CLEARANCE : 2);
    if (dx * dx + dy * dy < room * room) return false;
  }
  return true;
}
