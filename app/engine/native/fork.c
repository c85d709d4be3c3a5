/*
 * The zygote itself: serve() stands still in the kernel until it is asked for a child, forks one, and
 * returns in the child. In the zygote it never returns but for a call, so between two forks not a
 * line of JavaScript runs there: what its children share stays shared, and no timer, no garbage
 * collection and no callback can be caught half way by a fork.
 */
#include "fork.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SEED_BYTES 16
#define MASK_CPUS 64
/* How long the other threads may go on after warm-up (compiling WebAssembly), and at any other time. */
#define WARM_QUIET_MS 30000
#define FORK_QUIET_MS 1000

typedef struct child {
  pid_t pid;
  uint32_t id;
  struct child *next;
} child;

typedef struct server {
  int control;
  int ended;               /* eventfd(2): a child may have ended */
  struct sigaction before; /* what was done about SIGCHLD before serve() */
  uint64_t data;
  child *children;
} server;

typedef struct newborn {
  fork_request request;
  int descriptors[FORK_MOST_DESCRIPTORS];
  size_t count;
  fork_failure failures[FORK_MOST_FAILURES];
  size_t failed;
} newborn;

/* Lives as long as the zygote: its children outlive single calls of serve(). */
static server zygote = {.control = -1, .ended = -1};

/* A handler and not signalfd(2): Node's other threads have SIGCHLD not blocked, and would swallow it. */
static void on_child_end(int signal) {
  (void)signal;
  int error = errno;
  uint64_t one = 1;
  if (write(zygote.ended, &one, sizeof one) < 0) errno = 0; /* it is full: poll() sees it anyway */
  errno = error;
}

static uint32_t micros_since(const struct timespec *from) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint32_t)((now.tv_sec - from->tv_sec) * 1000000 + (now.tv_nsec - from->tv_nsec) / 1000);
}

static void close_descriptors(newborn *one) {
  for (size_t i = 0; i < one->count; i++) close(one->descriptors[i]);
  one->count = 0;
}

/* Tells of every child that has ended; false when the main process is gone. */
static bool reap(server *self) {
  int status;
  struct rusage usage;
  pid_t pid;
  while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
    child **at = &self->children;
    while (*at != NULL && (*at)->pid != pid) at = &(*at)->next;
    if (*at == NULL) continue; /* something that the module started before the zygote stood still */
    child *gone = *at;
    *at = gone->next;
    const struct timeval *user = &usage.ru_utime, *system = &usage.ru_stime;
    fork_reply reply = {
        .kind = FORK_REPLY_EXITED,
        .id = gone->id,
        .pid = pid,
        .value = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status),
        .micros = (uint32_t)((user->tv_sec + system->tv_sec) * 1000 +
                             (user->tv_usec + system->tv_usec) / 1000),
        .peak = (uint32_t)usage.ru_maxrss,
    };
    free(gone);
    if (!fork_reply_send(self->control, &reply)) return false;
  }
  return true;
}

/* The child's own matters, as far as they need no JavaScript. What fails is noted, and goes on. */
static void settle(server *self, napi_env env, newborn *one) {
#define CHECK(what, ok, code)                                                                       \
  do {                                                                                             \
    if (!(ok) && one->failed < FORK_MOST_FAILURES)                                                 \
      one->failures[one->failed++] = (fork_failure){what, (code)};                                 \
  } while (0)
  const fork_request *request = &one->request;
  CHECK("sigaction", sigaction(SIGCHLD, &self->before, NULL) == 0, errno);
  close(self->control);
  close(self->ended);
  self->control = self->ended = -1;
  while (self->children != NULL) {
    child *sibling = self->children;
    self->children = sibling->next;
    free(sibling);
  }

  CHECK("prctl PR_SET_NAME", prctl(PR_SET_NAME, request->name, 0, 0, 0) == 0, errno);
  size_t used = 1;
  for (int fd = 0; fd < FORK_STDIO; fd++) {
    if (!(request->stdio & (1u << fd)) || used >= one->count) continue;
    CHECK("dup2", dup2(one->descriptors[used], fd) >= 0, errno);
    close(one->descriptors[used++]);
  }
  if (used > 1) { /* the conversation stays first, what is left moves up behind it */
    memmove(&one->descriptors[1], &one->descriptors[used], (one->count - used) * sizeof(int));
    one->count -= used - 1;
  }
  if (request->niceness != FORK_UNCHANGED)
    CHECK("setpriority", setpriority(PRIO_PROCESS, 0, request->niceness) == 0, errno);
  if (request->cpus != 0) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    for (int cpu = 0; cpu < MASK_CPUS; cpu++)
      if (request->cpus & (UINT64_C(1) << cpu)) CPU_SET(cpu, &cpus);
    CHECK("sched_setaffinity", sched_setaffinity(0, sizeof cpus, &cpus) == 0, errno);
  }
  if (request->data != 0 && self->data != 0) {
    rlim_t most = (rlim_t)(self->data + request->data);
    struct rlimit limit = {.rlim_cur = most, .rlim_max = most};
    CHECK("setrlimit RLIMIT_DATA", setrlimit(RLIMIT_DATA, &limit) == 0, errno);
  }
  int error = fork_loop_child(env);
  CHECK("uv_loop_fork", error == 0, error);
