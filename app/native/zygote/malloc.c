/*
 * Fills the holes in the C library's heap before fork(). Freed blocks leave holes all over the heap, and malloc() fills
 * those first. A child that allocates a little would write to many shared pages, and the kernel would copy each of
 * them. So the zygote returns whole free pages to the system, then allocates the remaining holes for good. This costs
 * no memory, as their pages are in use anyway. The allocations of a child then lie together at the end of the heap.
 */
#include "zygote.h"

#include <malloc.h>
#include <stdlib.h>

#ifdef __GLIBC__
#define MAX_HOLE_BYTES (256u << 10)
#define MIN_HOLE_BYTES 24u
/* Stops when no more than this is free in holes: the rest is in holes that are hard to fill. */
#define MAX_LEFT_BYTES (16u << 10)
/* glibc caches freed blocks for the next malloc() of their size (tcache) and counts them as allocated: this many of
 * each size, up to this size. */
#define CACHED_PER_SIZE 7
#define MAX_CACHED_BYTES 1032u
/* Memory that a child frees at the end of its heap is returned to the system at once. */
#define TRIM_BYTES (64 << 10)
#define MMAP_BYTES (128 << 10)

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
  mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
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
  napi_value result = NULL;
  napi_create_double(env, (double)fill_holes(), &result);
  return result;
}

PITV_FUNCTIONS(fork_malloc, {"fillHoles", fill_holes_js});
