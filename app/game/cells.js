/**
 * Chooses the cell size of the grid. Any size gives correct results, because a body larger than a
 * cell is tested by pairLarge() in kernel.c. The size only changes the cost of a step, so an estimate
 * from the numbers and sizes of the bodies is enough. It is repeated every few ticks.
 */
import { SHAPE, maxCells } from './layout.js';

/** Number of size classes: powers of two, starting at 1/16 of a world unit. */
const CLASSES = 32;
const counts = new Float64Array(CLASSES);
const largest = new Float64Array(CLASSES);

/** Ratio of a cell's width to the widest body in it, so that rounding errors lose no neighbour. */
const MARGIN = 1 + 1e-6;

/**
 * Estimates the cell size at which a step is cheapest.
 * @param {import('./layout.js').Memory} memory @param {number} high number of slots to scan
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
  // Smaller cells would mostly be empty.
  const finest = Math.sqrt(area / (4 * total + 1024));
  let best = finest;
  let bestCost = Infinity;
  let small = 0;
  for (let i = 0; i < CLASSES; i++) {
    if (counts[i] === 0) continue;
    small += counts[i];
    const size = Math.max(finest, 2 * largest[i] * MARGIN);
    const cost = estimateCost(small, total - small, size, i, area);
    if (cost < bestCost) {
      bestCost = cost;
      best = size;
    }
  }
  return fitCellSize(best, memory.shape.length, width, height);
}

/**
 * Estimates the number of candidate pairs of a step, for evenly spread bodies.
 * @param {number} small bodies that fit into a cell @param {number} large bodies that do not
 * @param {number} size cell size @param {number} index size class of the largest small body
 * @param {number} area area of the world
 */
function estimateCost(small, large, size, index, area) {
  let cost = (4.5 * small * small * size * size) / area + 0.1 * large * large;
  for (let i = index + 1; i < CLASSES; i++) {
    const side = 2 * largest[i] + size;
    cost += counts[i] * (8 + small * Math.min(1, (side * side) / area));
  }
  return cost;
}

/**
 * Increases a cell size until the grid fits into its memory.
 * @param {number} size preferred cell size @param {number} capacity bodies
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

/** Returns the largest radius of a small body, one that fits into a cell. @param {number} cellSize */
export function smallRadius(cellSize) {
  return cellSize / 2 / MARGIN;
}

/** Margin of bounds, world units: far above rounding errors, so no bound is smaller than its body. */
const SLACK = 1e-6;

/**
 * Returns the radius of a circle around the body's centre that contains the body.
 * @param {number} shape one of SHAPE @param {number} a @param {number} b
 * @returns {number} world units
 */
function boundingRadius(shape, a, b) {
  if (shape === SHAPE.circle) return a;
  const diagonal = Math.sqrt(a * a + b * b);
  return (shape === SHAPE.box ? diagonal : diagonal * 0.5) + SLACK;
}
