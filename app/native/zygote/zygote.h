/* What the zygote's files share. See ../zygote/README.md for how it works. */
#ifndef PITV_FORK_H
#define PITV_FORK_H

#include "../napi-util.h"

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

/* One descriptor for the conversation, three for stdio, the rest as the caller likes. */
#define FORK_MOST_DESCRIPTORS 16
#define FORK_NAME_BYTES 16 /* TASK_COMM_LEN, prctl(2) PR_SET_NAME */
#define FORK_STDIO 3

enum fork_request_kind { FORK_REQUEST_FORK = 1, FORK_REQUEST_CALL = 2 };
enum fork_reply_kind { FORK_REPLY_FORKED = 1, FORK_REPLY_FAILED = 2, FORK_REPLY_EXITED = 3 };

/* Main process -> zygote, its descriptors beside it. The layout is ../zygote/records.js's too. */
typedef struct fork_request {
  uint32_t kind;
  uint32_t id;
  int32_t niceness;  /* setpriority(2); FORK_UNCHANGED leaves it */
  uint32_t stdio;    /* bit n: a descriptor for the child's descriptor n comes with it */
  uint64_t cpus;     /* bit n: may run on CPU n; 0 leaves it */
  uint64_t data;     /* bytes of private writable memory on top of the zygote's; 0: no bound */
  char name[FORK_NAME_BYTES];
  uint32_t descriptors; /* how many come with it, the conversation first, then stdio, then others */
  uint32_t reserved;
} fork_request;

#define FORK_UNCHANGED INT32_MIN

/* Zygote -> main process. */
typedef struct fork_reply {
  uint32_t kind;
  uint32_t id;
  int32_t pid;
  int32_t value;  /* FAILED: errno; EXITED: exit status, or the negative signal number */
  uint32_t micros; /* FORKED: how long fork() took; EXITED: CPU time, ms */
  uint32_t peak;   /* EXITED: most resident memory, KiB */
} fork_reply;

/* What the child could not do for itself before it was handed to JavaScript. */
typedef struct fork_failure {
  const char *call;
  int error;
} fork_failure;

#define FORK_MOST_FAILURES 8

/* A request that was granted, as its child has it. */
typedef struct fork_newborn {
  fork_request request;
  int descriptors[FORK_MOST_DESCRIPTORS];
  size_t count;
  fork_failure failures[FORK_MOST_FAILURES];
  size_t failed;
} fork_newborn;

/* child.c. What every child does first; `on_child`: what it shall do about SIGCHLD. */
void fork_settle(napi_env env, fork_newborn *one, const struct sigaction *on_child);
/* What the request asks for; `zygote_data`: fork_data_bytes() of the zygote. */
void fork_take_request(napi_env env, fork_newborn *one, uint64_t zygote_data);
/* What serve() and awaitRequest() return; `state`: who has it. */
enum fork_state { FORK_ZYGOTE, FORK_SPARE, FORK_CHILD };
napi_value fork_hand_over(napi_env env, fork_newborn *one, enum fork_state state);

/* heap.c. Makes every mapping that is marked MADV_DONTFORK come along; 0 or an errno. */
int fork_mark_heap(size_t *mappings, size_t *bytes);
/* Private writable memory of this process, bytes; 0 when it can't be told. */
uint64_t fork_data_bytes(void);

/*
 * threads.c. Waits until every other thread of this process sleeps; 0, EBUSY or another errno.
 * With 0 milliseconds it takes one look.
 */
int fork_await_quiet(int milliseconds);

/* revive.c. To be called while the other threads sleep: how many of them a child can start anew. */
size_t fork_find_threads(void);

/* loop.c. Gives the child an event loop of its own; 0 or a positive errno. */
int fork_loop_child(napi_env env);
/* To be called after the loop's process has stood still: a timer would be due at once otherwise. */
void fork_loop_now(napi_env env);

/* wire.c. Reads one whole request; 1: got it, 0: the other side is gone, -1: see errno. */
int fork_receive(int control, fork_request *request, int *descriptors, size_t *count);
/* Writes it all, descriptors beside it, or nothing; -1: see errno. Never waits. */
ssize_t fork_send(int socket, const void *bytes, size_t length, const int *descriptors,
                  size_t count);
/* Writes one whole reply; false when the other side is gone. */
bool fork_reply_send(int control, const fork_reply *reply);

bool pitv_fork_heap_init(napi_env env, napi_value exports);
bool pitv_fork_loop_init(napi_env env, napi_value exports);
bool pitv_fork_malloc_init(napi_env env, napi_value exports);
bool pitv_fork_revive_init(napi_env env, napi_value exports);
bool pitv_fork_wire_init(napi_env env, napi_value exports);

#endif
