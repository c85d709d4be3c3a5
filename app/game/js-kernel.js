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
import { pairSmall, sortIntoCells } from './grid.js';
import { pairLarge, pairLargeWithSmall } from './large.js';
import { FLAG, PARAMETER, PARAMETER_REAL, SHAPE, STEP_SECONDS } from './layout.js';

/** @typedef {import('./layout.js').Memory} Memory */

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
