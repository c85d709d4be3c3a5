/*
 * The list of this process's mappings of shared memory. A mapping is unmapped when JavaScript has released it and no
 * native code holds it. All functions may be called on any thread.
 */
#ifndef PITV_MAPPINGS_H
#define PITV_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct pitv_mapping {
  void *address;
  size_t bytes;
  bool arena;     /* only parts of it are ArrayBuffers */
  unsigned holds; /* by native code */
  bool released;  /* JavaScript does not use it any more */
  bool finalized; /* its ArrayBuffer has been collected */
  struct pitv_mapping *next;
} pitv_mapping;

void pitv_mapping_add(pitv_mapping *added);
/*
 * Removes the mapping that is `wanted`, or whose ArrayBuffer starts at `address`, from the list. Returns NULL when it is
 * not in the list. The caller then has to release it, or to add it again.
 */
pitv_mapping *pitv_mapping_remove(const pitv_mapping *wanted, const void *address);
/* Reads a mapping if it is in the list. */
bool pitv_mapping_read(const void *wanted, void **address, size_t *bytes);
/*
 * Unmaps a mapping that JavaScript does not use any more. If native code holds it, the last pitv_memory_release() does.
 */
void pitv_mapping_release(pitv_mapping *released);
/* Frees a mapping whose ArrayBuffer has been collected, after the last hold. */
void pitv_mapping_finalize(pitv_mapping *finalized);
/* Keeps a mapping from being unmapped and freed. */
void pitv_mapping_hold(pitv_mapping *held);

/*
 * Replaces the memory of every mapping by private zeros, which can only be read, so that children of this process do
 * not share it. Returns 0 or an errno.
 */
int pitv_mappings_unshare(void);

/*
 * Returns the mapping of createMemory() or mapMemory() that contains `address`, or NULL. It stays mapped until it is
 * released, even if JavaScript unmaps it.
 */
pitv_mapping *pitv_memory_hold(const void *address);
void pitv_memory_release(pitv_mapping *held);

#endif
