/* The memory of a world as the kernel sees it, and helpers. */
#ifndef PITV_KERNEL_H
#define PITV_KERNEL_H

#include <stdint.h>

enum { NONE, CIRCLE, BOX, SEGMENT };
enum { SENSOR = 1 };

#define NO_CELL 0xffffffffu
#define STEP_SECONDS (1.0 / 60.0)
#define SLACK 1e-6

/* Fields in the order of OFFSETS, PARAMETER and PARAMETER_REAL in layout.js. */
struct parameters {
  uint32_t x, y, vx, vy, a, b, invMass, restitution, shape, flags, cellOf, cellStart;
  uint32_t sorted;
  uint32_t boundX, boundY, boundR;
  uint32_t large, minX, maxX, minY, maxY, pairs;
  uint32_t maxPairs, columns, rows, dropped;
  double inverseCell, smallRadius, cellSize, width, height;
};

/* The bounding circle of a small body in the grid. */
struct sorted {
  double x, y, radius;
  uint32_t id, cell;
};

/* In WebAssembly `memory` is 0, because an address is an offset into the memory. */
#define REALS(name) ((double *)(memory + p->name))
#define WORDS(name) ((uint32_t *)(memory + p->name))
#define SORTED(name) ((struct sorted *)(memory + p->name))
#define BYTES(name) ((uint8_t *)(memory + p->name))
#define EXPORT(name) __attribute__((export_name(#name), visibility("default")))
#define INLINE static inline __attribute__((always_inline))

#ifdef __wasm__
#define ROOT __builtin_sqrt
#else
#undef EXPORT
#define EXPORT(name)
#include <math.h>
#define ROOT sqrt
#endif

INLINE double boundingRadius(uint32_t shape, double a, double b) {
  const double diagonal = ROOT(a * a + b * b);
  return (shape == BOX ? diagonal : diagonal * 0.5) + SLACK;
}

/* `last` is far below 2^31. A conversion to a signed number is cheaper than one to an unsigned number. */
INLINE uint32_t cellAt(double position, double last) {
  return position > 0 ? (uint32_t)(int32_t)(position < last ? position : last) : 0;
}

INLINE uint32_t append(struct parameters *p, uint32_t *pairs, uint32_t found, uint32_t pair) {
  if (found >= p->maxPairs) {
    p->dropped++;
    return found;
  }
  pairs[found] = pair;
  return found + 1;
}

#endif
