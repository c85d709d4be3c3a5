/*
 * Causes faults that cannot be caused from outside a process. It is preloaded into `pitv serve` (LD_PRELOAD):
 *
 *  - SIGNAL_SPIN and SIGNAL_GROW make the thread that receives them loop or allocate memory forever.
 *  - The control file, mapped by all processes, makes the disk below a directory slow or read-only: calls on that
 *    directory sleep first, or fail with EROFS as after a disk error. Linux refuses to remount a file system
 *    read-only while a file is open for writing, as checkpoints are.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIGNAL_SPIN 50
#define SIGNAL_GROW 51
#define GROW_STEP (1 << 20)

struct control {
  uint32_t delay_ms;
  uint32_t read_only;
};

static const struct control off = {0, 0};
static const volatile struct control *control = &off;
static const char *directory = "";
static size_t directory_length;

static void spin(int number) {
  (void)number;
  for (;;) __asm__ volatile("" ::: "memory");
}

static void grow(int number) {
  (void)number;
  for (;;) {
    void *memory = mmap(NULL, GROW_STEP, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) memset(memory, 1, GROW_STEP);
    usleep(200); /* otherwise it takes gigabytes between two polls of the supervisor */
  }
}

__attribute__((constructor)) static void start(void) {
  const char *file = getenv("PITV_FAULTS_CONTROL");
  const char *below = getenv("PITV_FAULTS_DIRECTORY");
  if (!file || !below) return;
  int fd = open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  void *mapped = mmap(NULL, sizeof *control, PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped == MAP_FAILED) return;
  control = mapped;
  directory = below;
  directory_length = strlen(below);
  struct sigaction action = {.sa_handler = spin};
  sigaction(SIGNAL_SPIN, &action, NULL);
  action.sa_handler = grow;
  sigaction(SIGNAL_GROW, &action, NULL);
}

static int is_below(const char *path) {
  return directory_length > 0 && path && strncmp(path, directory, directory_length) == 0;
}

/* Sleeps if the disk is slow. Returns 1, with errno set, if it is read-only and this call would change it. */
static int fails(const char *path, int changes) {
  if ((control->delay_ms == 0 && !control->read_only) || !is_below(path)) return 0;
  if (control->read_only && changes) {
    errno = EROFS;
    return 1;
  }
  if (control->delay_ms > 0) usleep(control->delay_ms * 1000);
  return 0;
}

static int fails_fd(int fd, int changes) {
  if (control->delay_ms == 0 && !control->read_only) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return fails(path, changes);
}

#define NEXT(name) \
  static __typeof__(&name) next; \
  if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    NEXT(name); \
    va_list list; \
    va_start(list, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
    va_end(list); \
    if (fails(path, (flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT)) return -1; \
    return next(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define ON_FD(type, name, parameters, arguments, changes) \
  type name parameters { \
    NEXT(name); \
    return fails_fd(fd, changes) ? -1 : next arguments; \
  }
ON_FD(ssize_t, write, (int fd, const void *bytes, size_t count), (fd, bytes, count), 1)
ON_FD(ssize_t, pwrite, (int fd, const void *bytes, size_t count, off_t at), (fd, bytes, count, at), 1)
ON_FD(ssize_t, pwrite64, (int fd, const void *bytes, size_t count, off64_t at), (fd, bytes, count, at), 1)
ON_FD(int, fsync, (int fd), (fd), 0)
ON_FD(int, fdatasync, (int fd), (fd), 0)

int rename(const char *from, const char *to) {
  NEXT(rename);
  return fails(to, 1) ? -1 : next(from, to);
}
int unlink(const char *path) {
  NEXT(unlink);
  return fails(path, 1) ? -1 : next(path);
}
int mkdir(const char *path, mode_t mode) {
  NEXT(mkdir);
  return fails(path, 1) ? -1 : next(path, mode);
}
