/* A library with a thread whose argument is a small integer; LD_PRELOADed by threads.test.js. */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

static void *sleep_for_ever(void *argument) {
  for (;;) pause();
  return argument;
}

__attribute__((constructor)) static void start(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, sleep_for_ever, (void *)(uintptr_t)1);
  pthread_detach(thread);
}
