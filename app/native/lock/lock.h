/* Declarations that the files of the lock share. README.md describes what a locked process may do. */
#ifndef PITV_LOCK_H
#define PITV_LOCK_H

#include "../napi-util.h"

#include <stddef.h>

/* The system call that failed and its errno; error is 0 when nothing failed. */
typedef struct lock_result {
  const char *call;
  int error;
} lock_result;

/* landlock.c. Returns the version of Landlock's interface; 0 when the kernel has none or it is disabled. */
int lock_landlock_version(void);
/*
 * Makes a ruleset that allows reading the files and folders of `paths` and nothing else. A path that does not exist is
 * left out. On success *ruleset is a descriptor.
 */
lock_result lock_make_ruleset(const char *const *paths, size_t count, int *ruleset);
/* Applies a ruleset to the calling thread and to threads and processes that it starts. */
lock_result lock_apply_ruleset(int ruleset);
/*
 * Applies the ruleset between beginLock() and lockFiles(), if there is one, to the calling thread. Threads that
 * restart in a forked child call it before anything else. Ends the process on failure.
 */
void lock_enter_thread(void);
/*
 * lock.c. Returns a descriptor of /proc/self/task between beginLock(), which takes /proc away, and lockFiles(); else
 * -1.
 */
int lock_tasks(void);

/*
 * isolation.c. Gives this process a user of its own if it is root's, and a view of the file system in which only
 * `paths` exist, where the kernel allows that.
 */
lock_result lock_isolate(const char *const *paths, size_t count);

/* privileges.c. Sets no_new_privs and gives up all capabilities, for the calling thread and those that it starts. */
lock_result lock_drop_privileges(void);
/* Limits files, processes, descriptors and locked memory of this process. */
lock_result lock_limit_resources(void);
/*
 * Limits this process's private writable memory to `bytes` more than it has mapped so far. `file` is
 * lock_status_file().
 */
lock_result lock_limit_memory(uint64_t bytes, int file);
/* Overwrites all variables of the environment and removes them. */
void lock_clear_environment(void);

/* preload.c. Returns a descriptor of /proc/self/status if this process was locked before main(); otherwise -1. */
int lock_status_file(void);

/* seccomp.c. Tells whether the kernel can filter system calls and the filter knows this architecture. */
bool lock_can_filter(void);
/* Filters the system calls of all threads of this process, irrevocably. */
lock_result lock_filter_calls(void);

#endif
