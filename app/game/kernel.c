/*
 * The hot path of a step, for WebAssembly. It does the same operations in the same order as
 * js-kernel.js and large.js, so both give the same bytes. Change both together. The comments
 * there describe the algorithm.
 *
 * The kernel works in place on a world's memory. layout.js defines the layout and passes it as a struct
 * of offsets. No library, no static data, no stack, and no fused multiply-add (-ffp-contract=off).
 */
#include "kernel-large.h"
#include "kernel.h"

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

INLINE uint32_t sortIntoCells(uint8_t *memory, struct parameters *p, uint32_t high) {
  const double *restrict x = REALS(x), *restrict y = REALS(y);
  const double *restrict a = REALS(a), *restrict b = REALS(b);
  const uint8_t *restrict shape = BYTES(shape);
  uint32_t *restrict cellOf = WORDS(cellOf), *restrict cellStart = WORDS(cellStart);
  uint32_t *restrict large = WORDS(large);
  struct sorted *restrict sorted = SORTED(sorted);
  double *restrict boundX = REALS(boundX), *restrict boundY = REALS(boundY);
  double *restrict boundR = REALS(boundR);
  const double lastColumn = p->columns - 1, lastRow = p->rows - 1;
  const uint32_t stride = p->columns + 1;
  const double inverse = p->inverseCell, smallRadius = p->smallRadius;
  const uint32_t cells = stride * (p->rows + 1) + 2;
  __builtin_memset(cellStart, 0, cells * sizeof *cellStart);
  uint32_t larges = 0;
  for (uint32_t i = 0; i < high; i++) {
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
    if (!(radius <= smallRadius)) {
      large[larges++] = i;
      continue;
    }
    const uint32_t column = cellAt(middleX * inverse, lastColumn);
    const uint32_t row = cellAt(middleY * inverse, lastRow);
    const uint32_t cell = row * stride + column + 1;
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

/* Returns 1 if the circles overlap and `other` is before the end of its run, else 0. */
INLINE uint32_t overlaps(double x, double y, double radius, const struct sorted *other,
                         const struct sorted *end) {
  const double dx = other->x - x, dy = other->y - y, reach = other->radius + radius;
  return (dx * dx + dy * dy < reach * reach) & (other < end);
}

/* Always writes the pair; counts it only if the circles overlap. */
#define TEST(other, end)                        \
  do {                                          \
    pairs[found] = id | (other)->id;            \
    found += overlaps(x, y, radius, other, end); \
  } while (0)

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
        if (overlaps(x, y, radius, other, right)) found = append(p, pairs, found, id | other->id);
      }
      for (other = below; other < belowEnd; other++) {
        if (overlaps(x, y, radius, other, belowEnd)) found = append(p, pairs, found, id | other->id);
      }
      continue;
    }
    do {
      TEST(other, right);
      TEST(other + 1, right);
      other += 2;
    } while (other < right);
    other = below;
    do {
      TEST(other, belowEnd);
      TEST(other + 1, belowEnd);
      TEST(other + 2, belowEnd);
      TEST(other + 3, belowEnd);
      other += 4;
    } while (other < belowEnd);
  }
  return found;
}

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
