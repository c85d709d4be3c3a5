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

/*
 * Steps that take two bodies at once in the build with SIMD. Without SIMD they leave bodies to the loops that take one
 * after the other. Both do the same operations on a body in the same order, so both give the same bytes.
 */

/* Returns 1 if a circle overlaps a body of the grid, else 0. */
INLINE uint32_t overlaps(double x, double y, double radius, const struct sorted *other) {
  const double dx = other->x - x, dy = other->y - y, reach = other->radius + radius;
  return dx * dx + dy * dy < reach * reach;
}

/* The grid, as countTwo() needs it. */
struct grid {
  double inverse, lastColumn, lastRow, smallRadius;
  uint32_t stride;
};

#ifdef __wasm_simd128__
#include <wasm_simd128.h>

INLINE int areCircles(const uint8_t *shape) { return shape[0] == CIRCLE && shape[1] == CIRCLE; }

/* Tells whether two bodies are circles that touch no border. */
INLINE int areInside(const uint8_t *shape, const double *x, const double *y, const double *radius,
                     double width, double height) {
  if (!areCircles(shape)) return 0;
  const v128_t xs = wasm_v128_load(x), ys = wasm_v128_load(y), radii = wasm_v128_load(radius);
  const v128_t right = wasm_f64x2_sub(wasm_f64x2_splat(width), radii);
  const v128_t bottom = wasm_f64x2_sub(wasm_f64x2_splat(height), radii);
  const v128_t beside = wasm_v128_or(wasm_f64x2_lt(xs, radii), wasm_f64x2_gt(xs, right));
  const v128_t over = wasm_v128_or(wasm_f64x2_lt(ys, radii), wasm_f64x2_gt(ys, bottom));
  return !wasm_v128_any_true(wasm_v128_or(beside, over));
}

INLINE v128_t cellsAt(const double *positions, double inverse, double last) {
  const v128_t cells = wasm_f64x2_mul(wasm_v128_load(positions), wasm_f64x2_splat(inverse));
  return wasm_u32x4_trunc_sat_f64x2_zero(wasm_f64x2_pmin(cells, wasm_f64x2_splat(last)));
}

/* Counts two bodies in their cells if both are small circles. Returns 0 if one is not. */
INLINE int countTwo(struct grid grid, const uint8_t *shape, const double *x, const double *y,
                    const double *radius, uint32_t *cellOf, uint32_t *cellStart) {
  if (!areCircles(shape)) return 0;
  const v128_t small = wasm_f64x2_le(wasm_v128_load(radius), wasm_f64x2_splat(grid.smallRadius));
  if (wasm_i64x2_bitmask(small) != 3) return 0;
  const v128_t columns = cellsAt(x, grid.inverse, grid.lastColumn);
  const v128_t rows = cellsAt(y, grid.inverse, grid.lastRow);
  const v128_t before = wasm_i32x4_mul(rows, wasm_i32x4_splat(grid.stride));
  const v128_t cells = wasm_i32x4_add(wasm_i32x4_add(before, columns), wasm_i32x4_splat(1));
  wasm_v128_store64_lane(cellOf, cells, 0);
  cellStart[wasm_i32x4_extract_lane(cells, 0)]++;
  cellStart[wasm_i32x4_extract_lane(cells, 1)]++;
  return 1;
}

/* Tests two bodies of the grid. Returns 1 for the first one plus 2 for the second one. */
INLINE uint32_t overlapsTwo(double x, double y, double radius, const struct sorted *other) {
  const v128_t middle = wasm_f64x2_make(x, y);
  const v128_t first = wasm_f64x2_sub(wasm_v128_load(&other[0].x), middle);
  const v128_t second = wasm_f64x2_sub(wasm_v128_load(&other[1].x), middle);
  const v128_t a = wasm_f64x2_mul(first, first), b = wasm_f64x2_mul(second, second);
  const v128_t distance =
      wasm_f64x2_add(wasm_i64x2_shuffle(a, b, 0, 2), wasm_i64x2_shuffle(a, b, 1, 3));
  const v128_t reach = wasm_f64x2_add(wasm_f64x2_make(other[0].radius, other[1].radius),
                                      wasm_f64x2_splat(radius));
  return wasm_i64x2_bitmask(wasm_f64x2_lt(distance, wasm_f64x2_mul(reach, reach)));
}

#else

#define areInside(...) 0
#define countTwo(...) 0

INLINE uint32_t overlapsTwo(double x, double y, double radius, const struct sorted *other) {
  return overlaps(x, y, radius, other) | overlaps(x, y, radius, other + 1) << 1;
}

#endif
#endif
