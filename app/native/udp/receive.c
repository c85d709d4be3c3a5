/*
 * The threads that receive datagrams. Each has a socket of its own on the same port (SO_REUSEPORT,
 * socket(7)), so they share no lock in the kernel; the kernel spreads senders over them by a hash of
 * address and port, so what one pad sends comes to one of them, in order.
 */
#include "udp.h"

#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define BATCH 128
#define STACK_BYTES (128 * 1024)
/* A blocked receiver looks this often whether it shall end, should nothing else have woken it. */
#define WAIT_US 500000
/*
 * To be woken costs more than to take a datagram in. So where wake-ups follow each other closer than
 * this, there is a pause in which datagrams gather: under load a batch has a hundred of them, for a quarter
 * of a millisecond of a tick's 16.7. What comes alone is taken at once.
 */
#define CLOSE_NS 500000
#define GATHER_NS 250000
/* Junk gets one part in four of a receiver's time: after a batch full of it, a pause of three times as long. */
#define PAUSE_TIMES 3
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

static void pause_for(int64_t nanoseconds) {
  if (nanoseconds > MAX_PAUSE_NS) nanoseconds = MAX_PAUSE_NS;
  const struct timespec time = {.tv_sec = 0, .tv_nsec = (long)nanoseconds};
  nanosleep(&time, NULL);
}

/* What a batch of recvmmsg(2) is received into. A byte more than a datagram has shows those that are too long. */
typedef struct batch {
  struct mmsghdr messages[BATCH];
  struct iovec vectors[BATCH];
  uint8_t bytes[BATCH][UDP_BYTES + 8];
} batch;

static void prepare(batch *one) {
  memset(one, 0, sizeof *one);
  for (int i = 0; i < BATCH; i++) {
    one->vectors[i].iov_base = one->bytes[i];
    one->vectors[i].iov_len = UDP_BYTES + 1;
    one->messages[i].msg_hdr.msg_iov = &one->vectors[i];
    one->messages[i].msg_hdr.msg_iovlen = 1;
  }
}

/* How many of the batch were accepted. */
static int take_batch(udp_receiver *receiver, const batch *one, int count) {
  uint32_t counts[UDP_OUTCOMES] = {0};
  const uint32_t now = udp_now_ms();
  udp_batch_begin(receiver);
  for (int i = 0; i < count; i++)
    counts[udp_take(receiver->udp, one->bytes[i], one->messages[i].msg_len, now)]++;
  udp_batch_end(receiver);
  for (int i = 0; i < UDP_OUTCOMES; i++)
    if (counts[i] > 0) atomic_fetch_add_explicit(&receiver->counts[i], counts[i], memory_order_relaxed);
  return (int)counts[UDP_ACCEPTED];
}

static void *receive(void *argument) {
  udp_receiver *receiver = argument;
  udp *all = receiver->udp;
  batch one;
  char name[32]; /* the kernel keeps 15 */
  int64_t before = 0; /* when the last batch was done */
  snprintf(name, sizeof name, "pitv-udp-%d", (int)(receiver - all->receivers));
  prctl(PR_SET_NAME, name);
  prctl(PR_SET_TIMERSLACK, 1000); /* ns; pauses are short */
  prepare(&one);
  while (!atomic_load(&all->ending)) {
    /* Waits for the first, and takes what else is there. */
    const int count = recvmmsg(receiver->socket, one.messages, BATCH, MSG_WAITFORONE, NULL);
    if (count < 0) {
      /* An error that some router reported for an address is no reason to stop; nor to spin. */
      if (errno != EINTR && errno != EAGAIN) pause_for(MAX_PAUSE_NS);
      continue;
    }
    if (atomic_load(&all->ending)) break; /* shutdown() looks like an empty datagram */
    const int64_t began = now_ns();
    const int accepted = take_batch(receiver, &one, count);
    const int64_t done = now_ns();
    /* A whole batch was waiting: what the kernel took for it is about as long again. */
    if (count == BATCH && accepted < BATCH / 2) pause_for((done - began) * 2 * PAUSE_TIMES);
    else if (count < BATCH && began - before < CLOSE_NS) pause_for(GATHER_NS);
    before = done;
  }
  return NULL;
}

/* The CPUs this process may use, one after the other. */
static int cpu_for(int receiver, const cpu_set_t *allowed) {
  int wanted = receiver % CPU_COUNT(allowed);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, allowed) && wanted-- == 0) return cpu;
  return -1;
}

