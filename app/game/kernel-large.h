/* Finds pairs with bodies that are too large for the grid. large.js does the same. */
#ifndef PITV_KERNEL_LARGE_H
#define PITV_KERNEL_LARGE_H

#include "kernel.h"

INLINE uint32_t pairLargeWithSmall(uint8_t *memory, struct parameters *p, uint32_t larges,
                                   uint32_t found) {
  const double *x = REALS(x), *y = REALS(y), *a = REALS(a), *b = REALS(b);
  const uint8_t *shape = BYTES(shape);
  const uint32_t *large = WORDS(large), *cellStart = WORDS(cellStart);
  const struct sorted *sorted = SORTED(sorted);
  double *minX = REALS(minX), *maxX = REALS(maxX), *minY = REALS(minY), *maxY = REALS(maxY);
  uint32_t *pairs = WORDS(pairs);
  const double lastColumn = p->columns - 1, lastRow = p->rows - 1;
  const uint32_t stride = p->columns + 1;
  const double inverse = p->inverseCell, reachOfSmall = p->cellSize * 0.5;
  for (uint32_t l = 0; l < larges; l++) {
    const uint32_t i = large[l], kind = shape[i];
    const double xi = x[i], yi = y[i], ai = a[i], bi = b[i];
    if (kind == SEGMENT) {
      minX[i] = (ai < 0 ? xi + ai : xi) - SLACK;
      maxX[i] = (ai < 0 ? xi : xi + ai) + SLACK;
      minY[i] = (bi < 0 ? yi + bi : yi) - SLACK;
      maxY[i] = (bi < 0 ? yi : yi + bi) + SLACK;
    } else {
      const double halfHeight = kind == BOX ? bi : ai;
      minX[i] = xi - ai - SLACK;
      maxX[i] = xi + ai + SLACK;
      minY[i] = yi - halfHeight - SLACK;
      maxY[i] = yi + halfHeight + SLACK;
    }
    const uint32_t left = cellAt((minX[i] - reachOfSmall) * inverse, lastColumn);
    const uint32_t right = cellAt((maxX[i] + reachOfSmall) * inverse, lastColumn);
    const uint32_t top = cellAt((minY[i] - reachOfSmall) * inverse, lastRow);
    const uint32_t bottom = cellAt((maxY[i] + reachOfSmall) * inverse, lastRow);
    const double length2 = ai * ai + bi * bi;
    for (uint32_t row = top; row <= bottom; row++) {
      const uint32_t end = cellStart[row * stride + right + 2];
      for (uint32_t k = cellStart[row * stride + left + 1]; k < end; k++) {
        double dx = sorted[k].x - xi, dy = sorted[k].y - yi;
        const double r = sorted[k].radius;
        int hit;
        if (kind == CIRCLE) {
          const double reach = r + ai;
          hit = dx * dx + dy * dy < reach * reach;
        } else {
          if (kind == BOX) {
            dx = dx < 0 ? -dx - ai : dx - ai;
            dy = dy < 0 ? -dy - bi : dy - bi;
            if (dx < 0) dx = 0;
            if (dy < 0) dy = 0;
          } else if (length2 > 0) {
            const double along = (dx * ai + dy * bi) / length2;
            const double t = along > 0 ? (along < 1 ? along : 1) : 0;
            dx -= ai * t;
            dy -= bi * t;
          }
          hit = dx * dx + dy * dy <= r * r;
        }
        if (hit) found = append(p, pairs, found, (i << 16) | sorted[k].id);
      }
    }
  }
  return found;
}

INLINE uint32_t pairLarge(uint8_t *memory, struct parameters *p, uint32_t larges, uint32_t found) {
  const double *x = REALS(x), *y = REALS(y), *a = REALS(a);
  const uint8_t *shape = BYTES(shape);
  const double *minX = REALS(minX), *maxX = REALS(maxX), *minY = REALS(minY), *maxY = REALS(maxY);
  uint32_t *large = WORDS(large), *pairs = WORDS(pairs);
  uint32_t gap = 1;
  while (gap < larges) gap = gap * 3 + 1;
  for (; gap >= 1; gap /= 3) {
    for (uint32_t k = gap; k < larges; k++) {
      const uint32_t id = large[k];
      const double key = minX[id];
      uint32_t q = k;
      for (; q >= gap; q -= gap) {
        const uint32_t other = large[q - gap];
        if (!(minX[other] > key || (minX[other] == key && other > id))) break;
        large[q] = other;
      }
      large[q] = id;
    }
  }
  for (uint32_t k = 0; k < larges; k++) {
    const uint32_t i = large[k];
    for (uint32_t q = k + 1; q < larges; q++) {
      const uint32_t j = large[q];
      if (!(minX[j] <= maxX[i])) break;
      if (!(minY[j] <= maxY[i] && minY[i] <= maxY[j])) continue;
      if (shape[i] == CIRCLE && shape[j] == CIRCLE) {
        const double dx = x[j] - x[i], dy = y[j] - y[i], reach = a[j] + a[i];
        if (!(dx * dx + dy * dy < reach * reach)) continue;
      }
      found = append(p, pairs, found, (i << 16) | j);
    }
  }
  return found;
}

#endif
