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

#define MAX_FAILURES 8

static struct {
  const char *call;
  int error;
} failures[MAX_FAILURES];
static uint32_t failed;

static void record(const char *call, int error) {
  if (error == 0 || failed == MAX_FAILURES) return;
  failures[failed].call = call;
  failures[failed++].error = error;
}

/* Records a call that has failed with errno. */
static void check(const char *call, bool ok) { record(call, ok ? 0 : errno); }

/* Moves the descriptors for stdio to 0, 1 and 2. The channel stays first, the others move up. */
static void take_stdio(child_request *one) {
  size_t used = 1;
  for (int fd = 0; fd < FORK_STDIO; fd++) {
    if (!(one->request.stdio & (1u << fd)) || used >= one->count) continue;
    check("dup2", dup2(one->descriptors[used], fd) >= 0);
    close(one->descriptors[used++]);
  }
  if (used == 1) return;
  memmove(&one->descriptors[1], &one->descriptors[used], (one->count - used) * sizeof(int));
  one->count -= used - 1;
}

void fork_init_child(napi_env env, int channel) {
  record("dup3", fork_replace_descriptors(channel));
  record("uv_loop_fork", fork_loop_child(env));
}

void fork_apply_request(napi_env env, child_request *one, uint64_t zygote_data) {
  const fork_request *request = &one->request;
  /* A descriptor that did not fit into this process is missing. */
  record("recvmsg", one->count == 1 + request->descriptors ? 0 : EMFILE);
  check("prctl PR_SET_NAME", prctl(PR_SET_NAME, request->name, 0, 0, 0) == 0);
  take_stdio(one);
  if (request->niceness != FORK_UNCHANGED)
    check("setpriority", setpriority(PRIO_PROCESS, 0, request->niceness) == 0);
  if (request->cpus != 0) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    for (int cpu = 0; cpu < MASK_CPUS; cpu++)
      if (request->cpus & (UINT64_C(1) << cpu)) CPU_SET(cpu, &cpus);
    check("sched_setaffinity", sched_setaffinity(0, sizeof cpus, &cpus) == 0);
  }
  if (request->data != 0 && zygote_data != 0) {
    rlim_t max = (rlim_t)(zygote_data + request->data);
    struct rlimit limit = {.rlim_cur = max, .rlim_max = max};
    check("setrlimit RLIMIT_DATA", setrlimit(RLIMIT_DATA, &limit) == 0);
  }
  fork_loop_now(env);
}

void fork_write_granted(const child_request *one, int32_t *words) {
  check("getrandom", getrandom(&words[GRANTED_SEED], SEED_BYTES, 0) == SEED_BYTES);
  words[GRANTED_ID] = (int32_t)one->request.id;
  words[GRANTED_FAILED] = (int32_t)failed;
  words[GRANTED_COUNT] = (int32_t)one->count;
  for (size_t i = 0; i < one->count; i++) words[GRANTED_DESCRIPTORS + i] = one->descriptors[i];
}

/* failedCalls() -> [{call, errno}, ...]: the system calls that failed while this child was set up */
static napi_value failed_calls(napi_env env, napi_callback_info info) {
  napi_value list, call;
  if (napi_create_array(env, &list) != napi_ok) return pitv_throw_napi(env, "Could not list the calls");
  for (uint32_t i = 0; i < failed; i++) {
    napi_create_string_utf8(env, failures[i].call, NAPI_AUTO_LENGTH, &call);
    napi_value failure = PITV_OBJECT(env, {"call", call}, {"errno", pitv_make_number(env, failures[i].error)});
    if (failure == NULL || napi_set_element(env, list, i, failure) != napi_ok) return NULL;
  }
  return list;
}

PITV_FUNCTIONS(fork_child, {"failedCalls", failed_calls});
