/* Shared memory that native threads may use. */
#ifndef PITV_MEMORY_H
#define PITV_MEMORY_H

/*
 * Shared memory of createMemory() or mapMemory() that `address` lies in, or NULL. It stays mapped until
 * it is released, whatever JavaScript does with it; both from any thread.
 */
typedef struct pitv_mapping pitv_mapping;
pitv_mapping *pitv_memory_hold(const void *address);
void pitv_memory_release(pitv_mapping *one);

#endif
