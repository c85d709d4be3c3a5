/*
 * The event loop across fork(). The functions are libuv's, which Node.js exports; libuv keeps their signatures within
 * version 1. They are weak symbols: if a version of Node.js lacks one, the addon still loads, and the zygote reports
 * that it does not work there.
 */
#include "zygote.h"

#include <errno.h>
#include <stdlib.h>

typedef struct uv_loop_s uv_loop_t;
typedef struct uv_handle_s uv_handle_t;
/* Opaque here; uv_handle_size() returns their size. */
typedef uv_handle_t uv_prepare_t;
typedef uv_handle_t uv_idle_t;

extern int uv_loop_fork(uv_loop_t *loop) __attribute__((weak));
extern void uv_update_time(uv_loop_t *loop) __attribute__((weak));
extern void uv_walk(uv_loop_t *loop, void (*visit)(uv_handle_t *, void *), void *argument) __attribute__((weak));
extern int uv_handle_get_type(const uv_handle_t *handle) __attribute__((weak));
extern const char *uv_handle_type_name(int type) __attribute__((weak));
extern int uv_fileno(const uv_handle_t *handle, int *fd) __attribute__((weak));
extern int uv_is_closing(const uv_handle_t *handle) __attribute__((weak));
extern int uv_has_ref(const uv_handle_t *handle) __attribute__((weak));
extern void uv_ref(uv_handle_t *handle) __attribute__((weak));
extern void uv_unref(uv_handle_t *handle) __attribute__((weak));
extern int uv_loop_alive(const uv_loop_t *loop) __attribute__((weak));
extern size_t uv_handle_size(int type) __attribute__((weak));
extern int uv_prepare_init(uv_loop_t *loop, uv_prepare_t *handle) __attribute__((weak));
extern int uv_prepare_start(uv_prepare_t *handle, void (*callback)(uv_prepare_t *)) __attribute__((weak));
extern int uv_idle_init(uv_loop_t *loop, uv_idle_t *handle) __attribute__((weak));
extern int uv_idle_start(uv_idle_t *handle, void (*callback)(uv_idle_t *)) __attribute__((weak));
extern int uv_idle_stop(uv_idle_t *handle) __attribute__((weak));

/* uv_handle_type of uv.h. Handles of the types left out (async, check, timer) belong to Node.js itself. */
enum {
  UV_FS_EVENT = 3,
  UV_FS_POLL = 4,
  UV_IDLE = 6,
  UV_NAMED_PIPE = 7,
  UV_POLL = 8,
  UV_PREPARE = 9,
  UV_PROCESS = 10,
  UV_TCP = 12,
  UV_TTY = 14,
  UV_UDP = 15,
  UV_SIGNAL = 16,
};
#define LAST_STDIO 2

static bool has_all_functions(void) {
  return uv_loop_fork && uv_update_time && uv_walk && uv_handle_get_type && uv_handle_type_name && uv_fileno &&
         uv_is_closing && uv_has_ref && uv_ref && uv_unref && uv_loop_alive && uv_handle_size && uv_prepare_init &&
         uv_prepare_start && uv_idle_init && uv_idle_start && uv_idle_stop;
}

int fork_loop_child(napi_env env) {
  uv_loop_t *loop = NULL;
  if (napi_get_uv_event_loop(env, &loop) != napi_ok || loop == NULL) return EINVAL;
  return -uv_loop_fork(loop);
}

void fork_loop_now(napi_env env) {
  uv_loop_t *loop = NULL;
  if (napi_get_uv_event_loop(env, &loop) == napi_ok && loop != NULL) uv_update_time(loop);
}

/* Returns whether JavaScript code opened the handle: neither Node.js itself, nor stdin, stdout or stderr. */
static bool is_foreign(const uv_handle_t *handle) {
  int fd = -1;
  if (uv_is_closing(handle)) return false;
  switch (uv_handle_get_type(handle)) {
  case UV_NAMED_PIPE:
  case UV_TCP:
  case UV_TTY:
  case UV_UDP:
  case UV_POLL:
    return !(uv_fileno(handle, &fd) == 0 && fd <= LAST_STDIO);
  case UV_FS_EVENT:
  case UV_FS_POLL:
  case UV_PROCESS:
  case UV_SIGNAL:
    return true;
  default:
    return false;
  }
}

typedef struct walk {
  napi_env env;
  napi_value list;
  uint32_t count;
  bool failed;
} walk;

