/*
 * Receives the inputs of pads in datagrams. Receiver threads check each datagram and write it into the input slot of a
 * mailbox. The main thread only maintains the table of pads and their seats. pads.c has the table and the checks,
 * receive.c the sockets and threads; neither uses Node-API. js-receivers.c and js-pads.c have the JavaScript functions.
 */
#ifndef PITV_UDP_H
#define PITV_UDP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define UDP_DATAGRAM_BYTES 32
#define UDP_MAX_PADS 256 /* the low byte of a pad's id is its index in the table */
#define UDP_MAX_RECEIVERS 16

/* Outcomes of the checks, counted by each receiver. app/udp/native-udp.js has the names in the same order. */
enum udp_outcome {
  UDP_ACCEPTED,
  UDP_SIZE,     /* not 32 bytes */
  UDP_FORMAT,   /* another protocol, or another version */
  UDP_STRANGER, /* no such pad */
  UDP_MAC,      /* not signed with the pad's key */
  UDP_REPLAY,   /* the sequence number of the newest datagram again */
  UDP_OLD,      /* a lower sequence number than that of the newest datagram */
  UDP_RATE,     /* over the pad's rate limit */
  UDP_SEAT,     /* the pad does not sit at that match and slot */
  UDP_OUTCOMES
};

#define UDP_OFFSET_UNKNOWN UINT32_MAX

/* The match and the slot for a pad's inputs. Only `offset` changes after the seat is published. */
typedef struct udp_seat {
  _Atomic int32_t *input; /* the slot in the mailbox: sequence, word */
  uint32_t generation;    /* the bits of the word that identify its owner; see app/game/input.js */
  uint16_t match;
  uint8_t slot;
  _Atomic uint32_t offset; /* from the pad's press counters to the slot's; see slot_presses() */
  void *memory;            /* keeps `input` mapped until release_memory(memory) */
} udp_seat;

typedef struct udp_pad {
  uint32_t id;
  uint64_t key[2];
  _Atomic uint32_t sequence;    /* of the newest datagram */
  _Atomic uint32_t presses;     /* its press counters; bit 31 is set after the first datagram */
  _Atomic uint32_t window;      /* datagrams in the current second; see is_within_rate() */
  _Atomic uint32_t accepted_ms; /* time of the last accepted datagram; 0: never */
  _Atomic(udp_seat *) seat;
} udp_pad;

/* A pad or a seat that was replaced, and that receivers may still use. */
typedef struct udp_retired {
  struct udp_retired *next;
  uint32_t epoch;
  udp_pad *pad; /* NULL for a seat */
  udp_seat *seat;
} udp_retired;

struct udp;

typedef struct udp_receiver {
  /* Aligned to cache lines, because other threads read them. */
  _Alignas(64) _Atomic uint32_t counts[UDP_OUTCOMES];
  _Alignas(64) _Atomic uint32_t batch_epoch; /* the epoch in which its batch began; 0: idle */
  struct udp *udp;
  int socket;
  int cpu; /* the CPU that it is pinned to; -1: any */
  bool started;
  pthread_t thread;
} udp_receiver;

typedef struct udp {
  _Atomic(udp_pad *) pads[UDP_MAX_PADS];
  _Atomic uint32_t epoch;
  _Atomic bool ending;
  uint32_t per_second; /* datagrams that a pad may send; 0: any number */
  void (*release_memory)(void *memory, void *context);
  void *context;
  /* Only the main thread uses the rest. */
  udp_retired *retired;
  int receiver_count;
  udp_receiver receivers[UDP_MAX_RECEIVERS];
} udp;

/* pads.c */
void udp_init(udp *self, uint32_t per_second, void (*release_memory)(void *, void *), void *context);
/* A receiver calls these before and after every batch of datagrams. */
void udp_batch_begin(udp_receiver *receiver);
void udp_batch_end(udp_receiver *receiver);
/* Checks a datagram and writes its input into the slot of the pad. Call it between begin and end of a batch. */
enum udp_outcome udp_process(udp *self, const uint8_t *bytes, size_t size, uint32_t now_ms);
/*
 * Replace a pad or a seat, or remove it with NULL; return false when there is no memory, and change nothing. Call them
 * on the main thread. They never wait for a receiver: a later udp_reap() frees what receivers may still use.
 */
bool udp_set_pad(udp *self, unsigned index, udp_pad *pad);
bool udp_set_seat(udp *self, udp_pad *pad, udp_seat *seat);
/* Frees the replaced pads and seats that no receiver can use any more. */
void udp_reap(udp *self);
/* Frees all pads and seats. Call it after udp_close(). */
void udp_free_pads(udp *self);

/* receive.c */
typedef struct udp_options {
  struct sockaddr_storage address;
  socklen_t address_bytes;
  int receivers;
  bool pin;
} udp_options;

/* Returns the monotonic time in ms, which wraps around. */
uint32_t udp_now_ms(void);
/* Opens the sockets and starts the threads; returns 0 or an errno. On failure nothing stays open, and *call is set. */
int udp_open(udp *self, const udp_options *options, const char **call);
/* Ends the threads and closes the sockets. Idempotent. */
void udp_close(udp *self);
/* Returns how many datagrams the kernel dropped because the buffer was full; 0 where it does not count them. */
uint32_t udp_overflows(const udp_receiver *receiver);

#endif
