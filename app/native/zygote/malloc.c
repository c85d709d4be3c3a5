/*
 * The C library's heap before fork(). What a program has freed lies in holes all over it, and malloc()
 * fills those first: a child that allocates a little writes to a great many shared pages, each of
 * which is copied for it. So the zygote fills its holes and keeps them; what is in memory of them, once
 * whole pages have been given back, is there anyway. Then a child's allocations lie side by side at the end of the heap.
 */
#include "zygote.h"

#include <malloc.h>
#include <stdlib.h>

#ifdef __GLIBC__
#define MAX_HOLE (256u << 10)
#define MIN_HOLE 24u
/* Holes that are too small or too odd to find are left when this little is free in them. */
#define ENOUGH_BYTES (16u << 10)
/* Small blocks that were freed wait here and there for the next malloc() of their size (tcache), and count
 * as taken. So many of each size, up to this size. */
#define CACHED_OF_EACH 7
#define MAX_CACHED 1032u
/* What a child has freed at the end of its heap goes back to the system at once. */
#define TRIM_BYTES (64 << 10)
#define MMAP_BYTES (128 << 10)

#if __GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 33)
typedef struct mallinfo2 usage;
static usage look(void) { return mallinfo2(); }
#else
typedef struct mallinfo usage;
static usage look(void) { return mallinfo(); }
#endif

/* Bytes free below the end of the heap. */
static size_t in_holes(const usage *now) { return (size_t)now->fordblks - (size_t)now->keepcost; }

/*
 * A block comes out of a hole when the end of the heap did not move for it: then the bytes that are
 * free at the end are the same as before.
 */
static size_t fill(size_t block) {
  size_t filled = 0;
  for (;;) {
    usage before = look();
    if (in_holes(&before) < block) return filled;
    void *taken = malloc(block);
    if (taken == NULL) return filled;
    usage after = look();
    if (after.keepcost != before.keepcost || after.arena != before.arena || after.hblks != before.hblks) {
      free(taken);
      return filled;
    }
    filled += block;
  }
}

static size_t fill_holes(void) {
  /* The first use of either ends glibc's habit of adapting both to what is freed (mallopt(3)). */
  mallopt(M_TRIM_THRESHOLD, TRIM_BYTES);
  mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
  /* Whole pages of a hole go back first: filled, they hold the beginnings of a few large blocks only. */
  malloc_trim(0);
  size_t filled = 0;
  for (size_t size = MIN_HOLE; size <= MAX_CACHED; size += 16)
    for (int i = 0; i < CACHED_OF_EACH; i++)
      if (malloc(size) != NULL) filled += size;
  for (size_t block = MAX_HOLE; block >= MIN_HOLE; block -= block / 4 > 16 ? block / 4 : 16) {
    usage now = look();
    if (in_holes(&now) < ENOUGH_BYTES) break;
    filled += fill(block);
    if (block <= MIN_HOLE) break;
  }
  return filled;
}
#else
static size_t fill_holes(void) { return 0; }
#endif

/* fillHoles() -> bytes that were free inside the heap and are taken for good */
static napi_value fill_holes_js(napi_env env, napi_callback_info info) {
  (void)info;
  napi_value result = NULL;
  napi_create_double(env, (double)fill_holes(), &result);
  return result;
}

bool pitv_fork_malloc_init(napi_env env, napi_value exports) {
  return pitv_export(env, exports, "fillHoles", fill_holes_js);
}
