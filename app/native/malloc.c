/*
 * Keeps the heaps of the C library small, and fills that of a zygote before fork(). When two threads meet inside
 * malloc(), glibc gives one of them a heap of its own, up to eight a core. It also raises its thresholds when large
 * blocks are freed, and then keeps such blocks. Both leave free memory that is never returned to the system.
 */
#include "napi-util.h"

#include <malloc.h>
#include <stdlib.h>

#define TRIM_BYTES (64 << 10)
/* A block of this size or more is a mapping of its own, which free() returns to the system. */
#define MMAP_BYTES (64 << 10)
/* As much garbage as V8 lets array buffers become before it collects them. */
#define KEPT_BYTES (128 << 20)
/* glibc's maximum: DEFAULT_MMAP_THRESHOLD_MAX */
#define KEPT_MMAP_BYTES (32 << 20)
#define KEPT_MMAP_BYTES_32 (512 << 10)

/* keepMallocSmall() -> boolean; false when this C library has no such settings */
static napi_value keep_malloc_small(napi_env env, napi_callback_info info) {
  (void)info;
  bool done = false;
#ifdef __GLIBC__
  done = mallopt(M_ARENA_MAX, 1) == 1 && mallopt(M_TRIM_THRESHOLD, TRIM_BYTES) == 1 &&
         mallopt(M_MMAP_THRESHOLD, MMAP_BYTES) == 1;
  malloc_trim(0);
#endif
  return pitv_make_boolean(env, done);
}

/*
 * keepFreedBlocks(): has malloc() reuse large blocks that were freed, instead of returning them to the system: the
 * kernel would zero each page again. trimMalloc() returns them.
 */
static napi_value keep_freed_blocks(napi_env env, napi_callback_info info) {
  (void)env;
  (void)info;
#ifdef __GLIBC__
  /* mallopt() refuses the larger threshold on 32-bit systems. */
  if (mallopt(M_MMAP_THRESHOLD, KEPT_MMAP_BYTES) != 1) mallopt(M_MMAP_THRESHOLD, KEPT_MMAP_BYTES_32);
  mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
#endif
  return NULL;
}

/* trimMalloc(): returns the free pages of all heaps to the system (malloc_trim(3)) */
static napi_value trim_malloc(napi_env env, napi_callback_info info) {
  (void)env;
  (void)info;
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  return NULL;
}

/*
 * Filling the holes in the heap before fork(): freed blocks leave holes all over the heap, and malloc() fills those
 * first. A child that allocates a little would write to many shared pages, and the kernel would copy each of them. So
 * the zygote returns whole free pages to the system, then allocates the remaining holes for good. This costs no memory,
 * as their pages are in use anyway. The allocations of a child then lie together at the end of the heap.
 */
#ifdef __GLIBC__
#define MAX_HOLE_BYTES (256u << 10)
#define MIN_HOLE_BYTES 24u
/* Stops when no more than this is free in holes: the rest is in holes that are hard to fill. */
#define MAX_LEFT_BYTES (16u << 10)
/* glibc caches freed blocks for the next malloc() of their size (tcache) and counts them as allocated: this many of
 * each size, up to this size. */
#define CACHED_PER_SIZE 7
#define MAX_CACHED_BYTES 1032u
/* For the zygote and its children. What a child frees at the end of its heap is returned to the system at once. */
#define CHILD_MMAP_BYTES (128 << 10)

#if __GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 33)
typedef struct mallinfo2 usage;
static usage read_usage(void) { return mallinfo2(); }
#else
typedef struct mallinfo usage;
static usage read_usage(void) { return mallinfo(); }
#endif

/* Returns the free bytes below the end of the heap. */
static size_t hole_bytes(const usage *now) { return (size_t)now->fordblks - (size_t)now->keepcost; }

/*
 * Allocates blocks of a size until none fits in a hole. A block lies in a hole if the heap did not grow and the bytes
 * that are free at its end are the same as before.
 */
static size_t fill_with(size_t block) {
  size_t filled = 0;
  for (;;) {
    usage before = read_usage();
    if (hole_bytes(&before) < block) return filled;
    void *allocated = malloc(block);
    if (allocated == NULL) return filled;
    usage after = read_usage();
    if (after.keepcost != before.keepcost || after.arena != before.arena || after.hblks != before.hblks) {
      free(allocated);
      return filled;
    }
    filled += block;
  }
}

static size_t fill_holes(void) {
  /* Setting either stops glibc from adapting both thresholds to the blocks that are freed (mallopt(3)). */
  mallopt(M_TRIM_THRESHOLD, TRIM_BYTES);
  mallopt(M_MMAP_THRESHOLD, CHILD_MMAP_BYTES);
  /* Whole free pages are returned first. Filling them afterwards touches only the headers of a few large blocks. */
  malloc_trim(0);
  size_t filled = 0;
  for (size_t size = MIN_HOLE_BYTES; size <= MAX_CACHED_BYTES; size += 16)
    for (int i = 0; i < CACHED_PER_SIZE; i++)
      if (malloc(size) != NULL) filled += size;
  for (size_t block = MAX_HOLE_BYTES; block >= MIN_HOLE_BYTES; block -= block / 4 > 16 ? block / 4 : 16) {
    usage now = read_usage();
    if (hole_bytes(&now) < MAX_LEFT_BYTES) break;
    filled += fill_with(block);
    if (block <= MIN_HOLE_BYTES) break;
  }
  return filled;
}
#else
static size_t fill_holes(void) { return 0; }
#endif

/* fillHoles() -> bytes that were free inside the heap and are now allocated for good */
static napi_value fill_holes_js(napi_env env, napi_callback_info info) {
  (void)info;
  return pitv_make_number(env, (double)fill_holes());
}

/* More than the heap of V8 may be, and than what lies outside of it. */
#define MUCH_BYTES (INT64_C(1) << 40)

/*
 * shrinkHeap(): has V8 collect garbage and return free pages to the system, those of the young generation too. V8 does
 * this when much memory outside of its heap depends on its objects, so this function says so for a moment.
 */
static napi_value shrink_heap(napi_env env, napi_callback_info info) {
  (void)info;
  int64_t total;
  napi_adjust_external_memory(env, MUCH_BYTES, &total);
  napi_adjust_external_memory(env, -MUCH_BYTES, &total);
  return NULL;
}

PITV_FUNCTIONS(malloc, {"keepMallocSmall", keep_malloc_small}, {"trimMalloc", trim_malloc},
               {"keepFreedBlocks", keep_freed_blocks}, {"fillHoles", fill_holes_js},
               {"shrinkHeap", shrink_heap});
