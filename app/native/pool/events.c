/*
 * Waiting for a word in shared memory (futex(2)), and events between processes. A worker of a pool blocks until its
 * word changes. The event loop of the other side is woken by an event, whose descriptor it polls by libuv's functions,
 * which Node.js exports; libuv keeps their signatures within version 1. They are weak symbols, see ../zygote/loop.c.
 *
 * An event is a pipe, not an eventfd(2): the sides of that share O_NONBLOCK and the counter, so a locked worker could
 * have the pool block in read(2) or write(2), and take the signals of others.
 */
#include "../napi-util.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_futex
#define SYS_futex SYS_futex_time64 /* 32-bit architectures without the older call */
#endif
#define MAX_SPIN_MICROS 1000
/* Reads of the word between two readings of the clock. */
#define READS_PER_CLOCK 32
/* Signals that one call of a watcher's callback answers. */
#define SIGNALS_AT_ONCE 1024

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || (defined(__arm__) && __ARM_ARCH >= 7)
  __asm__ volatile("yield" ::: "memory");
#endif
}

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* waitWhile(words, index, value, spinMicros): reads the word for spinMicros before it sleeps */
static napi_value wait_while(napi_env env, napi_callback_info info) {
  napi_value arguments[4];
  int32_t value;
  int64_t micros;
  if (!pitv_arguments(env, info, 4, arguments)) return NULL;
  _Atomic int32_t *word = pitv_word(env, arguments[0], arguments[1]);
  if (word == NULL || !pitv_number(env, arguments[3], "spinMicros", MAX_SPIN_MICROS, &micros)) return NULL;
  if (napi_get_value_int32(env, arguments[2], &value) != napi_ok)
    return pitv_throw_argument(env, "value must be a whole number.");
  if (micros > 0) {
    const int64_t end = now_ns() + micros * 1000;
    do {
      for (int i = 0; i < READS_PER_CLOCK; i++) {
        if (atomic_load_explicit(word, memory_order_acquire) != value) return NULL;
        relax();
      }
    } while (now_ns() < end);
  }
  /* EAGAIN: the word has changed already. EINTR: a signal. */
  if (syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0) != 0 && errno != EAGAIN && errno != EINTR)
    return pitv_throw_errno(env, "futex", errno, "Could not wait for a task");
  return NULL;
}

/* wakeWord(words, index): wakes the thread that blocks in waitWhile(), in any process */
static napi_value wake_word(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  if (!pitv_arguments(env, info, 2, arguments)) return NULL;
  _Atomic int32_t *word = pitv_word(env, arguments[0], arguments[1]);
  if (word != NULL) syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
  return NULL;
}

/* createEvent() -> [fd for watchEvent(), fd for signalEvent()] */
static napi_value create_event(napi_env env, napi_callback_info info) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return pitv_throw_errno(env, "pipe2", errno, "Could not create an event");
  return pitv_make_numbers(env, ends, 2);
}

/* signalEvent(fd): wakes the event loop that watches the event. It is no error if nobody does any more. */
static napi_value signal_event(napi_env env, napi_callback_info info) {
  int64_t file;
  if (!pitv_number_argument(env, info, "fd", INT32_MAX, &file)) return NULL;
  if (write((int)file, "", 1) < 0 && errno != EAGAIN && errno != EPIPE)
    return pitv_throw_errno(env, "write", errno, "Could not signal an event");
  return NULL;
}

typedef struct uv_loop_s uv_loop_t;
typedef struct uv_handle_s uv_handle_t;
typedef uv_handle_t uv_poll_t; /* opaque here; uv_handle_size() returns its size */

extern size_t uv_handle_size(int type) __attribute__((weak));
extern void uv_handle_set_data(uv_handle_t *handle, void *data) __attribute__((weak));
extern void *uv_handle_get_data(const uv_handle_t *handle) __attribute__((weak));
extern void uv_ref(uv_handle_t *handle) __attribute__((weak));
extern void uv_unref(uv_handle_t *handle) __attribute__((weak));
extern void uv_close(uv_handle_t *handle, void (*closed)(uv_handle_t *)) __attribute__((weak));
extern int uv_poll_init(uv_loop_t *loop, uv_poll_t *handle, int fd) __attribute__((weak));
extern int uv_poll_start(uv_poll_t *handle, int events, void (*callback)(uv_poll_t *, int, int)) __attribute__((weak));

#define UV_POLL 8     /* uv_handle_type */
#define UV_READABLE 1 /* uv_poll_event */

typedef struct watcher {
  napi_env env;
  uv_poll_t *handle; /* NULL once it has been closed */
  napi_ref callback, receiver;
  napi_async_cleanup_hook_handle hook;
  int file;
  bool collected; /* the JavaScript object */
} watcher;

/* Identifies the objects that watchEvent() returns. */
static const napi_type_tag TAG = {0x5c0ac0a7b7f84c51, 0x9a1c5a0b6f0d2e47};

static void free_if_unused(watcher *self) {
  if (self->handle == NULL && self->collected) free(self);
}

static void on_closed(uv_handle_t *handle) {
  watcher *self = uv_handle_get_data(handle);
  free(handle);
  self->handle = NULL;
  napi_remove_async_cleanup_hook(self->hook);
  free_if_unused(self);
}

/* Stops watching. The memory is freed when libuv has closed the handle. */
static void stop(watcher *self) {
  if (self->callback == NULL) return;
  napi_delete_reference(self->env, self->callback);
  napi_delete_reference(self->env, self->receiver);
  self->callback = self->receiver = NULL;
  uv_close(self->handle, on_closed);
}

