/* execve(2). Node.js has process.execve() since 22.15 only. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "napi-util.h"

#define MAX_STRINGS 65536

/* Reads an array of strings in the form that execve() takes. Throws and returns NULL for any other value. */
static char **read_strings(napi_env env, napi_value array) {
  uint32_t count;
  if (napi_get_array_length(env, array, &count) != napi_ok || count > MAX_STRINGS) {
    pitv_throw_argument(env, "args and env must be arrays of strings.");
    return NULL;
  }
  char **strings = calloc((size_t)count + 1, sizeof *strings);
  for (uint32_t i = 0; strings != NULL && i < count; i++) {
    napi_value value;
    size_t length;
    if (napi_get_element(env, array, i, &value) != napi_ok ||
        napi_get_value_string_utf8(env, value, NULL, 0, &length) != napi_ok ||
        (strings[i] = malloc(length + 1)) == NULL ||
        napi_get_value_string_utf8(env, value, strings[i], length + 1, NULL) != napi_ok) {
      pitv_throw_argument(env, "args and env must be arrays of strings.");
      strings = NULL; /* leaks the strings read so far; the process is about to end */
    }
  }
  return strings;
}

/*
 * replaceProcess(path, args, env): executes another program in this process; returns only to throw. Call it
 * before anything else: the kernel ends all other threads at once.
 */
static napi_value replace_process(napi_env env, napi_callback_info info) {
  napi_value arguments[3];
  char path[4096];
  sigset_t none;
  if (!pitv_arguments(env, info, 3, arguments)) return NULL;
  if (napi_get_value_string_utf8(env, arguments[0], path, sizeof path, NULL) != napi_ok)
    return pitv_throw_argument(env, "path must be a string.");
  char **args = read_strings(env, arguments[1]);
  char **variables = args == NULL ? NULL : read_strings(env, arguments[2]);
  if (variables == NULL) return NULL;
  for (int file = 0; file <= 2; file++) {
    const int flags = fcntl(file, F_GETFD);
    if (flags >= 0) fcntl(file, F_SETFD, flags & ~FD_CLOEXEC);
  }
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, NULL);
  execve(path, args, variables);
  return pitv_throw_errno(env, "execve", errno, "Could not restart the program");
}

PITV_FUNCTIONS(execute, {"replaceProcess", replace_process});
