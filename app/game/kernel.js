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
import { PARAMETER, PARAMETER_REAL, SHAPE, STEP_SECONDS, FLAG } from './layout.js';
import { boundingRadius } from './cells.js';

/** @typedef {import('./layout.js').Memory} Memory */

/** In cellOf: not in the grid. */
const NO_CELL = 0xffffffff;

/**
 * @param {number} bytes of memory that the world needs
 * @returns {NonNullable<ReturnType<import('./kernels.js').KernelFactory>>}
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

/**
 * Counting sort. Afterwards cell c holds the sorted bodies cellStart[c] .. cellStart[c + 1] - 1.
 * @param {Memory} memory @param {number} high @returns {number} how many bodies are large
 */
function sortIntoCells(memory, high) {
  const { x, y, a, b, shape, cellOf, cellStart, large, parameters, parameterReals } = memory;
  const { sortedX, sortedY, sortedR, sortedId } = memory;
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
    let middleX = x[i];
    let middleY = y[i];
    let radius = a[i];
    if (shape[i] !== SHAPE.circle) {
      if (shape[i] === SHAPE.segment) {
        middleX += a[i] * 0.5;
        middleY += b[i] * 0.5;
      }
      radius = boundingRadius(shape[i], a[i], b[i]);
    }
    sortedX[k] = middleX;
    sortedY[k] = middleY;
    sortedR[k] = radius;
    sortedId[k] = i;
  }
  return larges;
}

/** @param {Memory} memory @returns {number} pairs found */
function pairSmall(memory) {
  const { cellStart, sortedX, sortedY, sortedR, sortedId, pairs, parameters } = memory;
  const columns = parameters[PARAMETER.columns];
  const rows = parameters[PARAMETER.rows];
  const maxPairs = parameters[PARAMETER.maxPairs];
  const stride = columns + 1;
  let found = 0;
  let dropped = 0;
  for (let row = 0; row < rows; row++) {
    const first = row * stride + 1;
    for (let cell = first; cell < first + columns; cell++) {
      const end = cellStart[cell + 1];
      const right = cellStart[cell + 2];
      const below = cellStart[cell + stride - 1];
      const belowEnd = cellStart[cell + stride + 2];
      for (let i = cellStart[cell]; i < end; i++) {
        const xi = sortedX[i];
        const yi = sortedY[i];
        const ri = sortedR[i];
        const id = sortedId[i] << 16;
        if (found + (right - i) + (belowEnd - below) > maxPairs) {
          // Near the end of the memory: the same, but looking before each write.
          for (let j = i + 1; j < belowEnd; j++) {
            if (j === right) j = below;
            if (j >= belowEnd) break;
            const dx = sortedX[j] - xi;
            const dy = sortedY[j] - yi;
            const reach = sortedR[j] + ri;
            if (dx * dx + dy * dy < reach * reach) {
              if (found < maxPairs) pairs[found++] = id | sortedId[j];
              else dropped++;
            }
          }
          continue;
        }
        for (let j = i + 1; j < right; j++) {
          const dx = sortedX[j] - xi;
          const dy = sortedY[j] - yi;
          const reach = sortedR[j] + ri;
          // Written always, counted when it overlaps: no branch to mispredict.
          pairs[found] = id | sortedId[j];
          found += dx * dx + dy * dy < reach * reach ? 1 : 0;
        }
        for (let j = below; j < belowEnd; j++) {
          const dx = sortedX[j] - xi;
          const dy = sortedY[j] - yi;
          const reach = sortedR[j] + ri;
          pairs[found] = id | sortedId[j];
          found += dx * dx + dy * dy < reach * reach ? 1 : 0;
        }
      }
    }
  }
  parameters[PARAMETER.dropped] += dropped;
  return found;
}

