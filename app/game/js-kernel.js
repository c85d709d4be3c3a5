/**
 * The hot path of a step in JavaScript: moving the bodies, and finding the pairs of them that
 * overlap. kernel.c does the same operations in the same order, so that either gives the same
 * bytes; change both or none.
 *
 * Broad phase: a uniform grid by counting sort. Each small body is copied into the order of the
 * cells, so that a body's possible partners lie in two contiguous runs: the rest of its own cell
 * with the next one, and three cells of the row below. Small is what is no wider than a cell.
 * Every body is tested as its bounding circle, which for circles is exact already; contacts.js
 * looks closer at the others. A body that is too large for a cell is tested against the cells it
 * covers, and against the other large ones by a sweep along x.
 *
 * A body outside the world counts into the nearest border cell: clamping never takes two bodies
 * further apart, so no pair is lost.
 */
import { pairSmall, sortIntoCells } from './grid.js';
import { pairLarge, pairLargeWithSmall } from './large.js';
import { FLAG, PARAMETER, PARAMETER_REAL, SHAPE, STEP_SECONDS } from './layout.js';

/** @typedef {import('./layout.js').Memory} Memory */

/**
 * @param {number} bytes of memory that the world needs
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
 * @param {Memory} memory @param {number} high slots to look at
 * @param {boolean} bounce whether the world's border throws back circles and boxes
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
 * Finds the pairs of bodies whose bounding circles overlap, each once.
 * @param {Memory} memory @param {number} high slots to look at
 * @returns {number} how many lie in memory.pairs, as (id << 16 | id)
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
