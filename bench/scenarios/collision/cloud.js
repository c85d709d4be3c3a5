/**
 * Makes the bodies of the collision scenario: circles that move in a square. A body moves by the same arithmetic as in
 * a World, so every variant has the same positions in the same frame. There are three kinds of clouds:
 *
 * - uniform: equal circles, spread evenly, with about as many overlapping pairs as bodies. They suit a grid
 * - mixed sizes: like uniform, with radii from 1 to 8, most of them small
 * - clustered: equal circles in swarms; most of the square is empty. Every 64 frames, all bodies return to their
 *   initial positions, so that the swarms do not disperse
 */
import { STEP_SECONDS } from '../../../app/game/world.js';
import { seededRandom } from '../../stats/stats.js';

const RADIUS = 2;
const MIN_MIXED_RADIUS = 1;
const MAX_MIXED_RADIUS = 8;
/** World units per second. A body moves up to a quarter of its width per frame. */
const MAX_SPEED = 60;
/** Speed of a body relative to its swarm, world units per second. */
const MAX_SWARM_SPEED = 15;
const BODIES_PER_SWARM = 250;
/** Side of a clustered cloud's square, relative to that of a uniform cloud. */
const CLUSTERED_SIDE = 4;
const CLUSTERED_FRAMES = 64;

export const CLOUDS = /** @type {const} */ (['uniform', 'mixed sizes', 'clustered']);

/** @typedef {(typeof CLOUDS)[number]} Kind */
/** @typedef {ReturnType<typeof makeCloud>} Cloud */
/** @typedef {() => number} Random 0..1 */

/** @param {number} length @param {() => number} value */
const reals = (length, value) => Float64Array.from({ length }, value);

/**
 * Computes the side of a square in which n circles have n overlapping pairs on average: n^2 / 2 pairs overlap with
 * probability pi E[(r1 + r2)^2] / side^2 each.
 * @param {Float64Array} radius
 */
function sideFor(radius) {
  const n = radius.length;
  const mean = radius.reduce((sum, r) => sum + r, 0) / n;
  const meanSquare = radius.reduce((sum, r) => sum + r * r, 0) / n;
  return Math.sqrt((n * Math.PI * (2 * meanSquare + 2 * mean * mean)) / 2);
}

/** Places bodies evenly in the square. @param {Float64Array} radius @param {number} side @param {Random} random */
function spread(radius, side, random) {
  const n = radius.length;
  const largest = radius.reduce((most, r) => Math.max(most, r), 0);
  const place = () => largest + random() * (side - 2 * largest);
  const speed = () => (random() * 2 - 1) * MAX_SPEED;
  const [x, y] = [reals(n, place), reals(n, place)];
  return { x, y, vx: reals(n, speed), vy: reals(n, speed) };
}

/** Places bodies in swarms. @param {Float64Array} radius @param {number} side @param {Random} random */
function swarm(radius, side, random) {
  const n = radius.length;
  const extent = sideFor(radius.subarray(0, Math.min(n, BODIES_PER_SWARM))) / 2;
  const swarms = Array.from({ length: Math.ceil(n / BODIES_PER_SWARM) }, () => ({
    x: extent + random() * (side - 2 * extent),
    y: extent + random() * (side - 2 * extent),
    vx: (random() * 2 - 1) * MAX_SPEED,
    vy: (random() * 2 - 1) * MAX_SPEED,
  }));
  const near = (/** @type {'x' | 'y'} */ axis) =>
    Float64Array.from({ length: n }, (_, i) => {
      const at = swarms[i % swarms.length][axis] + (random() * 2 - 1) * extent;
      return Math.min(side - radius[i], Math.max(radius[i], at));
    });
  const speed = (/** @type {'vx' | 'vy'} */ axis) =>
    Float64Array.from(
      { length: n },
      (_, i) => swarms[i % swarms.length][axis] + (random() * 2 - 1) * MAX_SWARM_SPEED,
    );
  return { x: near('x'), y: near('y'), vx: speed('vx'), vy: speed('vy') };
}

/** Makes a cloud. @param {number} n number of bodies @param {number} seed @param {Kind} [kind] */
export function makeCloud(n, seed, kind = 'uniform') {
  const random = seededRandom(seed);
  const mixed = () =>
    MIN_MIXED_RADIUS + (MAX_MIXED_RADIUS - MIN_MIXED_RADIUS) * random() * random() * random();
  const radius = reals(n, kind === 'mixed sizes' ? mixed : () => RADIUS);
  const side = sideFor(radius) * (kind === 'clustered' ? CLUSTERED_SIDE : 1);
  const bodies = (kind === 'clustered' ? swarm : spread)(radius, side, random);
  const { x, y, vx, vy } = bodies;
  const start = kind === 'clustered' ? [x, y, vx, vy].map((values) => values.slice()) : undefined;
  let frames = 0;

  /**
   * Resets a clustered cloud to its initial state every CLUSTERED_FRAMES calls. Call this at the beginning of each
   * frame.
   * @param {{x: Float64Array, y: Float64Array, vx: Float64Array, vy: Float64Array}} [target] the arrays of a World,
   *   which moves its own copy of the bodies
   */
  function restart(target = bodies) {
    if (!start || frames++ % CLUSTERED_FRAMES !== 0) return;
    [target.x, target.y, target.vx, target.vy].forEach((values, i) => values.set(start[i]));
  }

  /** Moves all bodies by one frame. They bounce off the border. */
  function move() {
    restart();
    for (let i = 0; i < n; i++) {
      const r = radius[i];
      const most = side - r;
      x[i] += vx[i] * STEP_SECONDS;
      y[i] += vy[i] * STEP_SECONDS;
      if (x[i] < r) {
        x[i] = r;
        if (vx[i] < 0) vx[i] = -vx[i];
      } else if (x[i] > most) {
        x[i] = most;
        if (vx[i] > 0) vx[i] = -vx[i];
      }
      if (y[i] < r) {
        y[i] = r;
        if (vy[i] < 0) vy[i] = -vy[i];
      } else if (y[i] > most) {
        y[i] = most;
        if (vy[i] > 0) vy[i] = -vy[i];
      }
    }
  }

  const largest = radius.reduce((most, r) => Math.max(most, r), 0);
  return { n, side, radius, largest, equal: kind !== 'mixed sizes', x, y, vx, vy, move, restart };
}
