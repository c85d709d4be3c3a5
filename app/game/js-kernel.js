/**
 * The hot path of a step in JavaScript: moves the bodies and finds the pairs that overlap. kernel.c
 * does the same operations in the same order, so both give the same bytes. Change both together.
 *
 * Broad phase: a uniform grid, filled by a counting sort. A body no wider than a cell is small. The
 * small bodies are copied in the order of their cells, so the candidates for a body lie in two
 * contiguous runs: the rest of its own cell with the next cell, and three cells of the row below. Every
 * body is tested as its bounding circle, which is exact for circles; contacts.js makes the exact test
 * for other shapes. A body larger than a cell is tested against the cells it covers, and against the
 * other large bodies by a sweep along x.
 *
 * A body outside the world belongs to the nearest border cell. Clamping positions never moves two bodies
 * further apart, so no pair is lost.
 */
import { boundingRadius } from './cells.js';
import { append, pairLarge, pairLargeWithSmall } from './large.js';
import { FLAG, PARAMETER, PARAMETER_REAL, SHAPE, STEP_SECONDS } from './layout.js';

/** @typedef {import('./layout.js').Memory} Memory */

/** Entry of cellOf for a body that is not in the grid. */
const NO_CELL = 0xffffffff;

/**
 * Creates the kernel and its memory.
 * @param {number} bytes size of the memory
 * @returns {NonNullable<ReturnType<import('./select-kernel.js').KernelFactory>>}
 */
export function createJsKernel(bytes) {
  return {
    buffer: new ArrayBuffer(bytes),
    bind: (_at, memory) => ({
      name: 'js',
      integrate: (high, bounce) => integrate(memory, high, bounce),
      findPairs: (high) => findPairs(memory, high),
    }),
  };
}

/**
 * Moves every body by its velocity for one tick.
 * @param {Memory} memory @param {number} high number of slots in use
 * @param {boolean} bounce whether circles and boxes bounce off the border of the world
 */
function integrate(memory, high, bounce) {
  const { x, y, vx, vy } = memory;
  for (let i = 0; i < high; i++) {
    x[i] += vx[i] * STEP_SECONDS;
    y[i] += vy[i] * STEP_SECONDS;
  }
  if (!bounce) return;
  const { a, b, shape, flags, invMass, restitution, parameterReals } = memory;
  const width = parameterReals[PARAMETER_REAL.width];
  const height = parameterReals[PARAMETER_REAL.height];
  for (let i = 0; i < high; i++) {
    if (shape[i] !== SHAPE.circle && shape[i] !== SHAPE.box) continue;
    if (!(invMass[i] > 0) || (flags[i] & FLAG.sensor) !== 0) continue;
    const halfWidth = a[i];
    const halfHeight = shape[i] === SHAPE.box ? b[i] : halfWidth;
    if (x[i] < halfWidth) {
      x[i] = halfWidth;
      if (vx[i] < 0) vx[i] = -vx[i] * restitution[i];
    } else if (x[i] > width - halfWidth) {
      x[i] = width - halfWidth;
      if (vx[i] > 0) vx[i] = -vx[i] * restitution[i];
    }
    if (y[i] < halfHeight) {
      y[i] = halfHeight;
      if (vy[i] < 0) vy[i] = -vy[i] * restitution[i];
    } else if (y[i] > height - halfHeight) {
      y[i] = height - halfHeight;
      if (vy[i] > 0) vy[i] = -vy[i] * restitution[i];
    }
  }
}

/**
 * Finds the pairs of bodies whose bounding circles overlap, and writes each pair once to memory.pairs,
 * as (id << 16 | id).
 * @param {Memory} memory @param {number} high number of slots in use
 * @returns {number} number of pairs
 */
function findPairs(memory, high) {
  memory.parameters[PARAMETER.dropped] = 0;
  const larges = sortIntoCells(memory, high);
  let found = pairSmall(memory);
  if (larges > 0) {
    found = pairLargeWithSmall(memory, larges, found);
    found = pairLarge(memory, larges, found);
  }
  return found;
}

/**
 * Sorts the small bodies by cell, with a counting sort. Afterwards cell c holds the sorted bodies
 * cellStart[c] .. cellStart[c + 1] - 1. The ids of the large bodies are in memory.large.
 * @param {Memory} memory @param {number} high @returns {number} number of large bodies
 */
