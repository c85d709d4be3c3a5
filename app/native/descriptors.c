/*
 * Closes descriptors that the addon or another process has opened, and signals processes by theirs. Node.js warns when
 * fs.close() gets such a descriptor in a worker thread, and does not close it when the thread ends.
 */
#include "napi-util.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#define PIDFD ((idtype_t)3) /* P_PIDFD of glibc 2.36 */

/* Ends a child process. Other descriptors, and those of other processes, are refused by the kernel. */
static void end_child(int file) {
  siginfo_t info;
  if (waitid(PIDFD, (id_t)file, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return;
  syscall(SYS_pidfd_send_signal, file, SIGKILL, NULL, 0);
  while (waitid(PIDFD, (id_t)file, &info, WEXITED) != 0 && errno == EINTR);
}

/* Runs when the environment ends. Its event loop, which would have waited for its child process, is gone. */
static void close_owned(void *file) {
  end_child((int)(intptr_t)file);
  close((int)(intptr_t)file);
}

/* ownDescriptor(fd) */
static napi_value own_descriptor(napi_env env, napi_callback_info info) {
  int64_t file;
  if (!pitv_number_argument(env, info, "fd", INT32_MAX, &file)) return NULL;
  napi_remove_env_cleanup_hook(env, close_owned, (void *)(intptr_t)file); /* adding it twice would end the process */
  if (napi_add_env_cleanup_hook(env, close_owned, (void *)(intptr_t)file) != napi_ok)
    return pitv_throw_napi(env, "Could not remember a descriptor");
  return NULL;
}

/* closeDescriptor(fd) */
static napi_value close_descriptor(napi_env env, napi_callback_info info) {
  int64_t file;
  if (!pitv_number_argument(env, info, "fd", INT32_MAX, &file)) return NULL;
  napi_remove_env_cleanup_hook(env, close_owned, (void *)(intptr_t)file);
  if (close((int)file) != 0 && errno != EINTR)
    return pitv_throw_errno(env, "close", errno, "Could not close a descriptor");
  return NULL;
}

/* openProcess(pid) -> descriptor of the process, which stays valid when the pid is reused (pidfd_open(2)) */
static napi_value open_process(napi_env env, napi_callback_info info) {
  int64_t pid;
  if (!pitv_number_argument(env, info, "pid", INT32_MAX, &pid)) return NULL;
  int fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
  if (fd < 0) return pitv_throw_errno(env, "pidfd_open", errno, "Could not open the process");
  return pitv_make_number(env, fd);
}

/*
 * signalProcess(fd, signal) -> boolean; false: the process has ended already. Signals reach one that its parent has not
 * waited for yet; process 1 of a container may never do so.
 */
static napi_value signal_process(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  int64_t fd, number;
  if (!pitv_arguments(env, info, 2, arguments) || !pitv_number(env, arguments[0], "fd", INT32_MAX, &fd) ||
      !pitv_number(env, arguments[1], "signal", 64, &number))
    return NULL;
  struct pollfd end = {.fd = (int)fd, .events = POLLIN};
  bool has_ended = poll(&end, 1, 0) > 0;
  long failed = has_ended ? 0 : syscall(SYS_pidfd_send_signal, (int)fd, (int)number, NULL, 0);
  if (failed != 0 && errno != ESRCH)
    return pitv_throw_errno(env, "pidfd_send_signal", errno, "Could not signal the process");
  return pitv_make_boolean(env, !has_ended && failed == 0);
}

PITV_FUNCTIONS(descriptors, {"ownDescriptor", own_descriptor}, {"closeDescriptor", close_descriptor},
               {"openProcess", open_process}, {"signalProcess", signal_process});
