/* Settings of the calling process and thread: parent, name, limits, scheduling, signals. */
#include "napi-util.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAME_BYTES 16 /* TASK_COMM_LEN, prctl(2) PR_SET_NAME */

/*
 * dieWithParent(parentPid) -> boolean: from now on the kernel kills this process when its parent ends (prctl(2)
 * PR_SET_PDEATHSIG). The kernel watches the parent's thread, so start workers from the main thread. Returns false
 * when the parent has ended already.
 */
static napi_value die_with_parent(napi_env env, napi_callback_info info) {
  napi_value arguments[1], result;
  int64_t parent;
  if (!pitv_arguments(env, info, 1, arguments) ||
      !pitv_number(env, arguments[0], "parentPid", INT32_MAX, &parent))
    return NULL;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
    return pitv_throw_errno(env, "prctl PR_SET_PDEATHSIG", errno, "Could not tie the process to its parent");
  napi_get_boolean(env, getppid() == (pid_t)parent, &result);
  return result;
}

/* setThreadName(name): names the calling thread for ps -L and top -H; 15 bytes, the rest is cut off */
static napi_value set_thread_name(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  char name[NAME_BYTES];
  if (!pitv_arguments(env, info, 1, arguments)) return NULL;
  if (napi_get_value_string_utf8(env, arguments[0], name, sizeof name, NULL) != napi_ok)
    return pitv_throw_argument(env, "name must be a string.");
  if (prctl(PR_SET_NAME, name, 0, 0, 0) != 0)
    return pitv_throw_errno(env, "prctl PR_SET_NAME", errno, "Could not name the thread");
  return NULL;
}

/*
 * setLimit(resource, value): sets the soft and the hard limit (setrlimit(2)) of 'core' (bytes of a core file) or
 * 'data' (bytes of private writable memory: heap, anonymous mappings, stacks).
 */
static napi_value set_limit(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  char name[8];
  int64_t value;
  if (!pitv_arguments(env, info, 2, arguments)) return NULL;
  if (napi_get_value_string_utf8(env, arguments[0], name, sizeof name, NULL) != napi_ok ||
      (strcmp(name, "core") != 0 && strcmp(name, "data") != 0))
    return pitv_throw_argument(env, "resource must be 'core' or 'data'.");
  if (!pitv_number(env, arguments[1], "value", INT64_C(1) << 46, &value)) return NULL;
  struct rlimit limit = {.rlim_cur = (rlim_t)value, .rlim_max = (rlim_t)value};
  if (setrlimit(strcmp(name, "core") == 0 ? RLIMIT_CORE : RLIMIT_DATA, &limit) != 0)
    return pitv_throw_errno(env, "setrlimit", errno, "Could not limit a resource");
  return NULL;
}

#ifndef SCHED_FLAG_RESET_ON_FORK
#define SCHED_FLAG_RESET_ON_FORK 0x01
#endif

/* struct sched_attr of linux/sched/types.h; glibc has it since 2.41. */
typedef struct scheduling {
  uint32_t size, policy;
  uint64_t flags;
  int32_t niceness;
  uint32_t priority;
  uint64_t runtime, deadline, period; /* ns */
} scheduling;

/*
 * setSlice(micros): requests time slices of this length for the calling thread, 0..100,000 us. Linux 6.12 and later
 * schedules threads with short slices sooner; every thread keeps its share of the processor. Earlier kernels ignore
 * the request. Threads and processes that this thread starts do not inherit it.
 */
static napi_value set_slice(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  int64_t micros;
  scheduling now = {.size = sizeof now};
  if (!pitv_arguments(env, info, 1, arguments) ||
      !pitv_number(env, arguments[0], "micros", 100000, &micros))
    return NULL;
  if (syscall(SYS_sched_getattr, 0, &now, sizeof now, 0) != 0)
    return pitv_throw_errno(env, "sched_getattr", errno, "Could not read the scheduling of the thread");
  now.flags |= SCHED_FLAG_RESET_ON_FORK;
  now.runtime = (uint64_t)micros * 1000;
  if (syscall(SYS_sched_setattr, 0, &now, 0) != 0)
    return pitv_throw_errno(env, "sched_setattr", errno, "Could not set the time slice of the thread");
  return NULL;
}

/* exitNow(code): ends the process without joining threads; a forked child does not have its parent's threads */
static napi_value exit_now(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  int32_t code = 0;
  if (!pitv_arguments(env, info, 1, arguments)) return NULL;
  napi_get_value_int32(env, arguments[0], &code);
  fflush(NULL);
  _exit(code);
}

/* ignoreSignal(number): ignores the signal in this process and in children that it starts from now on */
static napi_value ignore_signal(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  int64_t number;
  if (!pitv_arguments(env, info, 1, arguments) ||
      !pitv_number(env, arguments[0], "number", 64, &number))
    return NULL;
  struct sigaction action = {.sa_handler = SIG_IGN};
  if (sigaction((int)number, &action, NULL) != 0)
    return pitv_throw_errno(env, "sigaction", errno, "Could not ignore the signal");
  return NULL;
}

/* processId() -> pid. process.pid in a forked child is still that of the zygote. */
static napi_value process_id(napi_env env, napi_callback_info info) {
  (void)info;
  napi_value result = NULL;
  napi_create_int32(env, getpid(), &result);
  return result;
}

PITV_FUNCTIONS(process, {"dieWithParent", die_with_parent}, {"setThreadName", set_thread_name},
               {"setLimit", set_limit}, {"setSlice", set_slice}, {"exitNow", exit_now},
               {"ignoreSignal", ignore_signal}, {"processId", process_id});