function sortIntoCells(memory, high) {
  const { x, y, a, b, shape, cellOf, cellStart, large, parameters, parameterReals } = memory;
  const { boundX, boundY, boundR } = memory;
  const { sortedReals, sortedWords } = memory;
  const lastColumn = parameters[PARAMETER.columns] - 1;
  const lastRow = parameters[PARAMETER.rows] - 1;
  const stride = lastColumn + 2;
  const inverse = parameterReals[PARAMETER_REAL.inverseCell];
  const smallRadius = parameterReals[PARAMETER_REAL.smallRadius];
  const cells = stride * (lastRow + 2) + 2;
  cellStart.fill(0, 0, cells);
  let larges = 0;
  for (let i = 0; i < high; i++) {
    let middleX = x[i];
    let middleY = y[i];
    let radius = a[i];
    cellOf[i] = NO_CELL;
    if (shape[i] !== SHAPE.circle) {
      if (shape[i] === SHAPE.none) continue;
      if (shape[i] === SHAPE.segment) {
        middleX += a[i] * 0.5;
        middleY += b[i] * 0.5;
      }
      radius = boundingRadius(shape[i], a[i], b[i]);
      boundX[i] = middleX;
      boundY[i] = middleY;
      boundR[i] = radius;
    }
    if (!(radius <= smallRadius)) {
      large[larges++] = i;
      continue;
    }
    const cx = middleX * inverse;
    const cy = middleY * inverse;
    const column = cx > 0 ? (cx < lastColumn ? cx | 0 : lastColumn) : 0;
    const row = cy > 0 ? (cy < lastRow ? cy | 0 : lastRow) : 0;
    const cell = row * stride + column + 1;
    cellOf[i] = cell;
    cellStart[cell]++;
  }
  let sum = 0;
  for (let c = 0; c < cells; c++) {
    sum += cellStart[c];
    cellStart[c] = sum;
  }
  for (let i = high - 1; i >= 0; i--) {
    const cell = cellOf[i];
    if (cell === NO_CELL) continue;
    const k = cellStart[cell] - 1;
    cellStart[cell] = k;
    const round = shape[i] === SHAPE.circle;
    sortedReals[k * 4] = round ? x[i] : boundX[i];
    sortedReals[k * 4 + 1] = round ? y[i] : boundY[i];
    sortedReals[k * 4 + 2] = round ? a[i] : boundR[i];
    sortedWords[k * 8 + 6] = i;
    sortedWords[k * 8 + 7] = cell;
  }
  return larges;
}

/**
 * Tests two circles without branches.
 * @param {Float64Array} sortedReals
 * @param {number} xi @param {number} yi @param {number} ri the first circle
 * @param {number} j sorted index of the second circle @param {number} end end of its run
 * @returns {number} 1 if they overlap and j is before end, else 0
 */
function overlaps(sortedReals, xi, yi, ri, j, end) {
  const dx = sortedReals[j * 4] - xi;
  const dy = sortedReals[j * 4 + 1] - yi;
  const reach = sortedReals[j * 4 + 2] + ri;
  return Number(dx * dx + dy * dy < reach * reach) & Number(j < end);
}

/**
 * Tests each small body against the rest of its cell, the next cell, and three cells of the row below.
 *
 * The runs are short, so a branch at the end of each run would be mispredicted half the time, which
 * costs more than the tests. The loops are therefore unrolled: two bodies of the first run and four of
 * the second are always tested, and tests past the end of a run give 0. Each pair is always written;
 * the write only counts if the bodies overlap.
 * @param {Memory} memory @returns {number} pairs found
 */
function pairSmall(memory) {
  const { cellStart, sortedReals, sortedWords, pairs, parameters } = memory;
  const maxPairs = parameters[PARAMETER.maxPairs];
  const stride = parameters[PARAMETER.columns] + 1;
  const total = cellStart[stride * (parameters[PARAMETER.rows] + 1) + 1];
  let found = 0;
  for (let i = 0; i < total; i++) {
    const cell = sortedWords[i * 8 + 7];
    const right = cellStart[cell + 2];
    const below = cellStart[cell + stride - 1];
    const belowEnd = cellStart[cell + stride + 2];
    const xi = sortedReals[i * 4];
    const yi = sortedReals[i * 4 + 1];
    const ri = sortedReals[i * 4 + 2];
    const id = sortedWords[i * 8 + 6] << 16;
    if (found + (right - i) + (belowEnd - below) > maxPairs) {
      // Near the end of the pairs: check for room before each write.
      for (let j = i + 1; j < right; j++) {
        if (overlaps(sortedReals, xi, yi, ri, j, right))
          found = append(memory, found, id | sortedWords[j * 8 + 6]);
      }
      for (let j = below; j < belowEnd; j++) {
        if (overlaps(sortedReals, xi, yi, ri, j, belowEnd))
          found = append(memory, found, id | sortedWords[j * 8 + 6]);
      }
      continue;
    }
    let j = i + 1;
    do {
      pairs[found] = id | sortedWords[j * 8 + 6];
      found += overlaps(sortedReals, xi, yi, ri, j, right);
      pairs[found] = id | sortedWords[(j + 1) * 8 + 6];
      found += overlaps(sortedReals, xi, yi, ri, j + 1, right);
      j += 2;
    } while (j < right);
    j = below;
    do {
      pairs[found] = id | sortedWords[j * 8 + 6];
      found += overlaps(sortedReals, xi, yi, ri, j, belowEnd);
      pairs[found] = id | sortedWords[(j + 1) * 8 + 6];
      found += overlaps(sortedReals, xi, yi, ri, j + 1, belowEnd);
      pairs[found] = id | sortedWords[(j + 2) * 8 + 6];
      found += overlaps(sortedReals, xi, yi, ri, j + 2, belowEnd);
      pairs[found] = id | sortedWords[(j + 3) * 8 + 6];
      found += overlaps(sortedReals, xi, yi, ri, j + 3, belowEnd);
      j += 4;
    } while (j < belowEnd);
  }
  return found;
}
