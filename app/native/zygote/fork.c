/*
 * The zygote: serve() blocks in the kernel until a child is ordered, forks it, and returns in the child only. So no
 * JavaScript runs in the zygote between two forks: shared memory stays shared, and no timer, garbage collection or
 * callback is interrupted by a fork.
 */
#include "../memory.h"
#include "zygote.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long other threads may continue to work after warm-up (compiling WebAssembly). */
#define MAX_WARM_UP_MS 30000
/* How long they may delay a fork. */
#define MAX_FORK_DELAY_MS 1000

static int control = -1;        /* socket for orders and replies, in the zygote */
static int channel = -1;        /* to the main process, in a child */
static uint64_t zygote_data;    /* fork_data_bytes() */
static int ended = -1;          /* eventfd(2): a child may have ended */
static pid_t zygote;            /* of the children that are forked from now on */
static struct sigaction before; /* the action for SIGCHLD outside serve() */

/* Memory of JavaScript for what a child gets: see GRANTED_WORDS, and the message on its channel if it fits. */
static struct {
  int32_t *words;
  void *message;
  size_t room;
} granted;

/* The bytes that serve() writes when nothing can fail any more. */
typedef struct greeting {
  int caller;
  const void *bytes;
  size_t length;
} greeting;

static bool fail(napi_env env, const char *call, int error, const char *sentence) {
  pitv_throw_errno(env, call, error, sentence);
  return false;
}

/* Reads the arguments of serve(); false when an exception is pending. */
static bool read_arguments(napi_env env, napi_callback_info info, greeting *hello) {
  napi_value arguments[6];
  int64_t socket, caller;
  void *bytes;
  if (!pitv_arguments(env, info, 6, arguments) || !pitv_number(env, arguments[0], "control", INT32_MAX, &socket) ||
      !pitv_number(env, arguments[1], "caller", INT32_MAX, &caller))
    return false;
  if (napi_get_buffer_info(env, arguments[2], &bytes, &hello->length) != napi_ok)
    return pitv_refuse(env, "greeting must be a Buffer.");
  if (!fork_read_kept(env, arguments[3])) return false;
  napi_typedarray_type type;
  size_t count;
  void *words;
  if (napi_get_typedarray_info(env, arguments[4], &type, &count, &words, NULL, NULL) != napi_ok ||
      type != napi_int32_array || count != GRANTED_WORDS)
    return pitv_refuse(env, "words must be an Int32Array of the right length.");
  if (napi_get_buffer_info(env, arguments[5], &granted.message, &granted.room) != napi_ok)
    return pitv_refuse(env, "message must be a Buffer.");
  granted.words = words;
  control = (int)socket;
  hello->caller = (int)caller;
  hello->bytes = bytes;
  return true;
}

/* A handler instead of signalfd(2): the other threads of Node.js do not block SIGCHLD and would receive it. */
static void on_child_end(int signal) {
  int error = errno;
  uint64_t one = 1;
  if (write(ended, &one, sizeof one) < 0) errno = 0; /* a full counter wakes poll() as well */
  errno = error;
}

/* Starts watching for children that end; returns 0 or an errno. */
static int watch_children(void) {
  struct sigaction action = {.sa_handler = on_child_end, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
  ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return ended >= 0 && sigaction(SIGCHLD, &action, &before) == 0 ? 0 : errno;
}

bool fork_zygote_lives(void) { return getppid() == zygote; }

/* Forks a child. Returns its pid in the zygote, 0 in the child, whose watch is gone, or a negative errno. */
static pid_t make_child(void) {
  int error = fork_await_quiet(0);
  if (error == EBUSY) error = fork_await_quiet(MAX_FORK_DELAY_MS);
  if (error != 0) return -error;
  zygote = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    sigaction(SIGCHLD, &before, NULL);
    close(ended);
    ended = -1;
  }
  return pid < 0 ? -errno : pid;
}

static uint32_t millis_of(const struct timeval *user, const struct timeval *system) {
  return (uint32_t)((user->tv_sec + system->tv_sec) * 1000 + (user->tv_usec + system->tv_usec) / 1000);
}

/*
 * Reports every child that has ended, also processes that the module started during its warm-up; false when the main
 * process is gone.
 */
static bool reap_children(void) {
  uint64_t drained;
  while (ended >= 0 && read(ended, &drained, sizeof drained) > 0) continue;
  int status;
  struct rusage usage;
  pid_t pid;
  while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
    const fork_reply reply = {
        .kind = FORK_REPLY_EXITED,
        .pid = pid,
        .value = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status),
        .millis = millis_of(&usage.ru_utime, &usage.ru_stime),
        .peak = (uint32_t)usage.ru_maxrss,
    };
    if (!fork_reply_send(control, &reply)) return false;
  }
  return true;
}

