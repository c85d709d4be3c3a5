/*
 * The list of this process's mappings of shared memory. A mapping is unmapped when nothing holds it any more. All
 * functions may be called on any thread.
 */
#ifndef PITV_MEMORY_H
#define PITV_MEMORY_H

#include <stddef.h>

typedef struct pitv_mapping {
  void *address;
  size_t bytes;
  unsigned holds; /* by an arena, by ArrayBuffers, and by native code */
  struct pitv_mapping *next;
} pitv_mapping;

/* Returns and holds the mapping that contains `address`; NULL if there is none. */
pitv_mapping *pitv_memory_hold(const void *address);
/* Ends a hold. The last one unmaps and frees the mapping. */
void pitv_memory_release(pitv_mapping *held);

/*
 * Replaces the memory of every mapping by private zeros, which can only be read, so that children of this process do
 * not share it. Returns 0 or an errno.
 */
int pitv_memory_unshare(void);

#endif
