/*
 * The C library's heaps of a process that shall stay small. glibc gives each thread that meets another
 * one inside malloc() a heap of its own, up to eight a core, and adapts to large blocks that come and
 * go by keeping them. Both make memory that is free and never goes back.
 */
#include "napi-util.h"

#include <malloc.h>

#define TRIM_BYTES (64 << 10)
/* A block of this size or more is a mapping of its own, which goes back whole. */
#define MMAP_BYTES (64 << 10)

/* keepMallocSmall() -> boolean; false: this C library has no such settings */
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

/* trimMalloc(): gives the pages that hold no block back to the system, of all heaps (malloc_trim(3)) */
static napi_value trim_malloc(napi_env env, napi_callback_info info) {
  (void)env;
  (void)info;
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  return NULL;
}

bool pitv_malloc_init(napi_env env, napi_value exports) {
  return pitv_export(env, exports, "keepMallocSmall", keep_malloc_small) &&
         pitv_export(env, exports, "trimMalloc", trim_malloc);
}
