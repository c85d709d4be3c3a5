/** Finds pairs with bodies that are too large for the grid, in JavaScript. kernel.c does the same. */
import { SLACK } from './cells.js';
import { PARAMETER, PARAMETER_REAL, SHAPE } from './layout.js';

/** @typedef {import('./layout.js').Memory} Memory */

/**
 * Tests each large body against the small ones in the cells that it covers.
 * @param {Memory} memory
 * @param {number} larges number of ids in memory.large
 * @param {number} found pairs so far
 * @returns {number} new number of pairs
 */
export function pairLargeWithSmall(memory, larges, found) {
  const { x, y, a, b, shape, large, minX, maxX, minY, maxY } = memory;
  const { cellStart, sortedReals, sortedWords } = memory;
  const { parameters, parameterReals } = memory;
  const lastColumn = parameters[PARAMETER.columns] - 1;
  const lastRow = parameters[PARAMETER.rows] - 1;
  const stride = lastColumn + 2;
  const inverse = parameterReals[PARAMETER_REAL.inverseCell];
  const reachOfSmall = parameterReals[PARAMETER_REAL.cellSize] * 0.5;
  for (let l = 0; l < larges; l++) {
    const i = large[l];
    const kind = shape[i];
    const xi = x[i];
    const yi = y[i];
    const ai = a[i];
    const bi = b[i];
    if (kind === SHAPE.segment) {
      minX[i] = (ai < 0 ? xi + ai : xi) - SLACK;
      maxX[i] = (ai < 0 ? xi : xi + ai) + SLACK;
      minY[i] = (bi < 0 ? yi + bi : yi) - SLACK;
      maxY[i] = (bi < 0 ? yi : yi + bi) + SLACK;
    } else {
      const halfHeight = kind === SHAPE.box ? bi : ai;
      minX[i] = xi - ai - SLACK;
      maxX[i] = xi + ai + SLACK;
      minY[i] = yi - halfHeight - SLACK;
      maxY[i] = yi + halfHeight + SLACK;
    }
    const left = cellAt((minX[i] - reachOfSmall) * inverse, lastColumn);
    const right = cellAt((maxX[i] + reachOfSmall) * inverse, lastColumn);
    const top = cellAt((minY[i] - reachOfSmall) * inverse, lastRow);
    const bottom = cellAt((maxY[i] + reachOfSmall) * inverse, lastRow);
    const length2 = ai * ai + bi * bi;
    for (let row = top; row <= bottom; row++) {
      const end = cellStart[row * stride + right + 2];
      for (let k = cellStart[row * stride + left + 1]; k < end; k++) {
        let dx = sortedReals[k * 4] - xi;
        let dy = sortedReals[k * 4 + 1] - yi;
        const r = sortedReals[k * 4 + 2];
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
        if (hit) found = append(memory, found, (i << 16) | sortedWords[k * 8 + 6]);
      }
    }
  }
  return found;
}

/** Returns a column or row, 0..last. @param {number} position in cells @param {number} last */
function cellAt(position, last) {
  return position > 0 ? (position < last ? position | 0 : last) : 0;
}

/**
 * Finds the pairs of large bodies by a sweep along x. The bodies are sorted by their left edge with a
 * Shell sort: it needs no recursion and no memory, and gives the same order on every machine.
 * @param {Memory} memory @param {number} larges @param {number} found @returns {number}
 */
export function pairLarge(memory, larges, found) {
  const { x, y, a, shape, large, minX, maxX, minY, maxY } = memory;
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
  for (let k = 0; k < larges; k++) {
    const i = large[k];
    for (let q = k + 1; q < larges; q++) {
      const j = large[q];
      if (!(minX[j] <= maxX[i])) break;
      if (!(minY[j] <= maxY[i] && minY[i] <= maxY[j])) continue;
      if (shape[i] === SHAPE.circle && shape[j] === SHAPE.circle) {
        const dx = x[j] - x[i];
        const dy = y[j] - y[i];
        const reach = a[j] + a[i];
        if (!(dx * dx + dy * dy < reach * reach)) continue;
      }
      found = append(memory, found, (i << 16) | j);
    }
  }
  return found;
}

/**
 * Appends a pair, or counts it as dropped if there is no room.
 * @param {Memory} memory @param {number} found pairs so far @param {number} pair
 * @returns {number} new number of pairs
 */
export function append({ pairs, parameters }, found, pair) {
  if (found >= parameters[PARAMETER.maxPairs]) {
    parameters[PARAMETER.dropped]++;
    return found;
  }
  pairs[found] = pair;
  return found + 1;
}