#undef CHECK
}

/* 0 in the child; 1 in the zygote; -1 in the zygote when the main process is gone. */
static int fork_child(server *self, napi_env env, newborn *one) {
  fork_reply reply = {.id = one->request.id};
  struct timespec began;
  clock_gettime(CLOCK_MONOTONIC, &began);
  int error = fork_await_quiet(0);
  if (error == EBUSY) error = fork_await_quiet(FORK_QUIET_MS);
  child *entry = error ? NULL : malloc(sizeof *entry);
  if (error == 0 && entry == NULL) error = ENOMEM;
  pid_t pid = error ? -1 : fork();
  if (pid == 0) {
    free(entry);
    settle(self, env, one);
    return 0;
  }
  if (pid < 0 && error == 0) error = errno;
  close_descriptors(one);
  if (pid < 0) {
    free(entry);
    reply.kind = FORK_REPLY_FAILED;
    reply.value = error;
  } else {
    *entry = (child){.pid = pid, .id = one->request.id, .next = self->children};
    self->children = entry;
    reply.kind = FORK_REPLY_FORKED;
    reply.pid = pid;
    reply.micros = micros_since(&began);
  }
  return fork_reply_send(self->control, &reply) ? 1 : -1;
}

/* What serve() returns: the request that was granted, in the child or (a call) in the zygote. */
static napi_value hand_over(napi_env env, newborn *one, bool in_child) {
  napi_value result, value, list;
  uint8_t *seed = NULL;
  bool made = napi_create_object(env, &result) == napi_ok &&
              napi_get_boolean(env, in_child, &value) == napi_ok &&
              napi_set_named_property(env, result, "child", value) == napi_ok &&
              napi_create_uint32(env, one->request.id, &value) == napi_ok &&
              napi_set_named_property(env, result, "id", value) == napi_ok &&
              napi_create_array_with_length(env, one->count, &list) == napi_ok &&
              napi_set_named_property(env, result, "descriptors", list) == napi_ok;
  for (size_t i = 0; made && i < one->count; i++)
    made = napi_create_int32(env, one->descriptors[i], &value) == napi_ok &&
           napi_set_element(env, list, (uint32_t)i, value) == napi_ok;

  made = made && napi_create_arraybuffer(env, SEED_BYTES, (void **)&seed, &value) == napi_ok &&
         napi_set_named_property(env, result, "seed", value) == napi_ok;
  if (made && getrandom(seed, SEED_BYTES, 0) != SEED_BYTES && one->failed < FORK_MOST_FAILURES)
    one->failures[one->failed++] = (fork_failure){"getrandom", errno};

  made = made && napi_create_array_with_length(env, one->failed, &list) == napi_ok &&
         napi_set_named_property(env, result, "failures", list) == napi_ok;
  for (size_t i = 0; made && i < one->failed; i++) {
    napi_value failure;
    made = napi_create_object(env, &failure) == napi_ok &&
           napi_create_string_utf8(env, one->failures[i].call, NAPI_AUTO_LENGTH, &value) == napi_ok &&
           napi_set_named_property(env, failure, "call", value) == napi_ok &&
           napi_create_int32(env, one->failures[i].error, &value) == napi_ok &&
           napi_set_named_property(env, failure, "errno", value) == napi_ok &&
           napi_set_element(env, list, (uint32_t)i, failure) == napi_ok;
  }
  return made ? result : pitv_throw_napi(env, "Could not hand the request over");
}

