/*
 * Keeps the heaps of the C library small, and fills that of a zygote before fork(). When two threads meet inside
 * malloc(), glibc gives one of them a heap of its own, up to eight a core. It also raises its thresholds when large
 * blocks are freed, and then keeps such blocks. Both leave free memory that is never returned to the system.
 */
#include "napi-util.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define TRIM_BYTES (64 << 10)
/* A block of this size or more is a mapping of its own, which free() returns to the system. */
#define MMAP_BYTES (64 << 10)
/* As much garbage as V8 lets array buffers become before it collects them. */
#define KEPT_BYTES (128 << 20)
/* glibc's maximum: DEFAULT_MMAP_THRESHOLD_MAX */
#define KEPT_MMAP_BYTES (32 << 20)
#define KEPT_MMAP_BYTES_32 (512 << 10)

/* keepMallocSmall(): other C libraries have no such settings */
static napi_value keep_malloc_small(napi_env env, napi_callback_info info) {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TRIM_THRESHOLD, TRIM_BYTES);
  mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
  malloc_trim(0);
#endif
  return NULL;
}

/* keepFreedBlocks(): the kernel would zero each page of a large block again */
static napi_value keep_freed_blocks(napi_env env, napi_callback_info info) {
#ifdef __GLIBC__
  /* mallopt() refuses the larger threshold on 32-bit systems. */
  if (mallopt(M_MMAP_THRESHOLD, KEPT_MMAP_BYTES) != 1) mallopt(M_MMAP_THRESHOLD, KEPT_MMAP_BYTES_32);
  mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
#endif
  return NULL;
}

/* trimMalloc(): returns the free pages of all heaps to the system (malloc_trim(3)) */
static napi_value trim_malloc(napi_env env, napi_callback_info info) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  return NULL;
}

#ifdef __GLIBC__
#define PAGE_BYTES 4096u
/* malloc() serves sizes that are this plus a multiple of twice this. */
#define SIZE_BYTES sizeof(size_t)
/* For the zygote and its children. What a child frees at the end of its heap is returned to the system at once. */
#define CHILD_MMAP_BYTES (128u << 10)

#if __GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 33)
static size_t free_at_end(void) { return mallinfo2().keepcost; }
#else
static size_t free_at_end(void) { return (size_t)mallinfo().keepcost; }
#endif

/* Allocates blocks of a size until one lies at the end of the heap, where all is free, or in a mapping of its own. */
static void fill_with(size_t bytes, uintptr_t end) {
  void *block;
  do block = malloc(bytes);
  while (block != NULL && (uintptr_t)block < end);
  free(block);
}
#endif

/*
 * fillHoles(): fills the holes in the heap before fork(). Freed blocks leave holes all over it, and malloc() uses those
 * first: a child that allocates a little would write to many shared pages, and the kernel would copy each of them. So
 * the zygote returns whole free pages to the system, then allocates the remaining holes for good, whole pages first,
 * which touches little more than their edges. The allocations of a child then lie together at the end of the heap.
 */
static napi_value fill_holes(napi_env env, napi_callback_info info) {
#ifdef __GLIBC__
  /* Setting either stops glibc from adapting both thresholds to the blocks that are freed (mallopt(3)). */
  mallopt(M_TRIM_THRESHOLD, TRIM_BYTES);
  mallopt(M_MMAP_THRESHOLD, CHILD_MMAP_BYTES);
  malloc_trim(0);
  const uintptr_t end = (uintptr_t)sbrk(0) - free_at_end();
  for (size_t bytes = CHILD_MMAP_BYTES; bytes > PAGE_BYTES; bytes -= PAGE_BYTES) fill_with(bytes, end);
  for (size_t bytes = PAGE_BYTES + SIZE_BYTES; bytes > 2 * SIZE_BYTES; bytes -= 2 * SIZE_BYTES) fill_with(bytes, end);
#endif
  return NULL;
}

/* More than the heap of V8 may be, and than what lies outside of it. */
#define MUCH_BYTES (INT64_C(1) << 40)

/*
 * shrinkHeap(): has V8 collect garbage and return free pages to the system, those of the young generation too. V8 does
 * this when much memory outside of its heap depends on its objects, so this function says so for a moment.
 */
static napi_value shrink_heap(napi_env env, napi_callback_info info) {
  int64_t total;
  napi_adjust_external_memory(env, MUCH_BYTES, &total);
  napi_adjust_external_memory(env, -MUCH_BYTES, &total);
  return NULL;
}

PITV_FUNCTIONS(malloc, {"keepMallocSmall", keep_malloc_small}, {"trimMalloc", trim_malloc},
               {"keepFreedBlocks", keep_freed_blocks}, {"fillHoles", fill_holes},
               {"shrinkHeap", shrink_heap});
