/*
 * The zygote: serve() blocks in the kernel until a child is requested, forks it, and returns in the child only. So no
 * JavaScript runs in the zygote between two forks: shared memory stays shared, and no timer, garbage collection or
 * callback is interrupted by a fork.
 */
#include "../memory.h"
#include "zygote.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/* How long other threads may continue to work after warm-up (compiling WebAssembly). */
#define MAX_WARM_UP_MS 30000

static int control = -1;     /* socket for requests and replies, in the zygote */
static uint64_t zygote_data; /* fork_data_bytes() */

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

static void close_descriptors(child_request *one) {
  for (size_t i = 0; i < one->count; i++) close(one->descriptors[i]);
  one->count = 0;
}

/* Grants a request: 0 in the child, 1 in the zygote, -1 in the zygote when the main process is gone. */
static int grant(child_request *one) {
  fork_reply reply = {.kind = FORK_REPLY_FORKED, .id = one->request.id};
  fork_child *child = fork_spare_use(one);
  if (child == NULL) {
    int result = fork_make_child(one->request.id, &child);
    if (result == 0) return 0;
    if (result < 0) reply.value = -result;
  }
  close_descriptors(one);
  fork_spare_postpone();
  if (child == NULL) reply.kind = FORK_REPLY_FAILED;
  else reply.pid = child->pid;
  return fork_reply_send(control, &reply) ? 1 : -1;
}

static bool fail(napi_env env, const char *call, int error, const char *sentence) {
  pitv_throw_errno(env, call, error, sentence);
  return false;
}

/* Reads the arguments of serve(); false when an exception is pending. */
static bool read_arguments(napi_env env, napi_callback_info info, greeting *hello) {
  napi_value arguments[7];
  int64_t socket, caller, spares;
  void *bytes;
  if (!pitv_arguments(env, info, 7, arguments) || !pitv_number(env, arguments[0], "control", INT32_MAX, &socket) ||
      !pitv_number(env, arguments[1], "caller", INT32_MAX, &caller))
    return false;
  if (napi_get_buffer_info(env, arguments[2], &bytes, &hello->length) != napi_ok)
    return pitv_refuse(env, "greeting must be a Buffer.");
  if (!pitv_number(env, arguments[3], "spares", FORK_MAX_SPARES, &spares) || !fork_read_kept(env, arguments[4]))
    return false;
  napi_typedarray_type type;
  size_t count;
  void *words;
  if (napi_get_typedarray_info(env, arguments[5], &type, &count, &words, NULL, NULL) != napi_ok ||
      type != napi_int32_array || count != GRANTED_WORDS)
    return pitv_refuse(env, "words must be an Int32Array of the right length.");
  if (napi_get_buffer_info(env, arguments[6], &granted.message, &granted.room) != napi_ok)
    return pitv_refuse(env, "message must be a Buffer.");
  granted.words = words;
  control = (int)socket;
  hello->caller = (int)caller;
  hello->bytes = bytes;
  fork_spare_enable((size_t)spares);
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
  int error = fork_watch_children();
  if (error != 0) return fail(env, "sigaction", error, "Could not watch the zygote's children");
  zygote_data = fork_data_bytes();
  fflush(NULL); /* otherwise every child would write the buffered output again */
  /* The socket's buffer is empty, so such a short answer is sent whole. */
  if (send(hello->caller, hello->bytes, hello->length, MSG_NOSIGNAL) < 0 && errno != EPIPE && errno != ECONNRESET)
    return fail(env, "send", errno, "The zygote could not answer");
  close(hello->caller);
  if (!fork_reap_children(control)) _exit(0);
  return true;
}

enum event { EVENT_NONE, EVENT_SPARE_DUE, EVENT_REQUEST, EVENT_ERROR };