/* Runs when the environment ends. */
static void clean_up(napi_async_cleanup_hook_handle hook, void *data) {
  stop(data);
}

static void on_collected(napi_env env, void *data, void *hint) {
  watcher *self = data;
  self->collected = true;
  stop(self);
  free_if_unused(self);
}

static void on_event(uv_poll_t *handle, int status, int events) {
  watcher *self = uv_handle_get_data(handle);
  napi_env env = self->env;
  napi_handle_scope scope;
  napi_value callback, receiver;
  char signals[SIGNALS_AT_ONCE];
  if (read(self->file, signals, sizeof signals) < 0 && errno == EAGAIN) return;
  if (self->callback == NULL || napi_open_handle_scope(env, &scope) != napi_ok) return;
  if (napi_get_reference_value(env, self->callback, &callback) == napi_ok &&
      napi_get_reference_value(env, self->receiver, &receiver) == napi_ok)
    pitv_call_back(env, receiver, callback, 0, NULL);
  napi_close_handle_scope(env, scope);
}

/* `object` is the one that JavaScript gets. The watcher keeps it from being collected until it is closed. */
static bool start(watcher *self, napi_env env, napi_value object, napi_value callback) {
  uv_loop_t *loop = NULL;
  if (napi_get_uv_event_loop(env, &loop) != napi_ok || loop == NULL ||
      uv_poll_init(loop, self->handle, self->file) != 0)
    return false;
  uv_handle_set_data(self->handle, self);
  /* From here on, the handle has to be closed before it is freed. */
  if (uv_poll_start(self->handle, UV_READABLE, on_event) == 0 &&
      napi_create_reference(env, object, 1, &self->receiver) == napi_ok &&
      napi_add_async_cleanup_hook(env, clean_up, self, &self->hook) == napi_ok &&
      napi_create_reference(env, callback, 1, &self->callback) == napi_ok) {
    uv_unref(self->handle);
    return true;
  }
  self->collected = true;
  uv_close(self->handle, on_closed);
  self->handle = NULL;
  return false;
}

/*
 * watchEvent(fd, callback) -> watcher: calls callback() once for several signals, also if JavaScript does not keep the
 * watcher. The watcher does not keep the event loop alive.
 */
static napi_value watch_event(napi_env env, napi_callback_info info) {
  napi_value arguments[2], object;
  napi_valuetype type;
  int64_t file;
  if (!pitv_arguments(env, info, 2, arguments) || !pitv_number(env, arguments[0], "fd", INT32_MAX, &file)) return NULL;
  if (napi_typeof(env, arguments[1], &type) != napi_ok || type != napi_function)
    return pitv_throw_argument(env, "callback must be a function.");
  if (!uv_handle_size || !uv_handle_set_data || !uv_handle_get_data || !uv_ref || !uv_unref || !uv_close ||
      !uv_poll_init || !uv_poll_start)
    return pitv_throw_errno(env, "uv_poll_init", ENOSYS, "This Node.js does not export libuv's functions");
  watcher *self = calloc(1, sizeof *self);
  if (self != NULL) self->handle = calloc(1, uv_handle_size(UV_POLL));
  if (self == NULL || self->handle == NULL) {
    free(self);
    return pitv_throw_errno(env, "calloc", ENOMEM, "Could not watch an event");
  }
  self->env = env;
  self->file = (int)file;
  if (napi_create_object(env, &object) != napi_ok) {
    free(self->handle);
    free(self);
    return pitv_throw_napi(env, "Could not create the watcher");
  }
  if (!start(self, env, object, arguments[1])) return pitv_throw_napi(env, "Could not watch an event");
  if (napi_type_tag_object(env, object, &TAG) != napi_ok ||
      napi_wrap(env, object, self, on_collected, NULL, NULL) != napi_ok) {
    self->collected = true;
    stop(self);
    return pitv_throw_napi(env, "Could not return the watcher");
  }
  return object;
}

/* Reads the argument, a watcher. Throws and returns NULL for other values. */
static watcher *read_watcher(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  bool matches = false;
  void *self = NULL;
  if (!pitv_arguments(env, info, 1, arguments)) return NULL;
  if (napi_check_object_type_tag(env, arguments[0], &TAG, &matches) != napi_ok || !matches ||
      napi_unwrap(env, arguments[0], &self) != napi_ok)
    pitv_throw_argument(env, "watcher must be a value of watchEvent().");
  return self;
}

/* refWatcher(watcher): the watcher keeps the event loop alive */
static napi_value ref_watcher(napi_env env, napi_callback_info info) {
  watcher *self = read_watcher(env, info);
  if (self != NULL && self->callback != NULL) uv_ref(self->handle);
  return NULL;
}

/* unrefWatcher(watcher): undoes refWatcher() */
static napi_value unref_watcher(napi_env env, napi_callback_info info) {
  watcher *self = read_watcher(env, info);
  if (self != NULL && self->callback != NULL) uv_unref(self->handle);
  return NULL;
}

/* closeWatcher(watcher): the callback is not called any more; the descriptor may be closed */
static napi_value close_watcher(napi_env env, napi_callback_info info) {
  watcher *self = read_watcher(env, info);
  if (self != NULL) stop(self);
  return NULL;
}

PITV_FUNCTIONS(pool_events, {"waitWhile", wait_while}, {"wakeWord", wake_word}, {"createEvent", create_event},
               {"signalEvent", signal_event}, {"watchEvent", watch_event}, {"refWatcher", ref_watcher},
               {"unrefWatcher", unref_watcher}, {"closeWatcher", close_watcher});
