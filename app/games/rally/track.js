/** The tracks: closed curves through points, with a wall on both sides. */
import { SHAPE } from 'pitv/game';

export const HALF_WIDTH = 74;
/** Samples of a track's middle, and of each curve between two points. */
const CURVE_SAMPLES = 8;
const POINTS = 12;
export const SAMPLES = POINTS * CURVE_SAMPLES;
export const WALLS = 2 * SAMPLES;

/** x, y of the points, the first one in the middle of a straight that is level. */
const SHAPES = [
  [
    470, 130, 680, 150, 890, 250, 1120, 140, 1380, 150, 1485, 430, 1390, 740, 1010, 765, 770, 640,
    500, 765, 190, 700, 170, 230,
  ],
  [
    800, 770, 500, 770, 190, 720, 120, 430, 260, 150, 530, 160, 700, 420, 900, 420, 1060, 160, 1340,
    150, 1480, 430, 1340, 735,
  ],
];

/** @typedef {{x: number, y: number, nx: number, ny: number}} Sample nx, ny: to the right of the direction of travel */

/** @param {number[]} points @param {boolean} isMirrored @returns {Sample[]} */
function trackOf(points, isMirrored) {
  /** Returns a coordinate of the Catmull-Rom spline. @param {number} sample @param {number} axis */
  const at = (sample, axis) => {
    const t = (sample % CURVE_SAMPLES) / CURVE_SAMPLES;
    const first = Math.floor(sample / CURVE_SAMPLES) + POINTS - 1;
    const [a, b, c, d] = [0, 1, 2, 3].map((k) => points[2 * ((first + k) % POINTS) + axis]);
    const value =
      b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
    return isMirrored && axis === 0 ? 1600 - value : value;
  };
  return Array.from({ length: SAMPLES }, (_, i) => {
    const [before, after] = [(i + SAMPLES - 1) % SAMPLES, (i + 1) % SAMPLES];
    const [dx, dy] = [0, 1].map((axis) => at(after, axis) - at(before, axis));
    const length = Math.sqrt(dx * dx + dy * dy);
    return { x: at(i, 0), y: at(i, 1), nx: -dy / length, ny: dx / length };
  });
}

export const TRACKS = [false, true].flatMap((flip) => SHAPES.map((shape) => trackOf(shape, flip)));

/**
 * Adds the walls of a track to an empty world.
 * @param {import('pitv/game').World} world @param {Sample[]} samples @param {number} kind
 */
export function addWalls(world, samples, kind) {
  const wall = { shape: SHAPE.segment, kind, restitution: 0.5 };
  for (const side of [-HALF_WIDTH, HALF_WIDTH]) {
    const edge = samples.map(({ x, y, nx, ny }) => ({ x: x + nx * side, y: y + ny * side }));
    for (const [i, { x, y }] of edge.entries()) {
      const { x: x2, y: y2 } = edge[(i + 1) % SAMPLES];
      world.add({ ...wall, x, y, x2, y2 });
    }
  }
}
