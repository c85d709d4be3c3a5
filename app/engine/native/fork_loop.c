/*
 * The event loop across fork(). The functions are libuv's own, which Node exports; libuv keeps their
 * signatures within version 1. They are weak: where a Node lacks one, the addon still loads, and the
 * zygote says that it does not work there.
 */
#include "fork.h"

#include <errno.h>

typedef struct uv_loop_s uv_loop_t;
typedef struct uv_handle_s uv_handle_t;

extern int uv_loop_fork(uv_loop_t *loop) __attribute__((weak));
extern void uv_update_time(uv_loop_t *loop) __attribute__((weak));
extern void uv_walk(uv_loop_t *loop, void (*visit)(uv_handle_t *, void *), void *argument)
    __attribute__((weak));
extern int uv_handle_get_type(const uv_handle_t *handle) __attribute__((weak));
extern const char *uv_handle_type_name(int type) __attribute__((weak));
extern int uv_fileno(const uv_handle_t *handle, int *fd) __attribute__((weak));
extern int uv_is_closing(const uv_handle_t *handle) __attribute__((weak));
extern int uv_has_ref(const uv_handle_t *handle) __attribute__((weak));
extern void uv_ref(uv_handle_t *handle) __attribute__((weak));
extern void uv_unref(uv_handle_t *handle) __attribute__((weak));

/* uv_handle_type, uv.h. What is left out (async, check, idle, prepare, timer) is Node's own. */
enum {
  UV_FS_EVENT = 3,
  UV_FS_POLL = 4,
  UV_NAMED_PIPE = 7,
  UV_POLL = 8,
  UV_PROCESS = 10,
  UV_TCP = 12,
  UV_TTY = 14,
  UV_UDP = 15,
  UV_SIGNAL = 16,
};
#define LAST_STDIO 2

static bool complete(void) {
  return uv_loop_fork && uv_update_time && uv_walk && uv_handle_get_type && uv_handle_type_name &&
         uv_fileno && uv_is_closing && uv_has_ref && uv_ref && uv_unref;
}

int fork_loop_child(napi_env env) {
  uv_loop_t *loop = NULL;
  if (napi_get_uv_event_loop(env, &loop) != napi_ok || loop == NULL) return EINVAL;
  int error = uv_loop_fork(loop);
  if (error != 0) return -error;
  /* The zygote stood still, perhaps for hours: without this a timer would be due at once. */
  uv_update_time(loop);
  return 0;
}

/* Does it belong to JavaScript code, and not to Node itself or to stdin, stdout, stderr? */
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
  /* process._getActiveHandles() leaves out what is not referenced. */
  if (!uv_has_ref(handle)) uv_ref(handle);
  const char *type = uv_handle_type_name(uv_handle_get_type(handle));
  napi_value name;
  if (napi_create_string_utf8(state->env, type ? type : "?", NAPI_AUTO_LENGTH, &name) != napi_ok ||
      napi_set_element(state->env, state->list, state->count++, name) != napi_ok)
    state->failed = true;
}

/* openHandles() -> libuv's types of what is still open in this loop; all of it is referenced from now on */
static napi_value open_handles(napi_env env, napi_callback_info info) {
  (void)info;
  uv_loop_t *loop = NULL;
  walk state = {.env = env};
  if (!complete())
    return pitv_throw_errno(env, "uv_loop_fork", ENOSYS, "This Node does not export libuv's functions");
  if (napi_get_uv_event_loop(env, &loop) != napi_ok ||
      napi_create_array(env, &state.list) != napi_ok)
    return pitv_throw_napi(env, "Could not look at the event loop");
  uv_walk(loop, visit_open, &state);
  if (state.failed) return pitv_throw_napi(env, "Could not list what is open");
  return state.list;
}

bool pitv_fork_loop_init(napi_env env, napi_value exports) {
  return pitv_export(env, exports, "openHandles", open_handles);
}
