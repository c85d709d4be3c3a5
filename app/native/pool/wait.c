/*
 * Waiting for a word in shared memory (futex(2)), and events between processes (eventfd(2)). A worker of a pool blocks
 * until its word changes; the event loop of the other side is woken by an event (watch.c).
 */
#include "../napi-util.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_futex
#define SYS_futex SYS_futex_time64 /* 32-bit architectures without the older call */
#endif
#define MAX_SPIN_MICROS 1000
/* Reads of the word between two readings of the clock. */
#define READS_PER_CLOCK 32

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || (defined(__arm__) && __ARM_ARCH >= 7)
  __asm__ volatile("yield" ::: "memory");
#endif
}

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* waitWhile(words, index, value, spinMicros): reads the word for spinMicros before it sleeps */
static napi_value wait_while(napi_env env, napi_callback_info info) {
  napi_value arguments[4];
  int32_t value;
  int64_t micros;
  if (!pitv_arguments(env, info, 4, arguments)) return NULL;
  _Atomic int32_t *word = pitv_word(env, arguments[0], arguments[1]);
  if (word == NULL || !pitv_number(env, arguments[3], "spinMicros", MAX_SPIN_MICROS, &micros)) return NULL;
  if (napi_get_value_int32(env, arguments[2], &value) != napi_ok)
    return pitv_throw_argument(env, "value must be a whole number.");
  if (micros > 0) {
    const int64_t end = now_ns() + micros * 1000;
    do {
      for (int i = 0; i < READS_PER_CLOCK; i++) {
        if (atomic_load_explicit(word, memory_order_acquire) != value) return NULL;
        relax();
      }
    } while (now_ns() < end);
  }
  /* EAGAIN: the word has changed already. EINTR: a signal. */
  if (syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0) != 0 && errno != EAGAIN && errno != EINTR)
    return pitv_throw_errno(env, "futex", errno, "Could not wait for a task");
  return NULL;
}

/* wakeWord(words, index): wakes the thread that blocks in waitWhile(), in any process */
static napi_value wake_word(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  if (!pitv_arguments(env, info, 2, arguments)) return NULL;
  _Atomic int32_t *word = pitv_word(env, arguments[0], arguments[1]);
  if (word != NULL) syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
  return NULL;
}

/* createEvent() -> fd */
static napi_value create_event(napi_env env, napi_callback_info info) {
  (void)info;
  napi_value result;
  int file = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (file < 0) return pitv_throw_errno(env, "eventfd", errno, "Could not create an event");
  if (napi_create_int32(env, file, &result) == napi_ok) return result;
  close(file);
  return pitv_throw_napi(env, "Could not return the event");
}

/* signalEvent(fd): wakes the event loop that watches the event. It is no error if nobody does any more. */
static napi_value signal_event(napi_env env, napi_callback_info info) {
  int64_t file;
  const uint64_t one = 1;
  if (!pitv_number_argument(env, info, "fd", INT32_MAX, &file)) return NULL;
  if (write((int)file, &one, sizeof one) < 0 && errno != EAGAIN)
    return pitv_throw_errno(env, "write", errno, "Could not signal an event");
  return NULL;
}

PITV_FUNCTIONS(pool_wait, {"waitWhile", wait_while}, {"wakeWord", wake_word}, {"createEvent", create_event},
               {"signalEvent", signal_event});
