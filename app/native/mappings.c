/* The list of mappings, of all environments of this process (main thread and worker threads). */
#include "mappings.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

static pitv_mapping *mappings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

pitv_mapping *pitv_mapping_add(void *address, size_t bytes) {
  pitv_mapping *added = malloc(sizeof *added);
  if (added == NULL) return NULL;
  pthread_mutex_lock(&lock);
  *added = (pitv_mapping){address, bytes, 1, mappings};
  mappings = added;
  pthread_mutex_unlock(&lock);
  return added;
}

void pitv_mapping_hold(pitv_mapping *mapping) {
  pthread_mutex_lock(&lock);
  mapping->holds++;
  pthread_mutex_unlock(&lock);
}

pitv_mapping *pitv_memory_hold(const void *address) {
  pthread_mutex_lock(&lock);
  pitv_mapping *found = mappings;
  while (found != NULL && (uintptr_t)address - (uintptr_t)found->address >= found->bytes) found = found->next;
  if (found != NULL) found->holds++;
  pthread_mutex_unlock(&lock);
  return found;
}

void pitv_memory_release(pitv_mapping *held) {
  pthread_mutex_lock(&lock);
  const bool last = --held->holds == 0;
  for (pitv_mapping **at = &mappings; last && *at != NULL; at = &(*at)->next) {
    if (*at != held) continue;
    *at = held->next;
    break;
  }
  pthread_mutex_unlock(&lock);
  if (!last) return;
  munmap(held->address, held->bytes);
  free(held);
}

int pitv_mappings_unshare(void) {
  int error = 0;
  pthread_mutex_lock(&lock);
  for (const pitv_mapping *at = mappings; error == 0 && at != NULL; at = at->next)
    if (mmap(at->address, at->bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
      error = errno;
  pthread_mutex_unlock(&lock);
  return error;
}