static int set(int file, int level, int option, int value) {
  return setsockopt(file, level, option, &value, sizeof value);
}

/* The socket of one receiver. 0 or errno. */
static int open_socket(udp *all, int index, const udp_options *options, const char **call) {
  udp_receiver *receiver = &all->receivers[index];
  const int family = options->address.ss_family;
  const struct timeval wait = {.tv_sec = 0, .tv_usec = WAIT_US};
  *call = "socket";
  receiver->socket = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (receiver->socket < 0) return errno;
  if (setsockopt(receiver->socket, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait) != 0 ||
      (family == AF_INET6 && set(receiver->socket, IPPROTO_IPV6, IPV6_V6ONLY, 0) != 0) ||
      (options->buffer_bytes > 0 &&
       set(receiver->socket, SOL_SOCKET, SO_RCVBUF, options->buffer_bytes) != 0)) {
    *call = "setsockopt";
    return errno;
  }
  /*
   * The first binds without the option: then a port that another program has is refused, even if that
   * program would share it. The others join it.
   */
  *call = "setsockopt SO_REUSEPORT";
  if (index > 0 && set(receiver->socket, SOL_SOCKET, SO_REUSEPORT, 1) != 0) return errno;
  *call = "bind";
  struct sockaddr_storage address = options->address;
  socklen_t bytes = options->address_bytes;
  if (index > 0 && getsockname(all->receivers[0].socket, (struct sockaddr *)&address, &bytes) != 0)
    return errno;
  if (bind(receiver->socket, (struct sockaddr *)&address, bytes) != 0) return errno;
  *call = "setsockopt SO_REUSEPORT";
  if (index == 0 && options->receivers > 1 &&
      set(receiver->socket, SOL_SOCKET, SO_REUSEPORT, 1) != 0)
    return errno;
  return 0;
}

static int start_thread(udp_receiver *receiver) {
  pthread_attr_t attributes;
  sigset_t all_signals, before;
  int error = pthread_attr_init(&attributes);
  if (error != 0) return error;
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  cpu_set_t only;
  CPU_ZERO(&only);
  if (receiver->cpu >= 0) {
    CPU_SET(receiver->cpu, &only);
    pthread_attr_setaffinity_np(&attributes, sizeof only, &only);
  }
  /* Signals are for Node's own threads; a new thread inherits the mask. */
  sigfillset(&all_signals);
  pthread_sigmask(SIG_BLOCK, &all_signals, &before);
  error = pthread_create(&receiver->thread, &attributes, receive, receiver);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  receiver->started = error == 0;
  return error;
}

int udp_open(udp *all, const udp_options *options, const char **call) {
  cpu_set_t allowed;
  int error = 0;
  *call = "sched_getaffinity";
  CPU_ZERO(&allowed);
  if (options->pin && sched_getaffinity(0, sizeof allowed, &allowed) != 0) return errno;
  all->receiver_count = 0;
  for (int i = 0; i < options->receivers && error == 0; i++) {
    udp_receiver *receiver = &all->receivers[i];
    receiver->udp = all;
    receiver->socket = -1;
    receiver->started = false;
    receiver->cpu = options->pin ? cpu_for(i, &allowed) : -1;
    all->receiver_count = i + 1;
    error = open_socket(all, i, options, call);
  }
  for (int i = 0; i < all->receiver_count && error == 0; i++) {
    *call = "pthread_create";
    error = start_thread(&all->receivers[i]);
  }
  if (error != 0) udp_close(all);
  return error;
}

void udp_close(udp *all) {
  atomic_store(&all->ending, true);
  for (int i = 0; i < all->receiver_count; i++)
    if (all->receivers[i].socket >= 0)
      shutdown(all->receivers[i].socket, SHUT_RD); /* says ENOTCONN, and wakes who waits for it */
  for (int i = 0; i < all->receiver_count; i++) {
    if (all->receivers[i].started) pthread_join(all->receivers[i].thread, NULL);
    all->receivers[i].started = false;
    if (all->receivers[i].socket >= 0) close(all->receivers[i].socket);
    all->receivers[i].socket = -1;
  }
}

uint32_t udp_overflows(const udp_receiver *receiver) {
  uint32_t words[MEMINFO_WORDS] = {0};
  socklen_t bytes = sizeof words;
  if (receiver->socket < 0 ||
      getsockopt(receiver->socket, SOL_SOCKET, SO_MEMINFO, words, &bytes) != 0 ||
      bytes < sizeof words)
    return 0;
  return words[MEMINFO_DROPS];
}
