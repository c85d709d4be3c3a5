/*
 * Pages of files that only the start of a program needed: code, constants, Unicode's data. A page fault
 * maps the 64 KiB around it that are in memory, and nothing is unmapped again until memory is short.
 * Then it counts as the program's, and what it executes the kernel takes last of all. Unmapped, such
 * pages are still in the page cache, and are the first to go; what is used comes back at the next fault.
 */
#include "napi-util.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct mapping {
  uintptr_t start, end;
  size_t bytes; /* in memory */
} mapping;

/*
 * Mappings of files of which no page was written to: what was is this process's own, and would be lost.
 * False when they can't be known: an emulator of user programs may show its own mappings instead, which
 * have nothing to do with this program's addresses, and then this very code is not among them.
 */
static bool find_files(mapping **found, size_t *count) {
  FILE *file = fopen("/proc/self/smaps", "re");
  if (file == NULL) return false;
  uintptr_t here = (uintptr_t)&find_files;
  char *line = NULL;
  size_t room = 0, most = 0;
  unsigned long long from, to, start = 0, end = 0, rss = 0, own = 0;
  bool wanted = false, ours = false, full = false; /* full: no memory for more */
  while (!full && getline(&line, &room, file) >= 0) {
    char mode[5];
    int path = 0;
    if (sscanf(line, "%llx-%llx %4s %*s %*s %*s %n", &from, &to, mode, &path) >= 3) {
      start = from;
      end = to;
      wanted = path > 0 && line[path] == '/' && mode[1] != 'w' && end <= UINTPTR_MAX;
      if (from <= here && here < to) ours = wanted && mode[2] == 'x';
      rss = own = 0;
    } else if (sscanf(line, "Rss: %llu", &rss) == 1 || sscanf(line, "Anonymous: %llu", &own) == 1) {
      continue;
    } else if (strncmp(line, "VmFlags:", 8) == 0 && wanted && rss > 0 && own == 0) {
      if (*count == most) {
        mapping *more = realloc(*found, (most = 2 * most + 64) * sizeof **found);
        full = more == NULL;
        if (!full) *found = more;
      }
      if (!full)
        (*found)[(*count)++] = (mapping){(uintptr_t)start, (uintptr_t)end, (size_t)rss * 1024};
    }
  }
  free(line);
  fclose(file);
  return ours;
}

/* releaseFiles() -> bytes that were mapped and are no longer; 0 where nobody tells what is mapped */
static napi_value release_files(napi_env env, napi_callback_info info) {
  (void)info;
  mapping *found = NULL;
  size_t count = 0, bytes = 0;
  bool known = find_files(&found, &count);
  for (size_t i = 0; known && i < count; i++) {
    size_t length = found[i].end - found[i].start;
    if (madvise((void *)found[i].start, length, MADV_DONTNEED) == 0) bytes += found[i].bytes;
  }
  free(found);
  napi_value result = NULL;
  napi_create_double(env, (double)bytes, &result);
  return result;
}

bool pitv_files_init(napi_env env, napi_value exports) {
  return pitv_export(env, exports, "releaseFiles", release_files);
}
