/*
 * V8 marks its heap MADV_DONTFORK (v8/src/base/platform/platform-posix.cc), because a child that calls exec() right
 * after fork() does not need it. A child of the zygote needs all of it, and would be ended by SIGSEGV at the first
 * access. /proc/self/smaps shows the marks as `dc` (proc(5)). This file removes them.
 */
#include "zygote.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct range {
  uintptr_t start, end;
} range;

typedef struct ranges {
  range *items;
  size_t count, capacity;
} ranges;

static bool append(ranges *all, uintptr_t start, uintptr_t end) {
  if (all->count == all->capacity) {
    size_t capacity = all->capacity ? all->capacity * 2 : 64;
    range *items = realloc(all->items, capacity * sizeof *items);
    if (items == NULL) return false;
    all->items = items;
    all->capacity = capacity;
  }
  all->items[all->count++] = (range){start, end};
  return true;
}

static bool has_flag(const char *flags, const char *flag) {
  for (const char *at = flags; (at = strstr(at, flag)) != NULL; at++)
    if (at[-1] == ' ' && (at[2] == ' ' || at[2] == '\n' || at[2] == '\0')) return true;
  return false;
}

/* Finds every mapping that fork() would leave out, except the memory of devices, whose mark can't be removed. */
static int find_unforked(ranges *found) {
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
      if (!append(found, start, end)) error = ENOMEM;
    }
  }
  if (error == 0 && ferror(file)) error = EIO;
  free(line);
  fclose(file);
  return error;
}

int fork_mark_heap(void) {
  ranges found = {0};
  int error = find_unforked(&found);
  size_t marked = 0;
  for (; error == 0 && marked < found.count; marked++) {
    const range *one = &found.items[marked];
    if (madvise((void *)one->start, one->end - one->start, MADV_DOFORK) != 0) {
      error = errno;
      break;
    }
  }
  /* Undo on failure: a child with part of the heap would crash later, at a random access. */
  if (error != 0)
    while (marked-- > 0)
      madvise((void *)found.items[marked].start, found.items[marked].end - found.items[marked].start,
              MADV_DONTFORK);
  free(found.items);
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
