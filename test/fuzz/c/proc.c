/*
 * Files below /proc with any content: smaps, maps, status, stat and syscall. The kernel writes these files, but a
 * program chooses names of mappings and threads, and an emulator or a container may write its own.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const uint8_t *file_bytes;
static size_t file_size;

static FILE *fuzz_fopen(const char *path, const char *mode) {
  (void)path;
  (void)mode;
  return file_size == 0 ? fopen("/dev/null", "re") : fmemopen((void *)(uintptr_t)file_bytes, file_size, "r");
}

int lock_tasks(void) { return -1; }

static ssize_t fuzz_read(int file, void *target, size_t room) {
  (void)file;
  const size_t length = file_size < room ? file_size : room;
  memcpy(target, file_bytes, length);
  return (ssize_t)length;
}

/* Ranges from garbage do not belong to this program. */
static int fuzz_madvise(void *start, size_t length, int advice) {
  (void)start;
  (void)advice;
  return length % 2 == 0 ? 0 : (errno = ENOMEM, -1);
}

#define pthread_create fuzz_pthread_create
#define fopen fuzz_fopen
#define madvise fuzz_madvise
#include "zygote/heap.c"
#define read fuzz_read
#define kind revive_kind
#include "zygote/revive.c"
#include "zygote/threads.c"
#undef read

static void read_small_files(void) {
  uintptr_t from = 0, to = 0, first;
  long number;
  find_main_stack(&from, &to);
  fork_data_bytes();
  read_syscall(getpid(), &number, &first);
  int tasks = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  char self[16];
  snprintf(self, sizeof self, "%d", (int)getpid());
  state_of(tasks, self);
  close(tasks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  file_bytes = data + 1;
  file_size = size - 1;
  if (data[0] % 2 == 0) fork_mark_heap();
  else read_small_files();
  return 0;
}
