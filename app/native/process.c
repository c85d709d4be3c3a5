/* The calling process and thread: parent, limits, scheduling, signals, and the service manager. */
#include "napi-util.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define MAX_TEXT 4096

/* dieWithParent(parentPid) -> boolean. The kernel watches the parent's thread: start workers on the main thread. */
static napi_value die_with_parent(napi_env env, napi_callback_info info) {
  int64_t parent;
  if (!pitv_number_argument(env, info, "parentPid", INT32_MAX, &parent)) return NULL;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
    return pitv_throw_errno(env, "prctl PR_SET_PDEATHSIG", errno, "Could not tie the process to its parent");
  return pitv_make_boolean(env, getppid() == (pid_t)parent);
}

/* setLimit(resource, bytes): sets the soft and the hard limit (setrlimit(2)) of 'core' or 'data' */
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

/* setSlice(micros): every thread keeps its share of the processor. Kernels before Linux 6.12 ignore the request. */
static napi_value set_slice(napi_env env, napi_callback_info info) {
  int64_t micros;
  scheduling now = {.size = sizeof now};
  if (!pitv_number_argument(env, info, "micros", 100000, &micros)) return NULL;
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
  int64_t number;
  if (!pitv_number_argument(env, info, "number", 64, &number)) return NULL;
  struct sigaction action = {.sa_handler = SIG_IGN};
  if (sigaction((int)number, &action, NULL) != 0)
    return pitv_throw_errno(env, "sigaction", errno, "Could not ignore the signal");
  return NULL;
}

/* processId() -> pid. process.pid in a forked child is still that of the zygote. */
static napi_value process_id(napi_env env, napi_callback_info info) {
  return pitv_make_number(env, getpid());
}

/*
 * notify(socket, text): reports the state of the service to the service manager (sd_notify(3)) by a datagram. Node.js
 * has no datagram sockets of AF_UNIX. `socket` is a path, or an abstract name that begins with @, as in NOTIFY_SOCKET.
 */
static napi_value notify(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char text[MAX_TEXT];
  size_t name_length, text_length;
  if (!pitv_arguments(env, info, 2, arguments)) return NULL;
  if (napi_get_value_string_utf8(env, arguments[0], NULL, 0, &name_length) != napi_ok ||
      name_length < 2 || name_length >= sizeof address.sun_path)
    return pitv_throw_argument(env, "socket must be a path or an abstract name.");
  napi_get_value_string_utf8(env, arguments[0], address.sun_path, sizeof address.sun_path, &name_length);
  if (napi_get_value_string_utf8(env, arguments[1], text, sizeof text, &text_length) != napi_ok)
    return pitv_throw_argument(env, "text must be a string.");
  if (address.sun_path[0] == '@') address.sun_path[0] = 0; /* unix(7), abstract */
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return pitv_throw_errno(env, "socket", errno, "Could not reach the service manager");
  socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + name_length);
  /* MSG_DONTWAIT: a manager that does not read must not block the main thread. */
  ssize_t sent = sendto(descriptor, text, text_length, MSG_NOSIGNAL | MSG_DONTWAIT,
                        (struct sockaddr *)&address, length);
  int error = errno;
  close(descriptor);
  if (sent < 0) return pitv_throw_errno(env, "sendto", error, "Could not tell the service manager");
  return NULL;
}

PITV_FUNCTIONS(process, {"dieWithParent", die_with_parent}, {"setLimit", set_limit}, {"setSlice", set_slice},
               {"exitNow", exit_now}, {"ignoreSignal", ignore_signal}, {"processId", process_id}, {"notify", notify});
