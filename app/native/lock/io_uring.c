/*
 * Keeps io_uring out of worker processes. Newer versions of libuv make a ring for every event loop, to change epoll's
 * descriptors in batches, and end the process when they cannot use it any more. The lock cannot allow
 * io_uring_enter(2): by a ring, a process makes system calls that seccomp does not see. Without rings, libuv calls
 * epoll_ctl(2).
 *
 * Workers that lock themselves, and the zygote, are started with this addon as LD_PRELOAD.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#define IO_URING_SETUP 425 /* the same on every architecture */
#define MAX_ARGUMENTS 6

typedef long (*syscall_function)(long, ...);

/* Replaces the function of the C library only where this addon is loaded by LD_PRELOAD. */
__attribute__((visibility("default"))) long syscall(long number, ...) {
  static syscall_function real;
  long given[MAX_ARGUMENTS];
  va_list list;
  if (number == IO_URING_SETUP) {
    errno = ENOSYS;
    return -1;
  }
  if (real == NULL) {
    void *symbol = dlsym(RTLD_NEXT, "syscall");
    memcpy(&real, &symbol, sizeof real); /* ISO C has no cast from an object pointer to a function pointer */
  }
  va_start(list, number);
  for (int i = 0; i < MAX_ARGUMENTS; i++) given[i] = va_arg(list, long);
  va_end(list);
  return real(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}
