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
  const samples = Array.from({ length: SAMPLES }, (_, i) => {
    const t = (i % CURVE_SAMPLES) / CURVE_SAMPLES;
    const first = Math.floor(i / CURVE_SAMPLES) + POINTS - 1;
    /** Returns a coordinate of the Catmull-Rom spline. @param {number} axis */
    const at = (axis) => {
      const [a, b, c, d] = [0, 1, 2, 3].map((k) => points[2 * ((first + k) % POINTS) + axis]);
      return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
    };
    return { x: isMirrored ? 1600 - at(0) : at(0), y: at(1), nx: 0, ny: 0 };
  });
  for (const [i, sample] of samples.entries()) {
    const before = samples[(i + SAMPLES - 1) % SAMPLES];
    const after = samples[(i + 1) % SAMPLES];
    const dx = after.x - before.x;
    const dy = after.y - before.y;
    const length = Math.sqrt(dx * dx + dy * dy);
    sample.nx = -dy / length;
    sample.ny = dx / length;
  }
  return samples;
}

export const TRACKS = [false, true].flatMap((flip) => SHAPES.map((shape) => trackOf(shape, flip)));

/**
 * Adds the walls of a track to an empty world.
 * @param {import('pitv/game').World} world @param {Sample[]} samples @param {number} kind
 */
export function addWalls(world, samples, kind) {
  const wall = { shape: SHAPE.segment, kind, restitution: 0.5 };
  for (const side of [-HALF_WIDTH, HALF_WIDTH]) {
    for (const [i, { x, y, nx, ny }] of samples.entries()) {
      const end = samples[(i + 1) % SAMPLES];
      const [x2, y2] = [end.x + end.nx * side, end.y + end.ny * side];
      world.add({ ...wall, x: x + nx * side, y: y + ny * side, x2, y2 });
    }
  }
}
