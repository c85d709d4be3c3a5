/*
 * The system calls of KSM that Node.js does not offer: madvise(2), prctl(2), personality(2) and flock(2), and glibc's
 * malloc_trim(3). Each function returns the result of the call, or the negative errno.
 */
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <node_api.h>

/* In linux/prctl.h since Linux 6.4; the headers of Debian 12 are older. */
#ifndef PR_SET_MEMORY_MERGE
#define PR_SET_MEMORY_MERGE 67
#define PR_GET_MEMORY_MERGE 68
#endif

#define MAX_ARGUMENTS 3

static napi_value make_number(napi_env env, double value) {
  napi_value result = NULL;
  napi_create_double(env, value, &result);
  return result;
}

/* Returns the result of a system call, or -errno. */
static napi_value make_result(napi_env env, long result) {
  return make_number(env, result < 0 ? -errno : result);
}

/* Reads the first `count` arguments as numbers. Throws a TypeError and returns false for any other value. */
static bool read_numbers(napi_env env, napi_callback_info info, size_t count, double *values) {
  napi_value arguments[MAX_ARGUMENTS];
  size_t given = MAX_ARGUMENTS;
  if (napi_get_cb_info(env, info, &given, arguments, NULL, NULL) != napi_ok) return false;
  for (size_t i = 0; i < count; i++) {
    if (i >= given || napi_get_value_double(env, arguments[i], &values[i]) != napi_ok) {
      napi_throw_type_error(env, "ERR_INVALID_ARG_TYPE", "The arguments must be numbers.");
      return false;
    }
  }
  return true;
}

/* adviseRange(start, length, mergeable) -> 0 or -errno. A double is exact for addresses, which are below 2^53. */
static napi_value advise_range(napi_env env, napi_callback_info info) {
  double values[3];
  if (!read_numbers(env, info, 3, values)) return NULL;
  int advice = values[2] != 0 ? MADV_MERGEABLE : MADV_UNMERGEABLE;
  return make_result(env, madvise((void *)(uintptr_t)values[0], (size_t)values[1], advice));
}

/* memoryMerge(to) -> 0 or -errno; with to = -1, the current mark (0 or 1) or -errno */
static napi_value memory_merge(napi_env env, napi_callback_info info) {
  double to;
  if (!read_numbers(env, info, 1, &to)) return NULL;
  /* The kernel requires the unused arguments to be zero, as unsigned longs. */
  if (to < 0) return make_result(env, prctl(PR_GET_MEMORY_MERGE, 0UL, 0UL, 0UL, 0UL));
  return make_result(env, prctl(PR_SET_MEMORY_MERGE, (unsigned long)to, 0UL, 0UL, 0UL));
}

/* personality(to) -> the previous personality, or -errno; 0xffffffff changes nothing */
static napi_value set_personality(napi_env env, napi_callback_info info) {
  double to;
  if (!read_numbers(env, info, 1, &to)) return NULL;
  return make_result(env, personality((unsigned long)to));
}

/* tryLock(descriptor) -> 0 or -errno; -EWOULDBLOCK when another process holds the lock */
static napi_value try_lock(napi_env env, napi_callback_info info) {
  double descriptor;
  if (!read_numbers(env, info, 1, &descriptor)) return NULL;
  return make_result(env, flock((int)descriptor, LOCK_EX | LOCK_NB));
}

/* trimHeap() -> whether free memory of malloc's heaps was returned to the kernel */
static napi_value trim_heap(napi_env env, napi_callback_info info) {
  (void)info;
  napi_value result = NULL;
#ifdef __GLIBC__
  napi_get_boolean(env, malloc_trim(0) == 1, &result);
#else
  napi_get_boolean(env, false, &result);
#endif
  return result;
}

NAPI_MODULE_INIT() {
  const napi_property_descriptor functions[] = {
    {"adviseRange", NULL, advise_range, NULL, NULL, NULL, napi_enumerable, NULL},
    {"memoryMerge", NULL, memory_merge, NULL, NULL, NULL, napi_enumerable, NULL},
    {"personality", NULL, set_personality, NULL, NULL, NULL, napi_enumerable, NULL},
    {"tryLock", NULL, try_lock, NULL, NULL, NULL, napi_enumerable, NULL},
    {"trimHeap", NULL, trim_heap, NULL, NULL, NULL, napi_enumerable, NULL},
  };
  if (napi_define_properties(env, exports, sizeof functions / sizeof *functions, functions) != napi_ok) return NULL;
  napi_value page = make_number(env, (double)sysconf(_SC_PAGESIZE));
  napi_set_named_property(env, exports, "pageBytes", page);
  return exports;
}
