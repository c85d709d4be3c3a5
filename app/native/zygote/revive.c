/*
 * Restarts the threads of Node.js's platform after fork(). V8 passes work to them (compiling WebAssembly, some garbage
 * collection). The child has none of them, so waiting for that work would never end (NodePlatform::DrainTasks, when a
 * worker_thread ends). So the child starts them again, with the function and the argument that Node.js used
 * (src/node_platform.cc, the same in Node.js 20 to 26):
 *
 *   PlatformWorkerThread(PlatformWorkerData{TaskQueue *, Mutex *, ConditionVariable *, int *, ...})
 *     The last three pointed to the stack of a function that returned long ago, so they get new targets. The queue
 *     starts with its Mutex and the ConditionVariable that the thread waits on.
 *   DelayedTaskScheduler::Run()
 *     It sets up everything that it needs, so it can run again. Until its event loop waits, uv_async_send() to it
 *     finds no descriptor and aborts the process, as in NodePlatform::CallDelayedOnWorkerThread(). Node.js waits for
 *     it at its start, and so does the child.
 *
 * The zygote recognises the threads, and verifies these assumptions, by the system calls in which they sleep. If
 * anything is different, no thread is restarted, and children run without them.
 *
 * To learn the function and the argument of each thread, pthread_create() is intercepted from the start of the process:
 * the zygote is started with this addon as LD_PRELOAD.
 */
#include "../lock/lock.h"
#include "zygote.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS 64
#define STACK_BYTES (2u << 20)
#define POINTERS_ON_STACK 3
/* The scheduler is ready within 0.1 ms; on a busy machine, within a few time slices. */
#define POLL_NS 20000
#define MAX_POLLS 250000

typedef void *(*thread_start)(void *);
typedef int (*create_function)(pthread_t *, const pthread_attr_t *, thread_start, void *);

enum kind { KIND_OTHER, KIND_WORKER, KIND_SCHEDULER };

typedef struct thread {
  thread_start start;
  void *argument;
  _Atomic pid_t tid;
  enum kind kind;
} thread;

typedef struct worker_data {
  char *queue;
  void *on_stack[POINTERS_ON_STACK]; /* mutex, condition variable, counter */
  uintptr_t rest[2];                 /* its number, and a log level since Node.js 24 */
} worker_data;

static thread threads[MAX_THREADS];
static _Atomic size_t thread_count;
static atomic_bool watching = true;
static size_t revivable;

extern int uv_cond_init(pthread_cond_t *condition) __attribute__((weak));

static create_function real_create(void) {
  static create_function found;
  if (found == NULL) {
    void *symbol = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&found, &symbol, sizeof found); /* ISO C has no cast from an object pointer to a function pointer */
  }
  return found;
}

/* Runs in a new thread: records its id, then calls the function of Node.js. */
static void *run_thread(void *record) {
  thread *self = record;
  self->tid = (pid_t)syscall(SYS_gettid);
  return self->start(self->argument);
}

/* Replaces the function of the C library only where this addon is loaded by LD_PRELOAD. */
__attribute__((visibility("default"))) int pthread_create(pthread_t *id, const pthread_attr_t *how, thread_start start,
                                                          void *argument) {
  size_t index = watching ? thread_count++ : MAX_THREADS;
  if (index >= MAX_THREADS) return real_create()(id, how, start, argument);
  threads[index] = (thread){.start = start, .argument = argument};
  return real_create()(id, how, run_thread, &threads[index]);
}

/* Finds the main thread's stack in /proc/self/maps (proc(5)). */
static bool find_main_stack(uintptr_t *from, uintptr_t *to) {
  FILE *file = fopen("/proc/self/maps", "re");
  if (file == NULL) return false;
  char line[512];
  bool found = false;
  while (!found && fgets(line, sizeof line, file) != NULL)
    found = strstr(line, "[stack]") != NULL && sscanf(line, "%" SCNxPTR "-%" SCNxPTR, from, to) == 2;
  fclose(file);
  return found;
}

/* Reads the system call in which a thread sleeps, and its first argument (proc(5), /proc/PID/syscall). */
static bool read_syscall(pid_t tid, long *number, uintptr_t *first) {
  char path[64], text[128];
  const int tasks = lock_tasks();
  snprintf(path, sizeof path, "%s%d/syscall", tasks < 0 ? "/proc/self/task/" : "", (int)tid);
  int file = openat(tasks, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return false;
  text[length] = '\0';
  return sscanf(text, "%ld %" SCNxPTR, number, first) == 2;
}

static bool is_futex(long number) {
#ifdef SYS_futex_time64
  if (number == SYS_futex_time64) return true;
#endif
  return number == SYS_futex;
}

static bool is_epoll(long number) {
#ifdef SYS_epoll_wait
  if (number == SYS_epoll_wait) return true;
#endif
#ifdef SYS_epoll_pwait2
  if (number == SYS_epoll_pwait2) return true;
#endif
  return number == SYS_epoll_pwait;
}

/*
 * Copies the data that a thread's argument points to; false when it is not a valid pointer. The argument may be any
 * value, such as a small integer. Only the kernel can test such an address safely: write(2) to a pipe fails with
 * EFAULT. The data fits into the pipe.
 */
static bool copy_argument(const void *argument, worker_data *data) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  const ssize_t size = (ssize_t)sizeof *data;
  const bool copied = write(ends[1], argument, sizeof *data) == size && read(ends[0], data, sizeof *data) == size;
  close(ends[0]);
  close(ends[1]);
  return copied;
}

