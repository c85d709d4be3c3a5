/*
 * Sets up a child as far as that needs no JavaScript: first the event loop, then the settings in its request. A call
 * that fails is recorded, and JavaScript reports it; the other calls are made nevertheless.
 */
#include "zygote.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#define SEED_BYTES 16
#define MASK_CPUS 64

static void record(child_request *one, const char *call, int error) {
  if (error == 0 || one->failed == FORK_MAX_FAILURES) return;
  one->failures[one->failed++] = (fork_failure){call, error};
}

/* Records a call that has failed with errno. */
static void check(child_request *one, const char *call, bool ok) {
  record(one, call, ok ? 0 : errno);
}

/* Moves the descriptors for stdio to 0, 1 and 2. The channel stays first, the others move up. */
static void take_stdio(child_request *one) {
  size_t used = 1;
  for (int fd = 0; fd < FORK_STDIO; fd++) {
    if (!(one->request.stdio & (1u << fd)) || used >= one->count) continue;
    check(one, "dup2", dup2(one->descriptors[used], fd) >= 0);
    close(one->descriptors[used++]);
  }
  if (used == 1) return;
  memmove(&one->descriptors[1], &one->descriptors[used], (one->count - used) * sizeof(int));
  one->count -= used - 1;
}

void fork_init_child(napi_env env, child_request *one, int socket) {
  record(one, "dup3", fork_replace_descriptors(one, socket));
  record(one, "uv_loop_fork", fork_loop_child(env));
}

void fork_apply_request(napi_env env, child_request *one, uint64_t zygote_data) {
  const fork_request *request = &one->request;
  check(one, "prctl PR_SET_NAME", prctl(PR_SET_NAME, request->name, 0, 0, 0) == 0);
  take_stdio(one);
  if (request->niceness != FORK_UNCHANGED)
    check(one, "setpriority", setpriority(PRIO_PROCESS, 0, request->niceness) == 0);
  if (request->cpus != 0) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    for (int cpu = 0; cpu < MASK_CPUS; cpu++)
      if (request->cpus & (UINT64_C(1) << cpu)) CPU_SET(cpu, &cpus);
    check(one, "sched_setaffinity", sched_setaffinity(0, sizeof cpus, &cpus) == 0);
  }
  if (request->data != 0 && zygote_data != 0) {
    rlim_t max = (rlim_t)(zygote_data + request->data);
    struct rlimit limit = {.rlim_cur = max, .rlim_max = max};
    check(one, "setrlimit RLIMIT_DATA", setrlimit(RLIMIT_DATA, &limit) == 0);
  }
  fork_loop_now(env);
}

napi_value fork_make_result(napi_env env, child_request *one, bool spare) {
  napi_value seed, failures, call;
  void *bytes;
  if (napi_create_arraybuffer(env, SEED_BYTES, &bytes, &seed) != napi_ok ||
      napi_create_array(env, &failures) != napi_ok)
    return pitv_throw_napi(env, "Could not make the result of serve()");
  check(one, "getrandom", getrandom(bytes, SEED_BYTES, 0) == SEED_BYTES);
  for (uint32_t i = 0; i < one->failed; i++) {
    napi_create_string_utf8(env, one->failures[i].call, NAPI_AUTO_LENGTH, &call);
    napi_value failure = PITV_OBJECT(env, {"call", call}, {"errno", pitv_make_number(env, one->failures[i].error)});
    if (failure == NULL || napi_set_element(env, failures, i, failure) != napi_ok) return NULL;
  }
  /* Rehearsals make objects of the same properties in the same order (engine/zygote/inside/entry.js). */
  return PITV_OBJECT(env, {"child", pitv_make_boolean(env, true)}, {"spare", pitv_make_boolean(env, spare)},
                     {"id", pitv_make_number(env, one->request.id)},
                     {"descriptors", pitv_make_numbers(env, one->descriptors, one->count)}, {"seed", seed},
                     {"failures", failures});
}
