/*
 * Tells a worker that ran out of memory from one that crashed. Where malloc() fails, V8 mostly reports it and aborts, but
 * some of its code, and code of others, does not check the result and ends by SIGSEGV.
 */
#include "../napi-util.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

/* Memory is exhausted if this much more cannot be mapped. */
#define PROBE_BYTES (4u << 20)

static const char MESSAGE[] = "pitv: the worker crashed because its memory was exhausted\n";
static struct sigaction before;

/* Calls only functions that are safe in a signal handler (signal-safety(7)). */
static void on_fault(int number, siginfo_t *info, void *context) {
  (void)context;
  const int error = errno;
  void *probe = mmap(NULL, PROBE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe != MAP_FAILED) munmap(probe, PROBE_BYTES);
  else if (write(STDERR_FILENO, MESSAGE, sizeof MESSAGE - 1) < 0) errno = error; /* nobody reads it */
  errno = error;
  /* The instruction runs again, and V8's handler for WebAssembly, or the system, gets the signal. */
  sigaction(number, &before, NULL);
  if (info->si_code <= 0) raise(number); /* it was sent by kill(2) */
}

/* reportExhaustedMemory(): says so on stderr when this process is about to end by SIGSEGV for want of memory */
static napi_value report_exhausted_memory(napi_env env, napi_callback_info info) {
  (void)info;
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGSEGV, &action, &before) != 0)
    return pitv_throw_errno(env, "sigaction", errno, "Could not handle SIGSEGV");
  return NULL;
}

PITV_FUNCTIONS(pool_fault, {"reportExhaustedMemory", report_exhausted_memory});
