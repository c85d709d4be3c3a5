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

/* Main process -> zygote, with descriptors (SCM_RIGHTS). engine/zygote/records.js has the same layout. */
typedef struct fork_request {
  uint32_t id;
  int32_t niceness;     /* setpriority(2); FORK_UNCHANGED: not set */
  uint32_t stdio;       /* bit n: it includes a descriptor for the child's descriptor n */
  uint32_t descriptors; /* number of descriptors sent with it: the channel, then stdio, then others */
  uint64_t cpus;        /* bit n: may run on CPU n; 0: not set */
  uint64_t data;        /* limit of private writable memory on top of the zygote's, bytes; 0: none */
  char name[FORK_NAME_BYTES];
} fork_request;

#define FORK_UNCHANGED INT32_MIN

/* Zygote -> main process. */
typedef struct fork_reply {
  uint32_t kind;
  uint32_t id;
  int32_t pid;
  int32_t value;  /* FAILED: errno; EXITED: exit status, or the negative signal number */
  uint32_t millis; /* EXITED: CPU time */
  uint32_t peak;   /* EXITED: peak resident memory, KiB */
} fork_reply;

/* A request as its child sees it. */
typedef struct child_request {
  fork_request request;
  int descriptors[FORK_MAX_DESCRIPTORS];
  size_t count;
} child_request;

/*
 * The words in which serve() and awaitRequest() return what a child gets. engine/zygote/inside/entry.js has the same
 * layout. Objects would take a child a tenth of its start: V8's code that makes them is in many pages.
 */
enum {
  GRANTED_SPARE,                     /* 1: forked ahead, without a request */
  GRANTED_ID,                        /* of the request */
  GRANTED_BYTES,                     /* length of the message on the channel, without the length itself */
  GRANTED_FAILED,                    /* number of calls that failed, see failedCalls() */
  GRANTED_SEED,                      /* four random words */
  GRANTED_COUNT = GRANTED_SEED + 4,  /* number of descriptors */
  GRANTED_DESCRIPTORS,               /* the channel first */
  GRANTED_WORDS = GRANTED_DESCRIPTORS + FORK_MAX_DESCRIPTORS,
};

#define FORK_MAX_SPARES 8
#define NO_REQUEST 0 /* id of a spare child; ids of requests begin with 1 */

/* A child as the zygote sees it. */
typedef struct fork_child {
  pid_t pid;
  uint32_t id;
  struct fork_child *next;
} fork_child;

/* children.c. Starts watching for children that end; returns 0 or an errno. */
int fork_watch_children(void);
/* In a child: whether its zygote is its parent, which it is no longer when the zygote has ended. */
bool fork_zygote_lives(void);
/* Returns a descriptor that is readable when a child may have ended. */
int fork_children_fd(void);
/* Reports every child that has ended; false when the main process is gone. */
bool fork_reap_children(int control);
/* Forks a child. Returns 1 in the zygote, 0 in the child, or a negative errno. */
int fork_make_child(uint32_t id, fork_child **made);
/* Sets the number of spare children, up to FORK_MAX_SPARES; the first one is due at once. */
void fork_spare_enable(size_t wanted);
/* Returns the milliseconds until the next spare is due; -1 when none is. */
int fork_spare_timeout(void);
/* Delays the next spare, after a start. */
void fork_spare_postpone(void);
/* Returns the socket of this process to its zygote, in a spare; -1 in others. */
int fork_spare_socket(void);
/* Forks a spare; true in that child. */
bool fork_spare_make(void);
/* Gives the request to a spare and returns it; NULL when there is none or none can be reached. */
fork_child *fork_spare_use(const child_request *one);
/* Waits in the spare for its request; false when the request is incomplete. */
bool fork_spare_receive(child_request *one);

/*
 * descriptors.c. Reads the JavaScript array of the descriptors that children keep; false when an exception is pending.
 */
bool fork_read_kept(napi_env env, napi_value list);
/* Lists the zygote's descriptors, which its children must not have; returns 0 or an errno. */
int fork_list_descriptors(void);
/*
 * Replaces them, in a child, by a placeholder, except those that it keeps, those of its request, and `socket`. Returns
 * 0 or an errno.
 */
int fork_replace_descriptors(const child_request *one, int socket);
/* Closes the placeholders, when the platform's threads do not need them any more. */
void fork_close_placeholders(void);

/* child.c. Gives the child descriptors and an event loop of its own; `socket`: see fork_spare_socket(). */
void fork_init_child(napi_env env, child_request *one, int socket);
/* Sets up what the request asks for; `zygote_data` is fork_data_bytes() of the zygote. */
void fork_apply_request(napi_env env, child_request *one, uint64_t zygote_data);
/* Writes what the child gets into GRANTED_WORDS words, except GRANTED_BYTES; `spare`: it has no request yet. */
void fork_write_granted(const child_request *one, bool spare, int32_t *words);

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

/* wire.c. Reads one whole request; returns 1, 0 when the other side is gone, or -1 with errno set. */
int fork_receive(int control, fork_request *request, int *descriptors, size_t *count);
/* Writes all bytes with the descriptors, or nothing and returns -1 with errno set. Never waits. */
ssize_t fork_send(int socket, const void *bytes, size_t length, const int *descriptors, size_t count);
/* Reads so many bytes; returns false when the other side is gone. */
bool fork_read_all(int file, void *bytes, size_t length);
/* Writes one whole reply; returns false when the other side is gone. */
bool fork_reply_send(int control, const fork_reply *reply);

#endif
