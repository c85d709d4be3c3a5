/*
 * What has to hold before a fork(): the other threads sleep, and the heap can be forked.
 *
 * The child of a fork() has the calling thread only. Work of another thread would stay unfinished in the child, and its
 * locks would stay held. So the zygote forks only while all other threads sleep. They have little to do while the
 * zygote waits, but V8 delays some tasks by seconds (it checks WebAssembly code from time to time).
 *
 * V8 marks its heap MADV_DONTFORK (v8/src/base/platform/platform-posix.cc), because a child that calls exec() right
 * after fork() does not need it. A child of the zygote needs all of it, and would be ended by SIGSEGV at the first
 * access. /proc/self/smaps shows the marks as `dc` (proc(5)). This file removes them.
 */
#include "zygote.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define QUIET_POLL_NS 500000
/* Idle threads wake briefly now and then, so all of them must sleep in this many polls in a row. */
#define QUIET_POLLS 2

#define MAX_THREADS 64

/* The open files /proc/self/task/TID/stat of the other threads. Opening them takes longer than reading them. */
static struct {
  int tasks; /* /proc/self/task, whose number of links shows how many threads there are */
  nlink_t links;
  size_t count;
  int stats[MAX_THREADS];
} others = {.tasks = -1};

void fork_forget_threads(void) {
  for (size_t i = 0; i < others.count; i++) close(others.stats[i]);
  if (others.tasks >= 0) close(others.tasks);
  others.tasks = -1;
  others.count = 0;
}

/* Returns the number of links of /proc/self/task; 0 when it is unknown. */
static nlink_t count_links(void) {
  struct stat about;
  return others.tasks >= 0 && fstat(others.tasks, &about) == 0 ? about.st_nlink : 0;
}

/* Opens the files of all other threads; returns 0 or an errno. */
static int find_threads(void) {
  fork_forget_threads();
  DIR *list = opendir("/proc/self/task");
  if (list == NULL) return errno;
  others.tasks = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  others.links = count_links();
  int error = others.tasks < 0 ? errno : 0;
  const long self = syscall(SYS_gettid);
  for (struct dirent *entry; error == 0 && (entry = readdir(list)) != NULL;) {
    if (entry->d_name[0] == '.' || strtol(entry->d_name, NULL, 10) == self) continue;
    char path[32];
    snprintf(path, sizeof path, "%.20s/stat", entry->d_name);
    const int file = openat(others.tasks, path, O_RDONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT) continue; /* it has ended */
    if (file < 0 || others.count == MAX_THREADS) error = file < 0 ? errno : EMFILE;
    else others.stats[others.count++] = file;
  }
  closedir(list);
  return error;
}

/* Reads the state of a thread (proc(5)); 0 when it has ended. */
static char read_state(int file) {
  char text[512];
  ssize_t length = pread(file, text, sizeof text - 1, 0);
  if (length <= 0) return 0;
  text[length] = '\0';
  const char *name_end = strrchr(text, ')');
  return name_end != NULL && name_end[1] == ' ' ? name_end[2] : 0;
}

/* Returns 1 when all other threads sleep, 0 when one does not, or -1 with errno set. */
static int others_sleep(void) {
  if (others.tasks < 0 || count_links() != others.links) {
    const int error = find_threads();
    if (error != 0) {
      errno = error;
      return -1;
    }
  }
  for (size_t i = 0; i < others.count; i++) {
    const char state = read_state(others.stats[i]);
    if (state == 0) fork_forget_threads(); /* another one may have begun when it ended */
    if (state != 'S') return 0;
  }
  return 1;
}

int fork_await_quiet(int milliseconds) {
  const struct timespec pause = {.tv_nsec = QUIET_POLL_NS};
  long left = (long)milliseconds * 1000000 / QUIET_POLL_NS;
  for (int quiet = 0;;) {
    const int asleep = others_sleep();
    if (asleep < 0) return errno;
    quiet = asleep ? quiet + 1 : 0;
    if (quiet == QUIET_POLLS || (quiet == 1 && milliseconds == 0)) return 0;
    if (left-- <= 0) return EBUSY;
    nanosleep(&pause, NULL);
  }
}

static bool has_flag(const char *flags, const char *flag) {
  for (const char *at = flags; (at = strstr(at, flag)) != NULL; at++)
    if (at[-1] == ' ' && (at[2] == ' ' || at[2] == '\n' || at[2] == '\0')) return true;
  return false;
}

/* Leaves the memory of devices, whose mark can't be removed. The kernel continues the list behind what it has listed. */
int fork_mark_heap(void) {
  FILE *file = fopen("/proc/self/smaps", "re");
  if (file == NULL) return errno;
  char *line = NULL;
  size_t room = 0;
  uintptr_t start = 0, end = 0;
  int error = 0;
  while (error == 0 && getline(&line, &room, file) >= 0) {
    uintptr_t from, to;
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2) {
      start = from;
      end = to;
    } else if (strncmp(line, "VmFlags:", 8) == 0 && has_flag(line, "dc") && !has_flag(line, "io")) {
      if (madvise((void *)start, end - start, MADV_DOFORK) != 0) error = errno;
    }
  }
  if (error == 0 && ferror(file)) error = EIO;
  free(line);
  fclose(file);
  return error;
}

uint64_t fork_data_bytes(void) {
  FILE *file = fopen("/proc/self/status", "re");
  if (file == NULL) return 0;
  char line[256];
  unsigned long long kib = 0;
  while (fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "VmData: %llu kB", &kib) == 1) break;
  fclose(file);
  return (uint64_t)kib * 1024;
}