/* Begins to watch for children's ends; 0 or an errno. */
static int enter(server *self) {
  struct sigaction action = {.sa_handler = on_child_end, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
  self->ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (self->ended < 0) return errno;
  if (sigaction(SIGCHLD, &action, &self->before) == 0) return 0;
  int error = errno;
  close(self->ended);
  self->ended = -1;
  return error;
}

static void leave(server *self) {
  sigaction(SIGCHLD, &self->before, NULL);
  close(self->ended);
  self->ended = -1;
}

/*
 * serve(control, caller, greeting) -> {child, id, descriptors, seed, failures}: in the child of a fork,
 * or in the zygote when it was called. As soon as nothing can go wrong any more, writes the bytes of
 * `greeting` to the descriptor `caller` and closes it. Ends the process when the main process is gone.
 */
static napi_value serve(napi_env env, napi_callback_info info) {
  napi_value arguments[3];
  int64_t control, caller;
  void *greeting;
  size_t length;
  server *self = &zygote;
  if (!pitv_arguments(env, info, 3, arguments) ||
      !pitv_number(env, arguments[0], "control", INT32_MAX, &control) ||
      !pitv_number(env, arguments[1], "caller", INT32_MAX, &caller))
    return NULL;
  if (napi_get_buffer_info(env, arguments[2], &greeting, &length) != napi_ok)
    return pitv_throw_argument(env, "greeting must be a Buffer.");
  int error = fork_await_quiet(WARM_QUIET_MS);
  if (error != 0)
    return pitv_throw_errno(env, "fork_await_quiet", error, "The zygote's other threads do not rest");
  fork_find_threads();
  size_t mappings, bytes;
  error = fork_mark_heap(&mappings, &bytes);
  if (error != 0)
    return pitv_throw_errno(env, "madvise MADV_DOFORK", error, "Could not make the heap forkable");

  self->control = (int)control;
  error = enter(self);
  if (error != 0)
    return pitv_throw_errno(env, "sigaction", error, "Could not watch the zygote's children");
  self->data = fork_data_bytes();
  fflush(NULL); /* or every child would write what is still in the buffers, too */
  /* A short answer on a socket that nothing else was written to goes whole. */
  if (send((int)caller, greeting, length, MSG_NOSIGNAL) < 0 && errno != EPIPE && errno != ECONNRESET) {
    error = errno;
    leave(self);
    return pitv_throw_errno(env, "send", error, "The zygote could not answer");
  }
  close((int)caller);
  if (!reap(self)) _exit(0);

  for (;;) {
    struct pollfd wanted[2] = {{.fd = self->control, .events = POLLIN},
                               {.fd = self->ended, .events = POLLIN}};
    if (poll(wanted, 2, -1) < 0) {
      if (errno == EINTR) continue;
      error = errno;
      leave(self);
      return pitv_throw_errno(env, "poll", error, "The zygote could not wait");
    }
    if (wanted[1].revents) {
      uint64_t drained;
      while (read(self->ended, &drained, sizeof drained) > 0) continue;
      if (!reap(self)) _exit(0);
    }
    if (!wanted[0].revents) continue;
    newborn one = {0};
    if (fork_receive(self->control, &one.request, one.descriptors, &one.count) <= 0) _exit(0);
    if (one.count != one.request.descriptors) { /* no room for them: too many are open here */
      close_descriptors(&one);
      fork_reply reply = {.kind = FORK_REPLY_FAILED, .id = one.request.id, .value = EMFILE};
      if (!fork_reply_send(self->control, &reply)) _exit(0);
    } else if (one.request.kind == FORK_REQUEST_CALL) {
      leave(self);
      return hand_over(env, &one, false);
    } else {
      int where = fork_child(self, env, &one);
      if (where < 0) _exit(0);
      if (where == 0) return hand_over(env, &one, true);
    }
  }
}

/* exitNow(code): ends the process without joining threads, which a forked child does not have */
static napi_value exit_now(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  int32_t code = 0;
  if (!pitv_arguments(env, info, 1, arguments)) return NULL;
  napi_get_value_int32(env, arguments[0], &code);
  fflush(NULL);
  _exit(code);
}

/* ignoreSignal(number): from now on, also in every child */
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

/* processId() -> this process's; Node keeps the number that it was started with */
static napi_value process_id(napi_env env, napi_callback_info info) {
  (void)info;
  napi_value result = NULL;
  napi_create_int32(env, getpid(), &result);
  return result;
}

bool pitv_fork_init(napi_env env, napi_value exports) {
  return pitv_export(env, exports, "serve", serve) &&
         pitv_export(env, exports, "exitNow", exit_now) &&
         pitv_export(env, exports, "ignoreSignal", ignore_signal) &&
         pitv_export(env, exports, "processId", process_id) && pitv_fork_heap_init(env, exports) &&
         pitv_fork_loop_init(env, exports) && pitv_fork_malloc_init(env, exports) &&
         pitv_fork_revive_init(env, exports) &&
         pitv_fork_wire_init(env, exports);
}
