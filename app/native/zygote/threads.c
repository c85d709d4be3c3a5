/*
 * Waits until the other threads of the zygote sleep. The child of a fork() has the calling thread only. Work of another
 * thread would stay unfinished in the child, and its locks would stay held. So the zygote forks only while all other
 * threads sleep. They have little to do while the zygote waits, but V8 delays some tasks by seconds (it checks
 * WebAssembly code from time to time).
 */
#include "zygote.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define QUIET_POLL_NS 500000
/* Idle threads wake briefly now and then, so all of them must sleep in this many polls in a row. */
#define QUIET_POLLS 2

/* Returns the state of a thread from /proc/self/task/TID/stat (proc(5)); 0 when the thread has ended. */
static char state_of(int tasks, const char *tid) {
  char path[32], text[512];
  snprintf(path, sizeof path, "%.20s/stat", tid);
  int file = openat(tasks, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return 0;
  text[length] = '\0';
  const char *name_end = strrchr(text, ')');
  return name_end != NULL && name_end[1] == ' ' ? name_end[2] : 0;
}

/* Returns 1 when all other threads sleep, 0 when one does not, or -1 with errno set. */
static int others_sleep(void) {
  DIR *tasks = opendir("/proc/self/task");
  if (tasks == NULL) return -1;
  const long self = syscall(SYS_gettid);
  int result = 1;
  for (struct dirent *entry; result == 1 && (entry = readdir(tasks)) != NULL;) {
    if (entry->d_name[0] == '.' || strtol(entry->d_name, NULL, 10) == self) continue;
    const char state = state_of(dirfd(tasks), entry->d_name);
    if (state != 'S' && state != 0) result = 0;
  }
  closedir(tasks);
  return result;
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
