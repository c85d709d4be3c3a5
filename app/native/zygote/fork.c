/*
 * The zygote itself: serve() stands still in the kernel until it is asked for a child, forks one, and
 * returns in the child. In the zygote it never returns but for a call, so between two forks not a
 * line of JavaScript runs there: what its children share stays shared, and no timer, no garbage
 * collection and no callback can be caught half way by a fork.
 */
#include "zygote.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long the other threads may go on after warm-up (compiling WebAssembly), and at any other time. */
#define WARM_QUIET_MS 30000
#define FORK_QUIET_MS 1000

/*
 * After each start the next child is forked ahead, and stands still until it is wanted. Not at once: the
 * one that was just started shall have the processor, and so shall the next one of many.
 */
#define SPARE_DELAY_MS 100
/* After one that died, or could not be forked: memory is short, it may be. Doubled each time. */
#define SPARE_RETRY_MS 1000
#define SPARE_RETRY_MOST_MS 64000
#define NOBODYS 0 /* a spare's id; those of requests begin with 1 */

typedef fork_newborn newborn;

typedef struct child {
  pid_t pid;
  uint32_t id;
  uint32_t micros; /* what fork() took */
  struct child *next;
} child;

typedef struct spare {
  int socket; /* -1: there is none */
  child *is;
  int wait; /* ms of rest before one is forked */
} spare;

typedef struct server {
  int control;
  int ended;               /* eventfd(2): a child may have ended */
  struct sigaction before; /* what was done about SIGCHLD before serve() */
  uint64_t data;
  child *children;
  bool spares; /* are children forked ahead? */
  spare spare;
} server;

/* Lives as long as the zygote: its children outlive single calls of serve(). */
static server zygote = {.control = -1, .ended = -1, .spare = {.socket = -1}};

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

static void drop_spare(server *self) {
  if (self->spare.socket >= 0) close(self->spare.socket); /* it sees that, and ends */
  self->spare.socket = -1;
  self->spare.is = NULL;
}

static void put_off_spare(server *self) {
  int wait = self->spare.wait * 2;
  if (wait < SPARE_RETRY_MS) wait = SPARE_RETRY_MS;
  self->spare.wait = wait < SPARE_RETRY_MOST_MS ? wait : SPARE_RETRY_MOST_MS;
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
    if (gone == self->spare.is) {
      drop_spare(self);
      put_off_spare(self);
    }
    if (gone->id == NOBODYS) {
      free(gone);
      continue;
    }
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

/* In a child: what was the zygote's is not its own. */
static void forget(server *self) {
  close(self->control);
  close(self->ended);
  if (self->spare.socket >= 0) close(self->spare.socket);
  self->control = self->ended = self->spare.socket = -1;
  while (self->children != NULL) {
    child *sibling = self->children;
    self->children = sibling->next;
    free(sibling);
  }
}

/* Forks: 0 in the child; in the zygote 1, the child being the first of the list, or a negative errno. */
static int fork_one(server *self, uint32_t id) {
  struct timespec began;
  clock_gettime(CLOCK_MONOTONIC, &began);
  int error = fork_await_quiet(0);
  if (error == EBUSY) error = fork_await_quiet(FORK_QUIET_MS);
  if (error != 0) return -error;
  child *entry = malloc(sizeof *entry);
  if (entry == NULL) return -ENOMEM;
  pid_t pid = fork();
  if (pid < 0) error = errno;
  if (pid <= 0) free(entry);
  if (pid == 0) {
    forget(self);
    return 0;
  }
  if (pid < 0) return -error;
  *entry = (child){.pid = pid, .id = id, .micros = micros_since(&began), .next = self->children};
  self->children = entry;
  return 1;
}

/* Forks the next child ahead; true in that child. */
static bool make_spare(server *self, napi_env env, newborn *one) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    put_off_spare(self);
    return false;
  }
  int where = fork_one(self, NOBODYS);
  if (where == 0) {
    close(ends[0]);
    self->spare.socket = ends[1];
    fork_settle(env, one, &self->before);
    return true;
  }
  close(ends[1]);
  if (where < 0) {
    close(ends[0]);
    put_off_spare(self);
  } else {
    self->spare.socket = ends[0];
    self->spare.is = self->children;
  }
  return false;
}

/* The child that has been forked ahead, if there is one that can be reached. */
static child *take_spare(server *self, const newborn *one) {
  child *entry = self->spare.is;
  if (entry == NULL) return NULL;
  bool sent = fork_send(self->spare.socket, &one->request, sizeof one->request, one->descriptors,
                        one->count) >= 0;
  drop_spare(self);
  if (!sent) return NULL;
  entry->id = one->request.id;
  return entry;
}

