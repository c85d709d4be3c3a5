/*
 * The hot path of a step, for WebAssembly: moves the bodies and finds the pairs that overlap.
 *
 * Broad phase: a uniform grid, filled by a counting sort. A body no wider than a cell is small. The small bodies are
 * copied in the order of their cells, so the candidates for a body lie in two contiguous runs: the rest of its own cell
 * with the next cell, and three cells of the row below. Every body is tested as its bounding circle, which is exact for
 * circles; contacts.js makes the exact test for other shapes. A body larger than a cell is tested against the cells it
 * covers, and against the other large bodies by a sweep along x.
 *
 * A body outside the world belongs to the nearest border cell. Clamping positions never moves two bodies further apart,
 * so no pair is lost.
 *
 * The kernel works in place on a world's memory. layout.js defines the layout and passes it as a struct
 * of offsets. No library, no static data, no stack, and no fused multiply-add (-ffp-contract=off), also not
 * that of relaxed SIMD: it rounds once instead of twice, and only some processors have it.
 */
#include "kernel.h"

/* Tests each large body against the small ones in the cells that it covers. Returns the new number of pairs. */
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

/*
 * Finds the pairs of large bodies by a sweep along x. The bodies are sorted by their left edge with a Shell sort: it
 * needs no recursion and no memory, and gives the same order on every machine. Returns the new number of pairs.
 */
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

