/*
 * Receives the inputs of pads in datagrams. The receiver, a thread, checks each datagram and writes it into the input
 * slot of a mailbox. The main thread only maintains the table of pads and their seats. pads.c has the table and the
 * checks, receive.c the socket and the thread; neither uses Node-API. js.c has the JavaScript functions.
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

/* Outcomes of the checks, counted by the receiver. app/udp/datagram.js has the names in the same order. */
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

/* The match and the slot for a pad's inputs. Only the receiver changes `offset`, and nothing else changes. */
typedef struct udp_seat {
  void *memory;           /* keeps `input` mapped until release_memory(memory) */
  _Atomic int32_t *input; /* the slot in the mailbox: sequence, word */
  uint32_t generation;    /* the bits of the word that identify its owner; see app/game/input.js */
  uint16_t match;
  uint8_t slot;
  uint32_t offset;         /* from the pad's press counters to the slot's; see slot_presses() */
} udp_seat;

typedef struct udp_pad {
  uint32_t id;
  uint64_t key[2];
  /* Of the receiver. */
  uint32_t sequence;            /* of the newest datagram */
  uint32_t presses;             /* its press counters; bit 31 is set after the first datagram */
  uint32_t second, datagrams;   /* the current second, and the datagrams in it */
  /* Of both threads. */
  _Atomic uint32_t accepted_ms; /* time of the last accepted datagram; 0: never */
  udp_seat *seat;               /* under the lock; NULL: none */
} udp_pad;

typedef struct udp {
  /* Aligned to cache lines, because the other thread reads them. */
  _Alignas(64) _Atomic uint32_t counts[UDP_OUTCOMES];
  _Alignas(64) pthread_mutex_t lock; /* of `pads` and their seats: the receiver holds it for each batch */
  udp_pad *pads[UDP_MAX_PADS];
  _Atomic bool ending;
  uint32_t per_second; /* datagrams that a pad may send; 0: any number */
  int socket; /* -1: closed; otherwise the thread runs */
  /* Only the main thread uses the rest. */
  void (*release_memory)(void *memory, void *context);
  void *context;
  pthread_t thread;
} udp;

/* pads.c */
void udp_init(udp *self, uint32_t per_second, void (*release_memory)(void *, void *), void *context);
/* Checks a datagram and writes its input into the slot of the pad. Call it under the lock. */
enum udp_outcome udp_process(udp *self, const uint8_t *bytes, size_t size, uint32_t now_ms);
/* Replace a pad or a seat, or remove it with NULL, and free the old one. Call them on the main thread. */
void udp_set_pad(udp *self, unsigned index, udp_pad *pad);
void udp_set_seat(udp *self, udp_pad *pad, udp_seat *seat);
/* Frees all pads and seats. Call it after udp_close(). */
void udp_free_pads(udp *self);

/* receive.c. Returns the monotonic time in ms, which wraps around. */
uint32_t udp_now_ms(void);
/* Opens the socket and starts the thread; returns 0 or an errno. On failure nothing stays open, and *call is set. */
int udp_open(udp *self, const struct sockaddr_storage *address, socklen_t bytes, const char **call);
/* Ends the thread and closes the socket. Idempotent. */
void udp_close(udp *self);
/* Returns how many datagrams the kernel dropped because the buffer was full; 0 where it does not count them. */
uint32_t udp_overflows(const udp *self);

#endif