/* 0 in the child; 1 in the zygote; -1 in the zygote when the main process is gone. */
static int grant(server *self, napi_env env, newborn *one) {
  fork_reply reply = {.kind = FORK_REPLY_FORKED, .id = one->request.id};
  child *entry = take_spare(self, one);
  if (entry == NULL) {
    int where = fork_one(self, one->request.id);
    if (where == 0) {
      fork_settle(env, one, &self->before);
      return 0;
    }
    if (where > 0) entry = self->children;
    else reply.value = -where;
  }
  close_descriptors(one);
  self->spare.wait = SPARE_DELAY_MS;
  if (entry == NULL) reply.kind = FORK_REPLY_FAILED;
  else {
    reply.pid = entry->pid;
    reply.micros = entry->micros;
  }
  return fork_reply_send(self->control, &reply) ? 1 : -1;
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
 * serve(control, caller, greeting, spares) -> {child, spare, id, descriptors, seed, failures}: in the child of
 * a fork, or in the zygote when it was called; `spares`: shall children be forked ahead? Such a child has
 * no request yet, see awaitRequest(). As soon as nothing can go wrong any more, writes the bytes of
 * `greeting` to the descriptor `caller` and closes it. Ends the process when the main process is gone.
 */
static napi_value serve(napi_env env, napi_callback_info info) {
  napi_value arguments[4];
  int64_t control, caller;
  void *greeting;
  size_t length;
  server *self = &zygote;
  if (!pitv_arguments(env, info, 4, arguments) ||
      !pitv_number(env, arguments[0], "control", INT32_MAX, &control) ||
      !pitv_number(env, arguments[1], "caller", INT32_MAX, &caller))
    return NULL;
  if (napi_get_buffer_info(env, arguments[2], &greeting, &length) != napi_ok)
    return pitv_throw_argument(env, "greeting must be a Buffer.");
  if (napi_get_value_bool(env, arguments[3], &self->spares) != napi_ok)
    return pitv_throw_argument(env, "spares must be true or false.");
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
  self->spare.wait = 0;

  for (;;) {
    newborn one = {0};
    struct pollfd wanted[2] = {{.fd = self->control, .events = POLLIN},
                               {.fd = self->ended, .events = POLLIN}};
    bool spare_due = self->spares && self->spare.is == NULL;
    int ready = poll(wanted, 2, spare_due ? self->spare.wait : -1);
    if (ready == 0) {
      if (!make_spare(self, env, &one)) continue;
      return fork_hand_over(env, &one, FORK_SPARE);
    }
    if (ready < 0) {
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
    if (fork_receive(self->control, &one.request, one.descriptors, &one.count) <= 0) _exit(0);
    if (one.count != one.request.descriptors) { /* no room for them: too many are open here */
      close_descriptors(&one);
      fork_reply reply = {.kind = FORK_REPLY_FAILED, .id = one.request.id, .value = EMFILE};
      if (!fork_reply_send(self->control, &reply)) _exit(0);
    } else if (one.request.kind == FORK_REQUEST_CALL) {
      drop_spare(self); /* it does not know what this one is about to learn */
      leave(self);
      return fork_hand_over(env, &one, FORK_ZYGOTE);
    } else {
      int where = grant(self, env, &one);
      if (where < 0) _exit(0);
      if (where > 0) continue;
      fork_take_request(env, &one, self->data);
      return fork_hand_over(env, &one, FORK_CHILD);
    }
  }
}

/*
 * awaitRequest() -> the same as serve(): in a child that was forked ahead, stands still until it is wanted.
 * Ends the process when the zygote wants it no more, or is gone.
 */
static napi_value await_request(napi_env env, napi_callback_info info) {
  (void)info;
  server *self = &zygote;
  newborn one = {0};
  if (fork_receive(self->spare.socket, &one.request, one.descriptors, &one.count) <= 0) _exit(0);
  close(self->spare.socket);
  self->spare.socket = -1;
  if (one.count != one.request.descriptors) _exit(0); /* no room for them */
  fork_take_request(env, &one, self->data);
  return fork_hand_over(env, &one, FORK_CHILD);
}

bool pitv_fork_init(napi_env env, napi_value exports) {
  return pitv_export(env, exports, "serve", serve) &&
         pitv_export(env, exports, "awaitRequest", await_request) &&
         pitv_fork_heap_init(env, exports) && pitv_fork_loop_init(env, exports) &&
         pitv_fork_malloc_init(env, exports) && pitv_fork_revive_init(env, exports) &&
         pitv_fork_wire_init(env, exports);
}
