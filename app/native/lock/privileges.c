/* Gives up what a process may do by other means than files and system calls: privileges, resources, environment. */
#include "lock.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A worker has about 20 descriptors open. */
#define MAX_DESCRIPTORS 64

#ifndef PR_SET_MEMORY_MERGE
#define PR_SET_MEMORY_MERGE 67 /* Linux 6.4 */
#endif

extern char **environ;

static struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};

/* Whether the calling thread has no capabilities at all. */
static bool has_no_capabilities(void) {
  struct __user_cap_data_struct all[_LINUX_CAPABILITY_U32S_3] = {{0}};
  if (syscall(SYS_capget, &header, all) != 0) return false;
  for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
    if (all[i].effective != 0 || all[i].permitted != 0 || all[i].inheritable != 0) return false;
  return true;
}

lock_result lock_drop_privileges(void) {
  const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
  /* The time that a write takes would tell whether another process has an equal page. Kernels without it fail. */
  prctl(PR_SET_MEMORY_MERGE, 0, 0, 0, 0);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return (lock_result){"prctl PR_SET_NO_NEW_PRIVS", errno};
  /*
   * The unit of a service may refuse the call to processes that have no capabilities (SystemCallFilter=~@privileged).
   */
  if (!has_no_capabilities() && syscall(SYS_capset, &header, none) != 0) return (lock_result){"capset", errno};
  return (lock_result){0};
}

lock_result lock_limit_resources(void) {
  static const struct {
    int resource;
    rlim_t max;
  } limits[] = {
      {RLIMIT_CORE, 0},    {RLIMIT_FSIZE, 0},    {RLIMIT_NOFILE, MAX_DESCRIPTORS},
      {RLIMIT_NPROC, 0},   {RLIMIT_MEMLOCK, 0},  {RLIMIT_MSGQUEUE, 0},
      {RLIMIT_NICE, 0},    {RLIMIT_RTPRIO, 0},
  };
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    struct rlimit limit;
    if (getrlimit(limits[i].resource, &limit) != 0) return (lock_result){"getrlimit", errno};
    if (limit.rlim_max > limits[i].max) limit.rlim_max = limits[i].max; /* raising it needs a privilege */
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(limits[i].resource, &limit) != 0) return (lock_result){"setrlimit", errno};
  }
  return (lock_result){0};
}

lock_result lock_limit_memory(uint64_t bytes, int file) {
  char text[4096];
  unsigned long long kib;
  const ssize_t length = file < 0 ? -1 : pread(file, text, sizeof text - 1, 0);
  if (length <= 0) return (lock_result){"pread", file < 0 ? EBADF : errno};
  text[length] = '\0';
  const char *line = strstr(text, "\nVmData:");
  if (line == NULL || sscanf(line, "\nVmData: %llu kB", &kib) != 1) return (lock_result){0}; /* not on this kernel */
  const rlim_t max = (rlim_t)(kib * 1024 + bytes);
  const struct rlimit limit = {.rlim_cur = max, .rlim_max = max};
  return setrlimit(RLIMIT_DATA, &limit) == 0 ? (lock_result){0} : (lock_result){"setrlimit RLIMIT_DATA", errno};
}

void lock_clear_environment(void) {
  static char *none[] = {NULL}; /* clearenv() leaves NULL, which libuv would dereference */
  for (char **one = environ; one != NULL && *one != NULL; one++) memset(*one, 0, strlen(*one));
  environ = none;
}
