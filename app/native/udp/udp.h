/*
 * Pads that send their inputs in datagrams. Receiver threads check each and write it straight into the
 * input slot of a mailbox; the main thread only says which pads there are and where they sit.
 * pads.c is the table and the check, receive.c sockets and threads, udp.c the door to JavaScript.
 * The first two know nothing of Node.
 */
#ifndef PITV_UDP_H
#define PITV_UDP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define UDP_BYTES 32     /* a datagram */
#define UDP_PADS 256     /* the low byte of a pad's number is its place in the table */
#define UDP_RECEIVERS 16 /* at most */

/* What becomes of a datagram; each receiver counts. The names in app/udp/outcomes.js, in this order. */
enum udp_outcome {
  UDP_ACCEPTED,
  UDP_SIZE,     /* not 32 bytes */
  UDP_FORMAT,   /* another protocol, or another version */
  UDP_STRANGER, /* no such pad */
  UDP_MAC,      /* not signed with the pad's key */
  UDP_REPLAY,   /* the newest one once more */
  UDP_OLD,      /* overtaken by a newer one */
  UDP_RATE,     /* more than the pad may send */
  UDP_SEAT,     /* the pad does not sit at that match and slot */
  UDP_OUTCOMES
};

/* Where a pad's inputs go. Written once; but for `offset` nothing in it changes. */
typedef struct udp_seat {
  _Atomic int32_t *input; /* the slot in the mailbox: sequence, word */
  uint32_t generation;    /* bits of the word that say whose it is; app/game/input.js */
  uint16_t match;
  uint8_t slot;
  _Atomic uint32_t offset; /* from the pad's press counters to the slot's; see presses_of() */
  void *memory;            /* keeps `input` mapped until let_go(memory) */
} udp_seat;

typedef struct udp_pad {
  uint32_t id;
  uint64_t key[2];
  _Atomic uint32_t sequence; /* of the newest datagram */
  _Atomic uint32_t presses;  /* its press counters, with bit 31 once there was one */
  _Atomic uint32_t window;   /* what came in the current second; see within_rate() */
  _Atomic uint32_t heard_ms; /* when the last one was accepted; 0: never */
  _Atomic(udp_seat *) seat;
} udp_pad;

typedef struct udp_retired {
  struct udp_retired *next;
  uint32_t epoch;
  udp_pad *pad; /* either of them */
  udp_seat *seat;
} udp_retired;

struct udp;

typedef struct udp_receiver {
  /* On cache lines of its own: others only look. */
  _Alignas(64) _Atomic uint32_t counts[UDP_OUTCOMES];
  _Alignas(64) _Atomic uint32_t busy_since; /* the epoch in which its batch began; 0: in none */
  struct udp *udp;
  int socket;
  int cpu; /* the one it stays on, -1: any */
  bool started;
  pthread_t thread;
} udp_receiver;

typedef struct udp {
  _Atomic(udp_pad *) pads[UDP_PADS];
  _Atomic uint32_t epoch;
  _Atomic bool ending;
  uint32_t per_second; /* datagrams a pad may send; 0: as many as it likes */
  void (*let_go)(void *memory, void *context);
  void *context;
  /* The rest is the main thread's own. */
  udp_retired *retired;
  int receiver_count;
  udp_receiver receivers[UDP_RECEIVERS];
} udp;

/* pads.c */
void udp_pads_init(udp *all, uint32_t per_second, void (*let_go)(void *, void *), void *context);
/* Receivers, around every batch of datagrams. */
void udp_batch_begin(udp_receiver *receiver);
void udp_batch_end(udp_receiver *receiver);
enum udp_outcome udp_take(udp *all, const uint8_t *bytes, size_t size, uint32_t now_ms);
/*
 * The main thread. None of these waits for a receiver: what one may still be using is set aside, and
 * given back by a later call of udp_reap(). False: no memory, nothing has changed.
 */
bool udp_set_pad(udp *all, unsigned index, udp_pad *pad);
bool udp_set_seat(udp *all, udp_pad *pad, udp_seat *seat);
void udp_reap(udp *all);
/* When no receiver runs any more. */
void udp_pads_free(udp *all);

/* receive.c */
typedef struct udp_options {
  struct sockaddr_storage address;
  socklen_t address_bytes;
  int receivers;
  bool pin;
  int buffer_bytes; /* of each socket; 0: the system's */
} udp_options;

uint32_t udp_now_ms(void);
/* errno, or 0; *call names what failed. What was opened is closed then. */
int udp_open(udp *all, const udp_options *options, const char **call);
void udp_close(udp *all);
/* Datagrams that a receiver's socket had no room for; 0 where the kernel does not tell. */
uint32_t udp_overflows(const udp_receiver *receiver);

#endif
