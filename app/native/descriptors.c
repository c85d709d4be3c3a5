/*
 * Closes descriptors that the addon or another process has opened. Node.js warns when fs.close() gets such a descriptor
 * in a worker thread, and does not close it when the thread ends.
 */
#include "napi-util.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#define PIDFD ((idtype_t)3) /* P_PIDFD of glibc 2.36 */

/* The environments that own descriptors, by descriptor. NULL: the descriptor has no owner. */
static napi_env *owners;
static size_t owner_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static bool set_owner(size_t file, napi_env env) {
  bool done = true;
  pthread_mutex_lock(&mutex);
  if (file >= owner_count && env != NULL) {
    const size_t count = 2 * (file + 1);
    napi_env *larger = realloc(owners, count * sizeof *larger);
    if (larger != NULL) {
      for (size_t i = owner_count; i < count; i++) larger[i] = NULL;
      owners = larger;
      owner_count = count;
    }
  }
  if (file < owner_count) owners[file] = env;
  else done = env == NULL;
  pthread_mutex_unlock(&mutex);
  return done;
}

/* Ends a child process. Other descriptors, and those of other processes, are refused by the kernel. */
static void end_child(int file) {
  siginfo_t info;
  if (waitid(PIDFD, (id_t)file, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return;
  syscall(SYS_pidfd_send_signal, file, SIGKILL, NULL, 0);
  while (waitid(PIDFD, (id_t)file, &info, WEXITED) != 0 && errno == EINTR);
}

/* Runs when the environment ends. Its event loop, which would have waited for its child processes, is gone. */
static void close_all(void *env) {
  pthread_mutex_lock(&mutex);
  for (size_t file = 0; file < owner_count; file++) {
    if (owners[file] != env) continue;
    owners[file] = NULL;
    end_child((int)file);
    close((int)file);
  }
  pthread_mutex_unlock(&mutex);
}

bool pitv_watch_environment(napi_env env) { return napi_add_env_cleanup_hook(env, close_all, env) == napi_ok; }

/* ownDescriptor(fd): the descriptor is closed when this environment ends, unless closeDescriptor() closes it before */
static napi_value own_descriptor(napi_env env, napi_callback_info info) {
  int64_t file;
  if (pitv_number_argument(env, info, "fd", INT32_MAX, &file) && !set_owner((size_t)file, env))
    return pitv_throw_errno(env, "realloc", ENOMEM, "Could not remember a descriptor");
  return NULL;
}

/* closeDescriptor(fd) */
static napi_value close_descriptor(napi_env env, napi_callback_info info) {
  int64_t file;
  if (!pitv_number_argument(env, info, "fd", INT32_MAX, &file)) return NULL;
  set_owner((size_t)file, NULL);
  if (close((int)file) != 0 && errno != EINTR)
    return pitv_throw_errno(env, "close", errno, "Could not close a descriptor");
  return NULL;
}

PITV_FUNCTIONS(descriptors, {"ownDescriptor", own_descriptor}, {"closeDescriptor", close_descriptor});