/* Moves every body by its velocity for one tick. With `bounce`, circles and boxes bounce off the border. */
EXPORT(integrate)
void integrate(uint8_t *memory, uint32_t at, uint32_t high, uint32_t bounce) {
  const struct parameters *p = (struct parameters *)(memory + at);
  double *restrict x = REALS(x), *restrict y = REALS(y);
  double *restrict vx = REALS(vx), *restrict vy = REALS(vy);
  for (uint32_t i = 0; i < high; i++) {
    x[i] += vx[i] * STEP_SECONDS;
    y[i] += vy[i] * STEP_SECONDS;
  }
  if (!bounce) return;
  const double *a = REALS(a), *b = REALS(b), *invMass = REALS(invMass);
  const double *restitution = REALS(restitution);
  const uint8_t *shape = BYTES(shape), *flags = BYTES(flags);
  const double width = p->width, height = p->height;
  for (uint32_t i = 0; i < high; i++) {
    if (i + 1 < high && areInside(&shape[i], &x[i], &y[i], &a[i], width, height)) {
      i++;
      continue;
    }
    if (shape[i] != CIRCLE && shape[i] != BOX) continue;
    if (!(invMass[i] > 0) || (flags[i] & SENSOR) != 0) continue;
    const double halfWidth = a[i];
    const double halfHeight = shape[i] == BOX ? b[i] : halfWidth;
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

/*
 * Sorts the small bodies by cell, with a counting sort. Afterwards cell c holds the sorted bodies
 * cellStart[c] .. cellStart[c + 1] - 1. Returns the number of large bodies; their ids are in `large`.
 */
INLINE uint32_t sortIntoCells(uint8_t *memory, struct parameters *p, uint32_t high) {
  const double *restrict x = REALS(x), *restrict y = REALS(y);
  const double *restrict a = REALS(a), *restrict b = REALS(b);
  const uint8_t *restrict shape = BYTES(shape);
  uint32_t *restrict cellOf = WORDS(cellOf), *restrict cellStart = WORDS(cellStart);
  uint32_t *restrict large = WORDS(large);
  struct sorted *restrict sorted = SORTED(sorted);
  double *restrict boundX = REALS(boundX), *restrict boundY = REALS(boundY);
  double *restrict boundR = REALS(boundR);
  const struct grid grid = {p->inverseCell, p->columns - 1, p->rows - 1, p->smallRadius,
                            p->columns + 1};
  const uint32_t cells = grid.stride * (p->rows + 1) + 2;
  __builtin_memset(cellStart, 0, cells * sizeof *cellStart);
  uint32_t larges = 0;
  for (uint32_t i = 0; i < high; i++) {
    if (i + 1 < high && countTwo(grid, &shape[i], &x[i], &y[i], &a[i], &cellOf[i], cellStart)) {
      i++;
      continue;
    }
    double middleX = x[i], middleY = y[i], radius = a[i];
    cellOf[i] = NO_CELL;
    if (shape[i] != CIRCLE) {
      if (shape[i] == NONE) continue;
      if (shape[i] == SEGMENT) {
        middleX += a[i] * 0.5;
        middleY += b[i] * 0.5;
      }
      radius = boundingRadius(shape[i], a[i], b[i]);
      boundX[i] = middleX;
      boundY[i] = middleY;
      boundR[i] = radius;
    }
    if (!(radius <= grid.smallRadius)) {
      large[larges++] = i;
      continue;
    }
    const uint32_t column = cellAt(middleX * grid.inverse, grid.lastColumn);
    const uint32_t row = cellAt(middleY * grid.inverse, grid.lastRow);
    const uint32_t cell = row * grid.stride + column + 1;
    cellOf[i] = cell;
    cellStart[cell]++;
  }
  uint32_t sum = 0;
  for (uint32_t c = 0; c < cells; c++) {
    sum += cellStart[c];
    cellStart[c] = sum;
  }
  for (uint32_t i = high; i-- > 0;) {
    const uint32_t cell = cellOf[i];
    if (cell == NO_CELL) continue;
    const uint32_t k = --cellStart[cell];
    const int round = shape[i] == CIRCLE;
    struct sorted *const body = &sorted[k];
    body->x = round ? x[i] : boundX[i];
    body->y = round ? y[i] : boundY[i];
    body->radius = round ? a[i] : boundR[i];
    body->id = i;
    body->cell = cell;
  }
  return larges;
}

/* Writes two pairs; counts those that overlap and are before the end of the run. */
#define TEST_TWO(other, end)                                       \
  do {                                                             \
    const uint32_t hits = overlapsTwo(x, y, radius, other);        \
    pairs[found] = id | (other)[0].id;                             \
    found += hits & ((other) < (end));                             \
    pairs[found] = id | (other)[1].id;                             \
    found += (hits >> 1) & ((other) + 1 < (end));                  \
  } while (0)

/*
 * Tests each small body against the rest of its cell, the next cell, and three cells of the row below.
 *
 * The runs are short, so a branch at the end of each run would be mispredicted half the time, which costs more than the
 * tests. The loops are therefore unrolled: two bodies of the first run and four of the second are always tested, and
 * tests past the end of a run give 0. Each pair is always written; the write only counts if the bodies overlap. Near
 * the end of the pairs, each write is checked for room.
 */
INLINE uint32_t pairSmall(uint8_t *memory, struct parameters *p) {
  const uint32_t *restrict cellStart = WORDS(cellStart);
  const struct sorted *restrict sorted = SORTED(sorted);
  uint32_t *restrict pairs = WORDS(pairs);
  const uint32_t maxPairs = p->maxPairs;
  const uint32_t stride = p->columns + 1;
  const struct sorted *const last = sorted + cellStart[stride * (p->rows + 1) + 1];
  uint32_t found = 0;
  for (const struct sorted *body = sorted; body < last; body++) {
    const uint32_t *const start = cellStart + body->cell;
    const struct sorted *const right = sorted + start[2];
    const struct sorted *const below = sorted + start[stride - 1];
    const struct sorted *const belowEnd = sorted + start[stride + 2];
    const double x = body->x, y = body->y, radius = body->radius;
    const uint32_t id = body->id << 16;
    const struct sorted *other = body + 1;
    if (found + (uint32_t)(right - body) + (uint32_t)(belowEnd - below) > maxPairs) {
      for (; other < right; other++) {
        if (overlaps(x, y, radius, other)) found = append(p, pairs, found, id | other->id);
      }
      for (other = below; other < belowEnd; other++) {
        if (overlaps(x, y, radius, other)) found = append(p, pairs, found, id | other->id);
      }
      continue;
    }
    do {
      TEST_TWO(other, right);
      other += 2;
    } while (other < right);
    other = below;
    do {
      TEST_TWO(other, belowEnd);
      TEST_TWO(other + 2, belowEnd);
      other += 4;
    } while (other < belowEnd);
  }
  return found;
}

/* Writes each pair of bodies whose bounding circles overlap once, as id << 16 | id. Returns their number. */
EXPORT(findPairs)
uint32_t findPairs(uint8_t *memory, uint32_t at, uint32_t high) {
  struct parameters *p = (struct parameters *)(memory + at);
  p->dropped = 0;
  const uint32_t larges = sortIntoCells(memory, p, high);
  uint32_t found = pairSmall(memory, p);
  if (larges > 0) {
    found = pairLargeWithSmall(memory, p, larges, found);
    found = pairLarge(memory, p, larges, found);
  }
  return found;
}
