/* Declarations that the zygote's files share. engine/zygote/README.md describes how it works. */
#ifndef PITV_ZYGOTE_H
#define PITV_ZYGOTE_H

#include "../napi-util.h"

#include <stddef.h>
#include <sys/types.h>

/* One descriptor for the channel, three for stdio, the rest for the caller. */
#define FORK_MAX_DESCRIPTORS 16
#define FORK_NAME_BYTES 16 /* TASK_COMM_LEN, prctl(2) PR_SET_NAME */
#define FORK_STDIO 3

enum fork_reply_kind { FORK_REPLY_FORKED = 1, FORK_REPLY_FAILED = 2, FORK_REPLY_EXITED = 3 };

/* Main process -> zygote, with the child's end of its channel (SCM_RIGHTS). engine/zygote/records.js has this layout. */
typedef struct fork_order {
  uint32_t id;
  uint32_t ahead; /* there is no request yet */
} fork_order;

/* Main process -> child, on its channel, with descriptors. A message follows (engine/zygote/channel.js). */
typedef struct fork_request {
  uint32_t id;
  int32_t niceness;     /* setpriority(2); FORK_UNCHANGED: not set */
  uint32_t stdio;       /* bit n: it includes a descriptor for the child's descriptor n */
  uint32_t descriptors; /* number of descriptors sent with it: stdio, then others */
  uint64_t cpus;        /* bit n: may run on CPU n; 0: not set */
  uint64_t data;        /* limit of private writable memory on top of the zygote's, bytes; 0: none */
  char name[FORK_NAME_BYTES];
} fork_request;

#define FORK_UNCHANGED INT32_MIN

/* Zygote -> main process. */
typedef struct fork_reply {
  uint32_t kind;
  uint32_t id; /* FORKED, FAILED: of the order */
  int32_t pid;
  int32_t value;  /* FAILED: errno; EXITED: exit status, or the negative signal number */
  uint32_t millis; /* EXITED: CPU time */
  uint32_t peak;   /* EXITED: peak resident memory, KiB */
} fork_reply;

/* A request as its child sees it. */
typedef struct child_request {
  fork_request request;
  int descriptors[FORK_MAX_DESCRIPTORS]; /* the channel first */
  size_t count;
} child_request;

/*
 * The words in which serve() and awaitRequest() return what a child gets. engine/zygote/inside/entry.js has the same
 * layout. Objects would take a child a tenth of its start: V8's code that makes them is in many pages.
 */
enum {
  GRANTED_AHEAD,                     /* 1: forked ahead, so there is no request yet */
  GRANTED_ID,                        /* of the request */
  GRANTED_BYTES,                     /* length of the message on the channel, without the length itself */
  GRANTED_FAILED,                    /* number of calls that failed, see failedCalls() */
  GRANTED_SEED,                      /* four random words */
  GRANTED_COUNT = GRANTED_SEED + 4,  /* number of descriptors */
  GRANTED_DESCRIPTORS,               /* the channel first */
  GRANTED_WORDS = GRANTED_DESCRIPTORS + FORK_MAX_DESCRIPTORS,
};

/* fork.c. In a child: whether its zygote is its parent, which it is no longer when the zygote has ended. */
bool fork_zygote_lives(void);

/*
 * descriptors.c. Reads the JavaScript array of the descriptors that children keep; false when an exception is pending.
 */
bool fork_read_kept(napi_env env, napi_value list);
/* Lists the zygote's descriptors, which its children must not have; returns 0 or an errno. */
int fork_list_descriptors(void);
/* Replaces them, in a child, by a placeholder, except those that it keeps and its channel. Returns 0 or an errno. */
int fork_replace_descriptors(int channel);
/* Closes the placeholders, when the platform's threads do not need them any more. */
void fork_close_placeholders(void);

/* child.c. Gives the child descriptors and an event loop of its own. */
void fork_init_child(napi_env env, int channel);
/* Sets up what the request asks for; `zygote_data` is fork_data_bytes() of the zygote. */
void fork_apply_request(napi_env env, child_request *one, uint64_t zygote_data);
/* Writes what the child gets into GRANTED_WORDS words, except GRANTED_AHEAD and GRANTED_BYTES. */
void fork_write_granted(const child_request *one, int32_t *words);

/*
 * forkable.c. Removes the MADV_DONTFORK marks of all mappings; returns 0 or an errno, after which this process must not
 * fork: a child with part of the heap would crash at a random access.
 */
int fork_mark_heap(void);
/* Returns the private writable memory of this process, bytes; 0 when it is unknown. */
uint64_t fork_data_bytes(void);
/* Waits until every other thread of this process sleeps; returns 0, EBUSY or another errno. 0: checks once. */
int fork_await_quiet(int milliseconds);
/* Closes the files that it keeps open, in a child. */
void fork_forget_threads(void);

/* revive.c. Finds the other threads that a child can restart. Call it while they sleep. */
void fork_find_threads(void);

/* loop.c. Gives the child an event loop of its own; returns 0 or a positive errno. */
int fork_loop_child(napi_env env);
/* Updates the loop's time after its process has been blocked. Otherwise timers would be due at once. */
void fork_loop_now(napi_env env);

/* wire.c. Reads so many bytes, and appends the descriptors that come with them; false when the other side is gone. */
bool fork_receive(int socket, void *bytes, size_t length, int *descriptors, size_t *count);
/* Writes one whole reply; returns false when the other side is gone. */
bool fork_reply_send(int control, const fork_reply *reply);

#endif