static void visit_open(uv_handle_t *handle, void *argument) {
  walk *state = argument;
  if (!is_foreign(handle)) return;
  /* process._getActiveHandles() leaves out handles that are not referenced. */
  if (!uv_has_ref(handle)) uv_ref(handle);
  const char *type = uv_handle_type_name(uv_handle_get_type(handle));
  napi_value name;
  if (napi_create_string_utf8(state->env, type ? type : "?", NAPI_AUTO_LENGTH, &name) != napi_ok ||
      napi_set_element(state->env, state->list, state->count++, name) != napi_ok)
    state->failed = true;
}

/* openHandles() -> libuv types of the handles that are open in this loop; references all of them */
static napi_value open_handles(napi_env env, napi_callback_info info) {
  uv_loop_t *loop = NULL;
  walk state = {.env = env};
  if (!has_all_functions())
    return pitv_throw_errno(env, "uv_loop_fork", ENOSYS, "This Node.js does not export libuv's functions");
  if (napi_get_uv_event_loop(env, &loop) != napi_ok || napi_create_array(env, &state.list) != napi_ok)
    return pitv_throw_napi(env, "Could not inspect the event loop");
  uv_walk(loop, visit_open, &state);
  if (state.failed) return pitv_throw_napi(env, "Could not list the open handles");
  return state.list;
}

/*
 * The end of a child that has nothing left to do. When the loop ends, Node.js waits for tasks of its platform threads
 * (NodePlatform::DrainTasks). A child does not have these threads and might wait forever. So this watch keeps the loop
 * alive. Before each poll it checks whether the loop contains anything else. If not, it calls JavaScript: first with
 * false ('beforeExit', whose listeners may start new work), then with true (the end).
 */
typedef struct watch {
  napi_env env;
  napi_ref callback;
  uv_loop_t *loop;
  uv_prepare_t *prepare;
  uv_idle_t *idle;    /* keeps poll() from blocking, so that tasks posted to the main thread are received */
  int empty_rounds;   /* in a row */
  bool notified;      /* called with false, and still empty */
} watch;

static watch loop_watch;

static void do_nothing(uv_handle_t *handle) {}

static void call_back(watch *self, bool end) {
  napi_handle_scope scope;
  napi_value function, global, argument;
  if (napi_open_handle_scope(self->env, &scope) != napi_ok) return;
  if (napi_get_reference_value(self->env, self->callback, &function) == napi_ok &&
      napi_get_global(self->env, &global) == napi_ok && napi_get_boolean(self->env, end, &argument) == napi_ok)
    pitv_call_back(self->env, global, function, 1, &argument);
  napi_close_handle_scope(self->env, scope);
}

static void before_poll(uv_prepare_t *handle) {
  watch *self = &loop_watch;
  uv_unref(handle);
  uv_idle_stop(self->idle);
  bool alive = uv_loop_alive(self->loop);
  uv_ref(handle);
  if (alive) {
    self->empty_rounds = 0;
    self->notified = false;
    return;
  }
  if (++self->empty_rounds >= 2) {
    self->empty_rounds = 0;
    call_back(self, self->notified);
    self->notified = true;
  }
  uv_idle_start(self->idle, do_nothing);
}

/* whenEmpty(callback): calls callback(false) when the event loop is empty, and callback(true) if it still is then */
static napi_value when_empty(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  watch *self = &loop_watch;
  if (!pitv_arguments(env, info, 1, arguments)) return NULL;
  self->env = env;
  self->prepare = calloc(1, uv_handle_size(UV_PREPARE));
  self->idle = calloc(1, uv_handle_size(UV_IDLE));
  if (self->prepare == NULL || self->idle == NULL)
    return pitv_throw_errno(env, "calloc", ENOMEM, "Could not watch the event loop");
  if (napi_get_uv_event_loop(env, &self->loop) != napi_ok ||
      napi_create_reference(env, arguments[0], 1, &self->callback) != napi_ok)
    return pitv_throw_napi(env, "Could not watch the event loop");
  int error = uv_prepare_init(self->loop, self->prepare);
  if (error == 0) error = uv_idle_init(self->loop, self->idle);
  if (error == 0) error = uv_prepare_start(self->prepare, before_poll);
  if (error != 0) return pitv_throw_errno(env, "uv_prepare_start", -error, "Could not watch the event loop");
  return NULL;
}

PITV_FUNCTIONS(fork_loop, {"openHandles", open_handles}, {"whenEmpty", when_empty});
