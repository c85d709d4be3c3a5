/*
 * The other threads of the zygote. fork() takes only the calling thread along: what another one was
 * doing at that moment stays half done in the child, with its locks held. So no fork happens unless
 * all of them sleep. There is nothing for them to do once the zygote stands still, but V8 has tasks
 * that it puts off by seconds (it looks at WebAssembly code from time to time).
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

#define LOOK_NANOSECONDS 500000
/* An idle thread wakes for a moment now and then; asleep twice in a row is asleep. */
#define QUIET_LOOKS 2

/* Of one thread, from /proc/self/task/TID/stat (proc(5)); 0 when it is gone. */
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

/* 1: all others sleep; 0: one does not; -1: see errno */
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
  const struct timespec look = {.tv_nsec = LOOK_NANOSECONDS};
  long left = (long)milliseconds * 1000000 / LOOK_NANOSECONDS;
  for (int quiet = 0;;) {
    const int asleep = others_sleep();
    if (asleep < 0) return errno;
    quiet = asleep ? quiet + 1 : 0;
    if (quiet == QUIET_LOOKS || (quiet == 1 && milliseconds == 0)) return 0;
    if (left-- <= 0) return EBUSY;
    nanosleep(&look, NULL);
  }
}