static enum kind kind_of(const thread *one, uintptr_t stack, uintptr_t stack_end) {
  long number;
  uintptr_t first;
  if (one->argument == NULL || one->tid == 0 || !read_syscall(one->tid, &number, &first)) return KIND_OTHER;
  if (is_epoll(number)) return KIND_SCHEDULER;
  worker_data data;
  if (!copy_argument(one->argument, &data)) return KIND_OTHER;
  for (int i = 0; i < POINTERS_ON_STACK; i++) {
    const uintptr_t at = (uintptr_t)data.on_stack[i];
    if (at < stack || at >= stack_end) return KIND_OTHER;
  }
  const uintptr_t condition = (uintptr_t)data.queue + sizeof(pthread_mutex_t);
  const bool waits = is_futex(number) && first >= condition && first < condition + sizeof(pthread_cond_t);
  return waits ? KIND_WORKER : KIND_OTHER;
}

/* Both kinds of threads must be there; otherwise none is restarted. */
void fork_find_threads(void) {
  uintptr_t stack, stack_end;
  size_t workers = 0, schedulers = 0;
  watching = false;
  revivable = 0;
  if (!uv_cond_init || !find_main_stack(&stack, &stack_end)) return;
  const size_t count = thread_count < MAX_THREADS ? thread_count : MAX_THREADS;
  for (size_t i = 0; i < count; i++) {
    threads[i].kind = kind_of(&threads[i], stack, stack_end);
    if (threads[i].kind == KIND_WORKER) workers++;
    if (threads[i].kind == KIND_SCHEDULER) schedulers++;
  }
  if (workers > 0 && schedulers == 1) revivable = workers + schedulers;
}

/* The new targets of the pointers in worker_data. */
static struct {
  pthread_mutex_t mutex;
  pthread_cond_t ready;
  int pending;
} platform = {.mutex = PTHREAD_MUTEX_INITIALIZER, .ready = PTHREAD_COND_INITIALIZER};

/* Runs in a restarted thread, see start_thread(). */
typedef struct start {
  thread_start function;
  void *argument;
} start;

static atomic_uint entered; /* restarted threads that are locked if they have to be */

static void *run_restarted(void *given) {
  const start call = *(start *)given;
  free(given);
  lock_enter_thread();
  entered++;
  return call.function(call.argument);
}

static int start_thread(thread_start function, void *argument) {
  pthread_t id;
  pthread_attr_t how;
  int error = pthread_attr_init(&how);
  if (error != 0) return error;
  pthread_attr_setstacksize(&how, STACK_BYTES);
  pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
  start *call = malloc(sizeof *call);
  if (call != NULL) *call = (start){function, argument};
  error = call == NULL ? ENOMEM : real_create()(&id, &how, run_restarted, call);
  if (error != 0) free(call);
  pthread_attr_destroy(&how);
  return error;
}

static int revive_thread(thread *one) {
  if (one->kind == KIND_SCHEDULER) {
    one->tid = 0;
    return start_thread(run_thread, one);
  }
  const worker_data *old = one->argument;
  worker_data *data = malloc(sizeof *data); /* the thread deletes it, which calls free() */
  if (data == NULL) return ENOMEM;
  *data = *old;
  data->on_stack[0] = &platform.mutex;
  data->on_stack[1] = &platform.ready;
  data->on_stack[2] = &platform.pending;
  return start_thread(one->start, data);
}

/* Waits until a restarted scheduler waits for events. */
static bool await_scheduler(const thread *one) {
  const struct timespec pause = {.tv_nsec = POLL_NS};
  long number;
  uintptr_t first;
  for (int polls = 0; polls < MAX_POLLS; polls++) {
    if (one->tid != 0 && read_syscall(one->tid, &number, &first) && is_epoll(number)) return true;
    nanosleep(&pause, NULL);
  }
  return false;
}

/* Waits until the restarted threads have locked themselves: the caller then closes the ruleset that they apply. */
static bool await_entered(uint32_t count) {
  const struct timespec pause = {.tv_nsec = POLL_NS};
  for (int polls = 0; entered < count && polls < MAX_POLLS; polls++) nanosleep(&pause, NULL);
  return entered >= count;
}

/* reviveThreads() -> number of restarted threads. Call it in a child, once. */
static napi_value revive_threads(napi_env env, napi_callback_info info) {
  uint32_t revived = 0;
  const size_t count = thread_count < MAX_THREADS ? thread_count : MAX_THREADS;
  for (size_t i = 0; revivable > 0 && i < count; i++) {
    if (threads[i].kind != KIND_WORKER) continue;
    const worker_data *data = threads[i].argument;
    platform.pending++;
    /* The condition variable still counts waiting threads that do not exist in the child. */
    uv_cond_init((pthread_cond_t *)(void *)(data->queue + sizeof(pthread_mutex_t)));
  }
  for (size_t i = 0; revivable > 0 && i < count; i++) {
    if (threads[i].kind == KIND_OTHER) continue;
    int error = revive_thread(&threads[i]);
    if (error != 0) return pitv_throw_errno(env, "pthread_create", error, "Could not start the platform's threads");
    revived++;
  }
  for (size_t i = 0; revivable > 0 && i < count; i++) {
    if (threads[i].kind == KIND_SCHEDULER && !await_scheduler(&threads[i]))
      return pitv_throw_errno(env, "epoll_wait", ETIMEDOUT, "The platform's scheduler did not start");
  }
  if (!await_entered(revived))
    return pitv_throw_errno(env, "pthread_create", ETIMEDOUT, "The platform's threads did not start");
  if (revivable > 0) fork_close_placeholders();
  revivable = 0;
  return pitv_make_number(env, revived);
}

PITV_FUNCTIONS(fork_revive, {"reviveThreads", revive_threads});
