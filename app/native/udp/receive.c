/* The thread that receives datagrams: one handles hundreds of thousands a second. */
#include "udp.h"

#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define MAX_BATCH 128
#define STACK_BYTES (128 * 1024)
/* A blocked receiver checks at this interval whether it must end. */
#define RECEIVE_TIMEOUT_US 500000
/*
 * Waking a thread costs more than processing a datagram. So if two batches follow each other within BUSY_INTERVAL_NS,
 * the receiver pauses for COALESCE_NS, and datagrams collect in the socket's buffer. Under load, a batch then has about
 * a hundred datagrams, and each waits for up to a quarter of a millisecond of a tick's 16.7. A single datagram is
 * processed at once.
 */
#define BUSY_INTERVAL_NS 500000
#define COALESCE_NS 250000
/* Junk gets at most a quarter of the time: the pause after a batch of junk is three times as long as the batch. */
#define JUNK_PAUSE_FACTOR 3
#define MAX_PAUSE_NS 5000000

#ifndef SO_MEMINFO
#define SO_MEMINFO 55
#endif
#define MEMINFO_DROPS 8 /* SK_MEMINFO_DROPS, linux/sock_diag.h */
#define MEMINFO_WORDS 9

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint32_t udp_now_ms(void) {
  return (uint32_t)(now_ns() / 1000000);
}

/* Sleeps for this time, at most MAX_PAUSE_NS. */
static void sleep_ns(int64_t nanoseconds) {
  if (nanoseconds > MAX_PAUSE_NS) nanoseconds = MAX_PAUSE_NS;
  const struct timespec time = {.tv_sec = 0, .tv_nsec = (long)nanoseconds};
  nanosleep(&time, NULL);
}

/* The buffers for recvmmsg(2). Each has one byte more than a datagram, which reveals longer ones. */
typedef struct batch {
  struct mmsghdr messages[MAX_BATCH];
  struct iovec vectors[MAX_BATCH];
  uint8_t bytes[MAX_BATCH][UDP_DATAGRAM_BYTES + 8];
} batch;

static void init_batch(batch *received) {
  memset(received, 0, sizeof *received);
  for (int i = 0; i < MAX_BATCH; i++) {
    received->vectors[i].iov_base = received->bytes[i];
    received->vectors[i].iov_len = UDP_DATAGRAM_BYTES + 1;
    received->messages[i].msg_hdr.msg_iov = &received->vectors[i];
    received->messages[i].msg_hdr.msg_iovlen = 1;
  }
}

/* Processes and counts the datagrams; returns how many were accepted. */
static int process_batch(udp *self, const batch *received, int count) {
  uint32_t counts[UDP_OUTCOMES] = {0};
  const uint32_t now = udp_now_ms();
  pthread_mutex_lock(&self->lock);
  for (int i = 0; i < count; i++)
    counts[udp_process(self, received->bytes[i], received->messages[i].msg_len, now)]++;
  pthread_mutex_unlock(&self->lock);
  for (int i = 0; i < UDP_OUTCOMES; i++)
    if (counts[i] > 0) atomic_fetch_add_explicit(&self->counts[i], counts[i], memory_order_relaxed);
  return (int)counts[UDP_ACCEPTED];
}

/* Receives datagrams until udp_close(). Runs in its own thread. */
static void *receive(void *argument) {
  udp *self = argument;
  batch received;
  int64_t last_done = 0;
  prctl(PR_SET_NAME, "pitv-udp");
  prctl(PR_SET_TIMERSLACK, 1000); /* ns; the default of 50 us is long for such pauses */
  init_batch(&received);
  while (!atomic_load(&self->ending)) {
    /* Blocks for the first datagram only. */
    const int count = recvmmsg(self->socket, received.messages, MAX_BATCH, MSG_WAITFORONE, NULL);
    if (count < 0) {
      /* Continues after an error, which a router may have reported. The pause avoids a busy loop. */
      if (errno != EINTR && errno != EAGAIN) sleep_ns(MAX_PAUSE_NS);
      continue;
    }
    if (atomic_load(&self->ending)) break; /* shutdown() returns as an empty datagram */
    const int64_t began = now_ns();
    const int accepted = process_batch(self, &received, count);
    const int64_t done = now_ns();
    /* Twice the time of the batch, because receiving a full batch takes the kernel about as long as processing it. */
    if (count == MAX_BATCH && accepted < MAX_BATCH / 2) sleep_ns((done - began) * 2 * JUNK_PAUSE_FACTOR);
    else if (count < MAX_BATCH && began - last_done < BUSY_INTERVAL_NS) sleep_ns(COALESCE_NS);
    last_done = done;
  }
  return NULL;
}

/* Opens the socket; returns 0 or an errno. */
static int open_socket(udp *self, const struct sockaddr_storage *address, socklen_t bytes, const char **call) {
  const struct timeval wait = {.tv_sec = 0, .tv_usec = RECEIVE_TIMEOUT_US};
  const int no = 0;
  *call = "socket";
  self->socket = socket(address->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (self->socket < 0) return errno;
  *call = "setsockopt";
  if (setsockopt(self->socket, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait) != 0 ||
      (address->ss_family == AF_INET6 && setsockopt(self->socket, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no) != 0))
    return errno;
  *call = "bind";
  return bind(self->socket, (const struct sockaddr *)address, bytes) == 0 ? 0 : errno;
}

static int start_thread(udp *self) {
  pthread_attr_t attributes;
  sigset_t all_signals, before;
  int error = pthread_attr_init(&attributes);
  if (error != 0) return error;
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  /* The new thread inherits the mask: signals are for the threads of Node.js. */
  sigfillset(&all_signals);
  pthread_sigmask(SIG_BLOCK, &all_signals, &before);
  error = pthread_create(&self->thread, &attributes, receive, self);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return error;
}

int udp_open(udp *self, const struct sockaddr_storage *address, socklen_t bytes, const char **call) {
  int error = open_socket(self, address, bytes, call);
  if (error == 0) {
    *call = "pthread_create";
    error = start_thread(self);
  }
  if (error != 0 && self->socket >= 0) close(self->socket);
  if (error != 0) self->socket = -1;
  return error;
}

void udp_close(udp *self) {
  if (self->socket < 0) return;
  atomic_store(&self->ending, true);
  shutdown(self->socket, SHUT_RD); /* fails with ENOTCONN, but wakes the blocked thread */
  pthread_join(self->thread, NULL);
  close(self->socket);
  self->socket = -1;
}

uint32_t udp_overflows(const udp *self) {
  uint32_t words[MEMINFO_WORDS] = {0};
  socklen_t bytes = sizeof words;
  if (self->socket < 0 || getsockopt(self->socket, SOL_SOCKET, SO_MEMINFO, words, &bytes) != 0 || bytes < sizeof words)
    return 0;
  return words[MEMINFO_DROPS];
}
