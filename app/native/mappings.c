/* The list of mappings, of all environments of this process (main thread and worker threads). */
#include "mappings.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

static pitv_mapping *mappings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void pitv_mapping_add(pitv_mapping *added) {
  pthread_mutex_lock(&lock);
  added->next = mappings;
  mappings = added;
  pthread_mutex_unlock(&lock);
}

pitv_mapping *pitv_mapping_remove(const pitv_mapping *wanted, const void *address) {
  pitv_mapping *found = NULL;
  pthread_mutex_lock(&lock);
  for (pitv_mapping **at = &mappings; *at != NULL; at = &(*at)->next) {
    if (*at == wanted || (address != NULL && !(*at)->arena && (*at)->address == address)) {
      found = *at;
      *at = found->next;
      break;
    }
  }
  pthread_mutex_unlock(&lock);
  return found;
}

bool pitv_mapping_read(const void *wanted, void **address, size_t *bytes) {
  pthread_mutex_lock(&lock);
  const pitv_mapping *found = mappings;
  while (found != NULL && found != wanted) found = found->next;
  if (found != NULL) {
    *address = found->address;
    *bytes = found->bytes;
  }
  pthread_mutex_unlock(&lock);
  return found != NULL;
}

void pitv_mapping_release(pitv_mapping *released) {
  pthread_mutex_lock(&lock);
  released->released = true;
  const bool held = released->holds > 0;
  pthread_mutex_unlock(&lock);
  if (!held) munmap(released->address, released->bytes);
}

void pitv_mapping_finalize(pitv_mapping *finalized) {
  pthread_mutex_lock(&lock);
  finalized->finalized = true;
  const bool held = finalized->holds > 0;
  pthread_mutex_unlock(&lock);
  if (!held) free(finalized);
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

void pitv_mapping_hold(pitv_mapping *held) {
  pthread_mutex_lock(&lock);
  held->holds++;
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
  const bool unmap = last && held->released, finalized = last && held->finalized;
  const pitv_mapping copy = *held; /* after the unlock, pitv_mapping_finalize() may free it */
  pthread_mutex_unlock(&lock);
  if (unmap) munmap(copy.address, copy.bytes);
  if (finalized) free(held);
}
