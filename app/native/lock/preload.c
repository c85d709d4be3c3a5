/*
 * Locks a process before its main(). Landlock applies to the calling thread and to threads that it starts, and Node.js
 * starts threads early. So an ordinary worker process is started with this addon as LD_PRELOAD, and the constructor
 * below runs while there is one thread.
 */
#include "lock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The environment variable: readable paths, separated by newlines. engine/host/locked-process.js sets it. */
#define VARIABLE "pitv_lock_readable"
#define MAX_PATHS 64

static struct {
  bool wanted;
  lock_result result;
  int status; /* /proc/self/status, which cannot be opened any more */
} preload = {.status = -1};

static lock_result lock_files(char *list) {
  const char *paths[MAX_PATHS];
  size_t count = 0;
  int ruleset;
  for (char *rest = NULL, *path = strtok_r(list, "\n", &rest); path != NULL && count < MAX_PATHS;
       path = strtok_r(NULL, "\n", &rest))
    paths[count++] = path;
  lock_result result = lock_make_ruleset(paths, count, &ruleset);
  if (result.error != 0) return result;
  result = lock_apply_ruleset(ruleset);
  close(ruleset);
  return result;
}

__attribute__((constructor)) static void lock_before_main(void) {
  const char *variable = getenv(VARIABLE);
  if (variable == NULL) return;
  preload.wanted = true;
  preload.status = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  preload.result = lock_drop_privileges();
  char *list = strdup(variable);
  if (list != NULL && preload.result.error == 0) preload.result = lock_files(list);
  free(list);
  unsetenv(VARIABLE);
}

int lock_status_file(void) { return preload.status; }

/*
 * lockedBeforeMain() -> undefined if nothing asked for it, or the errno of the system call that failed; 0: files are
 * locked
 */
static napi_value locked_before_main(napi_env env, napi_callback_info info) {
  (void)info;
  napi_value result = NULL;
  if (!preload.wanted) napi_get_undefined(env, &result);
  else napi_create_int32(env, preload.result.error, &result);
  return result;
}

PITV_FUNCTIONS(lock_preload, {"lockedBeforeMain", locked_before_main});
