/* The lock's functions for JavaScript, which native.js describes. engine/lock.js calls them in order. */
#include "lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MAX_PATHS 64
#define MAX_PATH_BYTES 4096
#define MAX_MEMORY_BYTES (INT64_C(1) << 46)

/* Between beginLock() and lockFiles(). */
static int ruleset = -1;
static int tasks = -1;
static bool was_hidden; /* a new user makes the files of a process in /proc root's (proc(5), PR_SET_DUMPABLE) */

int lock_tasks(void) { return tasks; }

void lock_enter_thread(void) {
  if (ruleset >= 0 && lock_apply_ruleset(ruleset).error != 0) abort();
}

/* Throws the error of a failed call; true when nothing failed. */
static bool check(napi_env env, lock_result result) {
  if (result.error != 0) pitv_throw_errno(env, result.call, result.error, "Could not lock the process");
  return result.error == 0;
}

static bool has_one_thread(void) {
  DIR *tasks = opendir("/proc/self/task");
  if (tasks == NULL) return false;
  int threads = 0;
  for (struct dirent *entry; (entry = readdir(tasks)) != NULL;) threads += entry->d_name[0] != '.';
  closedir(tasks);
  return threads == 1;
}

/* lockSupport() -> {landlock, seccomp} */
static napi_value lock_support(napi_env env, napi_callback_info info) {
  return PITV_OBJECT(env, {"landlock", pitv_make_number(env, lock_landlock_version())},
                     {"seccomp", pitv_make_boolean(env, lock_can_filter())});
}

/* Reads an array of paths; the caller frees them. Returns false when an exception is pending. */
static bool read_paths(napi_env env, napi_value array, char **paths, uint32_t *count) {
  uint32_t length = 0;
  *count = 0;
  if (napi_get_array_length(env, array, &length) != napi_ok || length > MAX_PATHS)
    return pitv_refuse(env, "readable must be an array of up to 64 paths.");
  while (*count < length) {
    napi_value value;
    size_t bytes;
    char *path = malloc(MAX_PATH_BYTES);
    if (path != NULL) paths[(*count)++] = path;
    if (path == NULL || napi_get_element(env, array, *count - 1, &value) != napi_ok ||
        napi_get_value_string_utf8(env, value, path, MAX_PATH_BYTES, &bytes) != napi_ok)
      return pitv_refuse(env, "readable must be an array of up to 64 paths.");
  }
  return true;
}

/* beginLock(readable) */
static napi_value begin_lock(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  char *paths[MAX_PATHS];
  uint32_t count;
  if (!pitv_arguments(env, info, 1, arguments)) return NULL;
  if (!has_one_thread())
    return pitv_throw_errno(env, "landlock_restrict_self", EBUSY, "The process has other threads");
  tasks = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (read_paths(env, arguments[0], paths, &count)) {
    const char *const *list = (const char *const *)paths;
    bool done = lock_landlock_version() == 0 || check(env, lock_make_ruleset(list, count, &ruleset));
    done = done && check(env, lock_isolate(list, count));
    if (done) check(env, lock_drop_privileges());
    was_hidden = prctl(PR_GET_DUMPABLE) == 0;
    if (was_hidden) prctl(PR_SET_DUMPABLE, 1);
  }
  while (count > 0) free(paths[--count]);
  return NULL;
}

/* lockFiles(): applies the lock of files that beginLock() has prepared */
static napi_value lock_files(napi_env env, napi_callback_info info) {
  close(tasks);
  tasks = -1;
  if (was_hidden) prctl(PR_SET_DUMPABLE, 0);
  if (ruleset < 0) return NULL; /* a kernel without Landlock */
  if (!check(env, lock_apply_ruleset(ruleset))) return NULL;
  close(ruleset);
  ruleset = -1;
  return NULL;
}

/* lockCalls(memoryBytes) */
static napi_value lock_calls(napi_env env, napi_callback_info info) {
  int64_t memory;
  if (!pitv_number_argument(env, info, "memoryBytes", MAX_MEMORY_BYTES, &memory)) return NULL;
  lock_clear_environment();
  if (memory > 0 && !check(env, lock_limit_memory((uint64_t)memory, lock_status_file()))) return NULL;
  if (check(env, lock_limit_resources())) check(env, lock_filter_calls());
  return NULL;
}

PITV_FUNCTIONS(lock, {"lockSupport", lock_support}, {"beginLock", begin_lock}, {"lockFiles", lock_files},
               {"lockCalls", lock_calls});