/** @param {Memory} memory @param {number} larges @param {number} found @returns {number} */
function pairLargeWithSmall(memory, larges, found) {
  const { x, y, a, b, shape, large, minX, maxX, minY, maxY } = memory;
  const { cellStart, sortedX, sortedY, sortedR, sortedId, pairs } = memory;
  const { parameters, parameterReals } = memory;
  const lastColumn = parameters[PARAMETER.columns] - 1;
  const lastRow = parameters[PARAMETER.rows] - 1;
  const maxPairs = parameters[PARAMETER.maxPairs];
  const stride = lastColumn + 2;
  const inverse = parameterReals[PARAMETER_REAL.inverseCell];
  const reachOfSmall = parameterReals[PARAMETER_REAL.cellSize] * 0.5;
  let dropped = 0;
  for (let l = 0; l < larges; l++) {
    const i = large[l];
    const kind = shape[i];
    const xi = x[i];
    const yi = y[i];
    const ai = a[i];
    const bi = b[i];
    if (kind === SHAPE.segment) {
      minX[i] = ai < 0 ? xi + ai : xi;
      maxX[i] = ai < 0 ? xi : xi + ai;
      minY[i] = bi < 0 ? yi + bi : yi;
      maxY[i] = bi < 0 ? yi : yi + bi;
    } else {
      const halfHeight = kind === SHAPE.box ? bi : ai;
      minX[i] = xi - ai;
      maxX[i] = xi + ai;
      minY[i] = yi - halfHeight;
      maxY[i] = yi + halfHeight;
    }
    const left = cellAt((minX[i] - reachOfSmall) * inverse, lastColumn);
    const right = cellAt((maxX[i] + reachOfSmall) * inverse, lastColumn);
    const top = cellAt((minY[i] - reachOfSmall) * inverse, lastRow);
    const bottom = cellAt((maxY[i] + reachOfSmall) * inverse, lastRow);
    const length2 = ai * ai + bi * bi;
    for (let row = top; row <= bottom; row++) {
      const end = cellStart[row * stride + right + 2];
      for (let k = cellStart[row * stride + left + 1]; k < end; k++) {
        let dx = sortedX[k] - xi;
        let dy = sortedY[k] - yi;
        const r = sortedR[k];
        let hit;
        if (kind === SHAPE.circle) {
          const reach = r + ai;
          hit = dx * dx + dy * dy < reach * reach;
        } else {
          if (kind === SHAPE.box) {
            dx = dx < 0 ? -dx - ai : dx - ai;
            dy = dy < 0 ? -dy - bi : dy - bi;
            if (dx < 0) dx = 0;
            if (dy < 0) dy = 0;
          } else if (length2 > 0) {
            const along = (dx * ai + dy * bi) / length2;
            const t = along > 0 ? (along < 1 ? along : 1) : 0;
            dx -= ai * t;
            dy -= bi * t;
          }
          hit = dx * dx + dy * dy <= r * r;
        }
        if (!hit) continue;
        if (found < maxPairs) pairs[found++] = (i << 16) | sortedId[k];
        else dropped++;
      }
    }
  }
  parameters[PARAMETER.dropped] += dropped;
  return found;
}

/** @param {number} position in cells @param {number} last @returns {number} 0..last */
function cellAt(position, last) {
  return position > 0 ? (position < last ? position | 0 : last) : 0;
}

/**
 * Sweep along x over the large bodies, sorted by their left edge (Shell sort: no recursion, no
 * memory, and the same order everywhere).
 * @param {Memory} memory @param {number} larges @param {number} found @returns {number}
 */
function pairLarge(memory, larges, found) {
  const { large, minX, maxX, minY, maxY, pairs, parameters } = memory;
  const maxPairs = parameters[PARAMETER.maxPairs];
  let gap = 1;
  while (gap < larges) gap = gap * 3 + 1;
  for (; gap >= 1; gap = (gap / 3) | 0) {
    for (let k = gap; k < larges; k++) {
      const id = large[k];
      const key = minX[id];
      let q = k;
      for (; q >= gap; q -= gap) {
        const other = large[q - gap];
        if (!(minX[other] > key || (minX[other] === key && other > id))) break;
        large[q] = other;
      }
      large[q] = id;
    }
  }
  let dropped = 0;
  for (let k = 0; k < larges; k++) {
    const i = large[k];
    for (let q = k + 1; q < larges; q++) {
      const j = large[q];
      if (!(minX[j] <= maxX[i])) break;
      if (!(minY[j] <= maxY[i] && minY[i] <= maxY[j])) continue;
      if (found < maxPairs) pairs[found++] = (i << 16) | j;
      else dropped++;
    }
  }
  parameters[PARAMETER.dropped] += dropped;
  return found;
}
