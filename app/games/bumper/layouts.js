/** What lies on the arena, another set each round. */
import { cos256, sin256 } from '../../game/trig.js';
import { SHAPE } from '../../game/world.js';
import { CENTRE_X, CENTRE_Y, FULL_RADIUS, KIND, PLAYER_RADIUS } from './terms.js';

const POST_RADIUS = 26;
const POST_RING = 215; // distance of the posts from the middle
const BOULDER_RADIUS = 46;
const BOULDER_MASS = 2.6;
const ELBOW_ROOM = 80; // between a player at the start and what lies about
const TRIES = 30;
const DRIFT = 220; // speed at the start, at most half of this each way

/**
 * @typedef {object} Layout
 * @property {number} loose how many loose balls lie about, and are rolled in again
 * @property {number} smallest radius of a loose ball
 * @property {number} largest
 * @property {number} boulders heavy balls
 * @property {number} posts fixed, they kick
 * @property {number} drag factor on a player's speed each tick
 * @property {number} push speed that a full stick gives a player each tick, units a second
 */

/** @type {readonly Layout[]} */
export const LAYOUTS = Object.freeze([
  { loose: 42, smallest: 13, largest: 24, boulders: 0, posts: 0, drag: 0.966, push: 13 },
  { loose: 32, smallest: 13, largest: 22, boulders: 0, posts: 6, drag: 0.966, push: 13 },
  { loose: 26, smallest: 14, largest: 22, boulders: 6, posts: 0, drag: 0.966, push: 13 },
  { loose: 96, smallest: 9, largest: 14, boulders: 0, posts: 0, drag: 0.966, push: 13 },
  { loose: 36, smallest: 14, largest: 26, boulders: 2, posts: 3, drag: 0.98, push: 9 }, // ice
]);

/**
 * @param {import('../../game/world.js').World} world holds the players already
 * @param {Layout} layout
 */
export function layOut(world, layout) {
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
    for (let tries = 0; tries < TRIES; tries++) {
      const x = (world.random() * 2 - 1) * FULL_RADIUS;
      const y = (world.random() * 2 - 1) * FULL_RADIUS;
      const room = FULL_RADIUS - size - 30;
      if (x * x + y * y > room * room) continue;
      if (!free(world, CENTRE_X + x, CENTRE_Y + y, size, players)) continue;
      world.add({
        shape: SHAPE.circle,
        kind: boulder ? KIND.boulder : KIND.loose,
        x: CENTRE_X + x,
        y: CENTRE_Y + y,
        vx: (world.random() - 0.5) * DRIFT,
        vy: (world.random() - 0.5) * DRIFT,
        radius: size,
        mass: boulder ? BOULDER_MASS : (size * size) / (PLAYER_RADIUS * PLAYER_RADIUS),
      });
      break;
    }
  }
}

/**
 * @param {import('../../game/world.js').World} world
 * @param {number} x @param {number} y @param {number} radius
 * @param {number} players bodies below this are players, who want elbow room
 */
function free(world, x, y, radius, players) {
  for (let id = 0; id < world.high; id++) {
    const dx = world.x[id] - x;
    const dy = world.y[id] - y;
    const room = radius + world.a[id] + (id < players ? ELBOW_ROOM : 2);
    if (dx * dx + dy * dy < room * room) return false;
  }
  return true;
}
