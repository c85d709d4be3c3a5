/* Keeps shared memory mapped while native threads use it. */
#ifndef PITV_MEMORY_H
#define PITV_MEMORY_H

typedef struct pitv_mapping pitv_mapping;
/*
 * Returns the mapping of createMemory() or mapMemory() that contains `address`, or NULL. It stays mapped until it is
 * released, even if JavaScript unmaps it. Both functions may be called on any thread.
 */
pitv_mapping *pitv_memory_hold(const void *address);
void pitv_memory_release(pitv_mapping *held);

#endif
