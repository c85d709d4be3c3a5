/** The tracks: closed curves through points, with a wall on both sides. */
import { SHAPE } from 'pitv/game';

export const HALF_WIDTH = 74;
/** Samples of a track's middle, and of each curve between two points. */
const CURVE_SAMPLES = 8;
const POINTS = 12;
export const SAMPLES = POINTS * CURVE_SAMPLES;
export const WALLS = 2 * SAMPLES;

/**
 * x, y of the points, the first one in the middle of a straight that is level; board: where the places are shown.
 * @type {{points: number[], board: {x: number, y: number}}[]}
 */
const SHAPES = [
  {
    points: [
      470, 130, 680, 150, 890, 250, 1120, 140, 1380, 150, 1485, 430, 1390, 740, 1010, 765, 770, 640,
      500, 765, 190, 700, 170, 230,
    ],
    board: { x: 1120, y: 455 },
  },
  {
    points: [
      800, 770, 500, 770, 190, 720, 120, 430, 260, 150, 530, 160, 700, 420, 900, 420, 1060, 160,
      1340, 150, 1480, 430, 1340, 735,
    ],
    board: { x: 1190, y: 475 },
  },
];

/** @typedef {{x: number, y: number, nx: number, ny: number}} Sample nx, ny: to the right of the direction of travel */
/** @typedef {{samples: Sample[], board: {x: number, y: number}}} Track */

/** @param {(typeof SHAPES)[number]} shape @param {boolean} isMirrored @returns {Track} */
function trackOf({ points, board }, isMirrored) {
  const flip = (/** @type {number} */ x) => (isMirrored ? 1600 - x : x);
  const samples = Array.from({ length: SAMPLES }, (_, i) => {
    const t = (i % CURVE_SAMPLES) / CURVE_SAMPLES;
    const first = Math.floor(i / CURVE_SAMPLES) + POINTS - 1;
    /** Returns a coordinate of the Catmull-Rom spline. @param {number} axis */
    const at = (axis) => {
      const [a, b, c, d] = [0, 1, 2, 3].map((k) => points[2 * ((first + k) % POINTS) + axis]);
      return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
    };
    return { x: flip(at(0)), y: at(1), nx: 0, ny: 0 };
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
  return { samples, board: { x: flip(board.x), y: board.y } };
}

export const TRACKS = [false, true].flatMap((flip) => SHAPES.map((shape) => trackOf(shape, flip)));

/**
 * Adds the walls of a track to an empty world.
 * @param {import('pitv/game').World} world @param {Track} track @param {number} kind
 */
export function addWalls(world, { samples }, kind) {
  for (const side of [-HALF_WIDTH, HALF_WIDTH]) {
    for (const [i, { x, y, nx, ny }] of samples.entries()) {
      const next = samples[(i + 1) % SAMPLES];
      world.add({
        shape: SHAPE.segment,
        kind,
        x: x + nx * side,
        y: y + ny * side,
        x2: next.x + next.nx * side,
        y2: next.y + next.ny * side,
        restitution: 0.5,
      });
    }
  }
}

/** Segments of the digits 0 to 9: bits of EDGES. */
const DIGITS = [0x77, 0x24, 0x5d, 0x6d, 0x2e, 0x6b, 0x7b, 0x25, 0x7f, 0x6f];
/** Ends of the segments of a digit, from its centre, in parts of its width and half its height. */
const EDGES = [
  [-1, -1, 1, -1],
  [-1, -1, -1, 0],
  [1, -1, 1, 0],
  [-1, 0, 1, 0],
  [-1, 0, -1, 1],
  [1, 0, 1, 1],
  [-1, 1, 1, 1],
];

/**
 * Draws a digit.
 * @param {import('pitv/game').DecorWriter} writer @param {number} index of its first of seven decorations
 * @param {number} digit @param {number} x of the centre @param {number} y @param {number} size half its height
 */
export function drawDigit(writer, index, digit, x, y, size) {
  for (let i = 0; i < EDGES.length; i++) {
    if (!(DIGITS[digit] & (1 << i))) continue;
    const [x1, y1, x2, y2] = EDGES[i];
    const width = size * 0.55;
    writer.segment(index + i, x + x1 * width, y + y1 * size, x + x2 * width, y + y2 * size);
  }
}
