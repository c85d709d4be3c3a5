/*
 * Locks a process before its main(). Landlock applies to the calling thread and to threads that it starts, and Node.js
 * starts threads early. So an ordinary worker process is started with this addon as LD_PRELOAD, and the constructor
 * below runs while there is one thread.
 */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The environment variable: number of the descriptors that the process gets, then readable paths, separated by
 * newlines. engine/host/locked-process.js sets it.
 */
#define VARIABLE "pitv_lock"
#define MAX_PATHS 64
#define CLOSE_RANGE 436 /* close_range(2), Linux 5.9; the same on every architecture */

static struct {
  bool wanted;
  lock_result result;
  int status; /* /proc/self/status, which cannot be opened any more */
} preload = {.status = -1};

/* Closes what the TV has inherited from its own parent and not marked close-on-exec. */
static void close_others(unsigned first) {
  if (syscall(CLOSE_RANGE, first, ~0U, 0) == 0) return;
  for (long fd = first, end = sysconf(_SC_OPEN_MAX); fd < end; fd++) close((int)fd);
}

static lock_result lock_process(char *list) {
  const char *paths[MAX_PATHS];
  size_t count = 0;
  int ruleset;
  char *rest = NULL;
  const char *descriptors = strtok_r(list, "\n", &rest);
  if (descriptors == NULL) return (lock_result){"strtok_r", EINVAL};
  close_others((unsigned)atoi(descriptors));
  preload.status = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  for (char *path = strtok_r(NULL, "\n", &rest); path != NULL && count < MAX_PATHS; path = strtok_r(NULL, "\n", &rest))
    paths[count++] = path;
  const lock_result files = lock_make_ruleset(paths, count, &ruleset);
  lock_result result = lock_isolate(paths, count);
  if (result.error == 0) result = lock_drop_privileges();
  if (files.error != 0) return result.error != 0 ? result : files; /* the rest protects without Landlock, too */
  if (result.error == 0) result = lock_apply_ruleset(ruleset);
  close(ruleset);
  return result;
}

__attribute__((constructor)) static void lock_before_main(void) {
  const char *variable = getenv(VARIABLE);
  if (variable == NULL) return;
  preload.wanted = true;
  char *list = strdup(variable);
  preload.result = list == NULL ? (lock_result){"strdup", ENOMEM} : lock_process(list);
  free(list);
  unsetenv(VARIABLE);
}

int lock_status_file(void) { return preload.status; }

/* lockedBeforeMain() -> errno; 0: files are locked; undefined: nothing asked for it */
static napi_value locked_before_main(napi_env env, napi_callback_info info) {
  return preload.wanted ? pitv_make_number(env, preload.result.error) : NULL;
}

PITV_FUNCTIONS(lock_preload, {"lockedBeforeMain", locked_before_main});
