/*
 * Tells a worker that ran out of memory from one that crashed or prints what looks like it. Where V8 cannot allocate,
 * it calls a function for such errors. Where malloc() fails, V8 may end by a trap; other code does not check the result
 * and ends by SIGSEGV, or by an exception of C++ and SIGABRT.
 */
#include "../napi-util.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

/* Memory is exhausted if this much more cannot be mapped. */
#define PROBE_BYTES (4u << 20)

/* Functions of V8 and Node.js 20 to 26 in C++. They are weak symbols: another version may lack them. */
typedef void (*oom_handler)(const char *location, const void *details);
extern void *get_isolate(void) __asm__("_ZN2v87Isolate10GetCurrentEv") __attribute__((weak));
extern void set_oom_handler(void *isolate, oom_handler handler)
    __asm__("_ZN2v87Isolate18SetOOMErrorHandlerEPFvPKcRKNS_10OOMDetailsEE") __attribute__((weak));
extern void node_oom_handler(const char *location, const void *details)
    __asm__("_ZN4node15OOMErrorHandlerEPKcRKN2v810OOMDetailsE") __attribute__((weak));

/* The word in shared memory that says so to the pool. */
static _Atomic int32_t *word;
static const int SIGNALS[] = {SIGSEGV, SIGABRT, SIGTRAP, SIGILL};
#define SIGNAL_COUNT (sizeof SIGNALS / sizeof *SIGNALS)
static struct sigaction before[SIGNAL_COUNT];

static void on_out_of_memory(const char *location, const void *details) {
  *word = 1;
  node_oom_handler(location, details);
}

/* Calls only functions that are safe in a signal handler (signal-safety(7)). */
static void on_signal(int number, siginfo_t *info, void *context) {
  const int error = errno;
  void *probe = mmap(NULL, PROBE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe != MAP_FAILED) munmap(probe, PROBE_BYTES);
  else *word = 1;
  errno = error;
  /* The instruction runs again, and V8's handler for WebAssembly, or the system, gets the signal. */
  for (size_t i = 0; i < SIGNAL_COUNT; i++)
    if (SIGNALS[i] == number) sigaction(number, &before[i], NULL);
  /* It was sent by kill(2) or abort(3), or the instruction does not run again. */
  if (info->si_code <= 0 || number == SIGTRAP) raise(number);
}

/* reportExhaustedMemory(words, index): the word becomes 1 when this process is about to end for want of memory */
static napi_value report_exhausted_memory(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  if (!pitv_arguments(env, info, 2, arguments)) return NULL;
  void *found = pitv_word(env, arguments[0], arguments[1]);
  if (found == NULL) return NULL;
  word = found;
  if (get_isolate && set_oom_handler && node_oom_handler) set_oom_handler(get_isolate(), on_out_of_memory);
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < SIGNAL_COUNT; i++)
    if (sigaction(SIGNALS[i], &action, &before[i]) != 0)
      return pitv_throw_errno(env, "sigaction", errno, "Could not handle a signal of a crash");
  return NULL;
}

PITV_FUNCTIONS(pool_fault, {"reportExhaustedMemory", report_exhausted_memory});
