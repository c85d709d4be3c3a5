/**
 * How large a grid cell should be. Any size gives right results, since a body larger than a cell
 * takes another way; the size only decides what a step costs. So it is an estimate, made from
 * how many bodies of which size there are, and made again every few ticks.
 */
import { SHAPE, maxCells } from './layout.js';

/** Sizes are sorted into powers of two, from 1/16 of a unit up. */
const CLASSES = 32;
const counts = new Float64Array(CLASSES);
const largest = new Float64Array(CLASSES);

/** A cell is this much wider than the widest body in it, so that rounding loses no neighbour. */
const MARGIN = 1 + 1e-6;

/**
 * @param {import('./layout.js').Memory} memory
 * @param {number} high slots to look at
 * @param {number} width @param {number} height of the world
 * @returns {number} cell size, world units
 */
export function chooseCellSize(memory, high, width, height) {
  const { shape, a, b } = memory;
  counts.fill(0);
  largest.fill(0);
  let total = 0;
  for (let i = 0; i < high; i++) {
    if (shape[i] === SHAPE.none) continue;
    const radius = boundingRadius(shape[i], a[i], b[i]);
    const scaled = radius * 16;
    const at = scaled < 1 ? 0 : scaled < 0x7fffffff ? 31 - Math.clz32(scaled) : CLASSES - 1;
    counts[at]++;
    if (radius > largest[at]) largest[at] = radius;
    total++;
  }
  const area = width * height;
  // Finer cells than this would only be empty ones.
  const finest = Math.sqrt(area / (4 * total + 1024));
  let best = finest;
  let bestCost = Infinity;
  let small = 0;
  for (let i = 0; i < CLASSES; i++) {
    if (counts[i] === 0) continue;
    small += counts[i];
    const size = Math.max(finest, 2 * largest[i] * MARGIN);
    const cost = costOf(small, total - small, size, i, area);
    if (cost < bestCost) {
      bestCost = cost;
      best = size;
    }
  }
  return fitCellSize(best, memory.shape.length, width, height);
}

/**
 * Candidate pairs that a step would look at, bodies assumed to be spread evenly.
 * @param {number} small bodies that fit into a cell @param {number} large bodies that do not
 * @param {number} size of a cell @param {number} index class of the largest small body
 * @param {number} area of the world
 */
function costOf(small, large, size, index, area) {
  let cost = (4.5 * small * small * size * size) / area + 0.1 * large * large;
  for (let i = index + 1; i < CLASSES; i++) {
    const side = 2 * largest[i] + size;
    cost += counts[i] * (8 + small * Math.min(1, (side * side) / area));
  }
  return cost;
}

/**
 * Grows a cell until the grid fits into its memory.
 * @param {number} size wanted @param {number} capacity bodies
 * @param {number} width @param {number} height of the world
 * @returns {number} world units
 */
export function fitCellSize(size, capacity, width, height) {
  let fitted = size;
  while ((Math.ceil(width / fitted) + 2) * (Math.ceil(height / fitted) + 1) >= maxCells(capacity)) {
    fitted *= 1.25;
  }
  return fitted;
}

/** Radius of the small bodies of a grid. @param {number} cellSize */
export function smallRadius(cellSize) {
  return cellSize / 2 / MARGIN;
}

/**
 * Rounding must not make a bounding circle or box smaller than what it bounds: this much is added,
 * world units. It is far above what rounding does to positions within any screen.
 */
export const SLACK = 1e-6;

/**
 * @param {number} shape one of SHAPE @param {number} a @param {number} b
 * @returns {number} radius of a circle around the body's middle that holds it
 */
export function boundingRadius(shape, a, b) {
  if (shape === SHAPE.circle) return a;
  const diagonal = Math.sqrt(a * a + b * b);
  return (shape === SHAPE.box ? diagonal : diagonal * 0.5) + SLACK;
}