/* Waits until a spare is due, a child has ended, or a request has come. */
static enum event await_event(void) {
  struct pollfd wanted[2] = {{.fd = control, .events = POLLIN}, {.fd = fork_children_fd(), .events = POLLIN}};
  int ready = poll(wanted, 2, fork_spare_timeout());
  if (ready == 0) return EVENT_SPARE_DUE;
  if (ready < 0) return errno == EINTR ? EVENT_NONE : EVENT_ERROR;
  if (wanted[1].revents && !fork_reap_children(control)) _exit(0);
  return wanted[0].revents ? EVENT_REQUEST : EVENT_NONE;
}

/* Refuses a request whose descriptors did not fit into this process. */
static void refuse(child_request *one) {
  fork_reply reply = {.kind = FORK_REPLY_FAILED, .id = one->request.id, .value = EMFILE};
  close_descriptors(one);
  if (!fork_reply_send(control, &reply)) _exit(0);
}

/* Sets up what every child needs, in the child. A spare has no request yet, but a socket for it. */
static void become_child(napi_env env, child_request *one) {
  close(control);
  control = -1;
  fork_forget_threads();
  fork_init_child(env, one, fork_spare_socket());
}

/* Sets up what a request asks for, in its child, and reads the message that follows on the channel if it fits. */
static void apply(napi_env env, child_request *one) {
  uint8_t head[4];
  fork_apply_request(env, one, zygote_data);
  fork_write_granted(one, false, granted.words);
  const int channel = one->descriptors[0];
  if (!fork_read_all(channel, head, sizeof head)) _exit(0); /* the request was withdrawn */
  const uint32_t length = head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16 | (uint32_t)head[3] << 24;
  granted.words[GRANTED_BYTES] = (int32_t)length;
  if (length <= granted.room && !fork_read_all(channel, granted.message, length)) _exit(0);
}

/* Reads and handles a request; true in the child. */
static bool handle_request(napi_env env) {
  child_request one = {0};
  if (fork_receive(control, &one.request, one.descriptors, &one.count) <= 0) _exit(0);
  if (one.count != one.request.descriptors) {
    refuse(&one);
    return false;
  }
  int granted = grant(&one);
  if (granted < 0) _exit(0);
  if (granted > 0) return false;
  become_child(env, &one);
  apply(env, &one);
  return true;
}

/*
 * serve(control, caller, greeting, spares, kept, words, message): returns in a forked child, with what it gets in
 * `words` (GRANTED_WORDS) and the message on its channel in the Buffer `message`, unless it is too long. So many
 * children (`spares`) are forked ahead; such a child has no request yet (see awaitRequest()).
 * When nothing can fail any more, it writes the bytes of `greeting` to the descriptor `caller` and closes it. A child
 * has no descriptors of the zygote except stdin, stdout, stderr and those in `kept`. Ends the process when the main
 * process is gone.
 */
static napi_value serve(napi_env env, napi_callback_info info) {
  greeting hello;
  if (!read_arguments(env, info, &hello) || !make_forkable(env) || !open_service(env, &hello)) return NULL;
  for (;;) {
    const enum event event = await_event();
    if (event == EVENT_SPARE_DUE && fork_spare_make()) {
      child_request none = {0};
      become_child(env, &none);
      fork_write_granted(&none, true, granted.words);
      return NULL;
    }
    if (event == EVENT_REQUEST && handle_request(env)) return NULL;
    if (event == EVENT_ERROR) return pitv_throw_errno(env, "poll", errno, "The zygote could not wait");
  }
}

/*
 * awaitRequest(): blocks in a spare child until it gets a request, then returns like serve(). Ends the process when
 * the zygote drops it or is gone.
 */
static napi_value await_request(napi_env env, napi_callback_info info) {
  (void)info;
  child_request one = {0};
  if (!fork_spare_receive(&one)) _exit(0);
  apply(env, &one);
  return NULL;
}

PITV_FUNCTIONS(fork, {"serve", serve}, {"awaitRequest", await_request});
