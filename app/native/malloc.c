/*
 * Keeps the heaps of the C library small. When two threads meet inside malloc(), glibc gives one of them a heap
 * of its own, up to eight a core. It also raises its thresholds when large blocks are freed, and then keeps such
 * blocks. Both leave free memory that is never returned to the system.
 */
#include "napi-util.h"

#include <malloc.h>

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
  napi_value result = NULL;
  bool done = false;
#ifdef __GLIBC__
  done = mallopt(M_ARENA_MAX, 1) == 1 && mallopt(M_TRIM_THRESHOLD, TRIM_BYTES) == 1 &&
         mallopt(M_MMAP_THRESHOLD, MMAP_BYTES) == 1;
  malloc_trim(0);
#endif
  napi_get_boolean(env, done, &result);
  return result;
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

PITV_FUNCTIONS(malloc, {"keepMallocSmall", keep_malloc_small}, {"trimMalloc", trim_malloc},
               {"keepFreedBlocks", keep_freed_blocks});