/* Prepares this process to be forked; false when an exception is pending. */
static bool make_forkable(napi_env env) {
  int error = fork_await_quiet(MAX_WARM_UP_MS);
  if (error != 0) return fail(env, "fork_await_quiet", error, "The zygote's other threads do not become idle");
  fork_find_threads();
  error = fork_mark_heap();
  if (error != 0) return fail(env, "madvise MADV_DOFORK", error, "Could not make the heap forkable");
  error = pitv_memory_unshare();
  if (error != 0) return fail(env, "mmap", error, "Could not stop sharing memory with children");
  error = fork_list_descriptors();
  return error == 0 || fail(env, "opendir", error, "Could not list the zygote's descriptors");
}

/* Watches the children and writes the greeting; false when an exception is pending. */
static bool open_service(napi_env env, const greeting *hello) {
  int error = watch_children();
  if (error != 0) return fail(env, "sigaction", error, "Could not watch the zygote's children");
  zygote_data = fork_data_bytes();
  fflush(NULL); /* otherwise every child would write the buffered output again */
  /* The socket's buffer is empty, so such a short answer is sent whole. */
  if (send(hello->caller, hello->bytes, hello->length, MSG_NOSIGNAL) < 0 && errno != EPIPE && errno != ECONNRESET)
    return fail(env, "send", errno, "The zygote could not answer");
  close(hello->caller);
  if (!reap_children()) _exit(0);
  return true;
}

/* Reads an order and forks a child; true in the child. */
static bool handle_order(void) {
  fork_order order;
  int ends[FORK_MAX_DESCRIPTORS];
  size_t count = 0;
  if (!fork_receive(control, &order, sizeof order, ends, &count)) _exit(0);
  /* A descriptor that did not fit into this process is missing. */
  const pid_t pid = count == 1 ? make_child() : -EMFILE;
  if (pid == 0) {
    channel = ends[0];
    granted.words[GRANTED_AHEAD] = (int32_t)order.ahead;
    return true;
  }
  fork_reply reply = {.kind = FORK_REPLY_FORKED, .id = order.id, .pid = pid};
  if (pid < 0) reply = (fork_reply){.kind = FORK_REPLY_FAILED, .id = order.id, .value = -pid};
  for (size_t i = 0; i < count; i++) close(ends[i]); /* first: the channel closes with the child, if that ends at once */
  if (!fork_reply_send(control, &reply)) _exit(0);
  return false;
}

/* Sets up what every child needs, in the child. */
static void become_child(napi_env env) {
  close(control);
  control = -1;
  fork_forget_threads();
  fork_init_child(env, channel);
}

/*
 * serve(control, caller, greeting, kept, words, message): returns in a forked child, which then calls awaitRequest().
 * When nothing can fail any more, it writes `greeting` to the descriptor `caller` and closes it. Ends the process when
 * the main process is gone.
 */
static napi_value serve(napi_env env, napi_callback_info info) {
  greeting hello;
  if (!read_arguments(env, info, &hello) || !make_forkable(env) || !open_service(env, &hello)) return NULL;
  for (bool is_child = false; !is_child;) {
    struct pollfd wanted[2] = {{.fd = control, .events = POLLIN}, {.fd = ended, .events = POLLIN}};
    if (poll(wanted, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return pitv_throw_errno(env, "poll", errno, "The zygote could not wait");
    }
    if (wanted[1].revents && !reap_children()) _exit(0);
    is_child = wanted[0].revents && handle_order();
  }
  become_child(env);
  return NULL;
}

/* awaitRequest(): leaves a message that is too long on the channel. Ends the process when the request is withdrawn. */
static napi_value await_request(napi_env env, napi_callback_info info) {
  uint8_t head[4];
  child_request one = {.descriptors = {channel}, .count = 1};
  if (!fork_receive(channel, &one.request, sizeof one.request, one.descriptors, &one.count)) _exit(0);
  fork_apply_request(env, &one, zygote_data);
  fork_write_granted(&one, granted.words);
  if (!fork_receive(channel, head, sizeof head, one.descriptors, &one.count)) _exit(0);
  const uint32_t length = head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16 | (uint32_t)head[3] << 24;
  granted.words[GRANTED_BYTES] = (int32_t)length;
  if (length <= granted.room && !fork_receive(channel, granted.message, length, one.descriptors, &one.count)) _exit(0);
  return NULL;
}

PITV_FUNCTIONS(fork, {"serve", serve}, {"awaitRequest", await_request});
