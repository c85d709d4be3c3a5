/*
 * Runs the receiver of datagrams without Node.js, under a sanitizer. Four threads send valid and invalid datagrams,
 * also signed ones with fields out of range. The main thread adds pads, seats them, reassigns their slots and frees the
 * memory, for argv[1] ms. The exit status is 1 if the receiver wrote to a slot after it was reassigned. The sanitizer
 * finds races and wrong memory accesses.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "siphash.h"
#include "udp.h"

#define SENDERS 4
#define PADS 3
#define FIRST_PAD 0x100
#define MATCH 7
#define PRESENT (UINT32_C(1) << 30)

static const uint64_t KEY[2] = {1, 2};
static _Atomic bool over;
static _Atomic uint32_t sequence;
static struct sockaddr_in to;

static void release_memory(void *memory, void *context) {
  (void)context;
  free(memory);
}

static void put(uint8_t *at, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> 8 * i);
}

static void *sender(void *argument) {
  const int file = socket(AF_INET, SOCK_DGRAM, 0);
  connect(file, (struct sockaddr *)&to, sizeof to);
  for (unsigned n = (unsigned)(uintptr_t)argument; !over; n++) {
    uint8_t bytes[64] = {'P', 1};
    put(bytes + 2, MATCH, 2);
    put(bytes + 4, FIRST_PAD + n % PADS, 4);
    put(bytes + 8, atomic_fetch_add(&sequence, 1) + 1, 4);
    bytes[12] = n % 2;
    bytes[13] = (uint8_t)n;
    bytes[16] = (uint8_t)(n >> 3);
    const unsigned at = 2 + n / 13 % 22; /* any field but the sequence number, whose growth would end all others */
    if (n % 13 == 0 && (at < 8 || at > 11)) bytes[at] ^= (uint8_t)n;
    put(bytes + 24, siphash_2_4(KEY, bytes, 3), 8);
    if (n % 7 == 0) bytes[20] ^= 1;
    send(file, bytes, n % 11 == 0 ? 31 + n % 3 : UDP_DATAGRAM_BYTES, 0);
    if (n % 64 == 0) usleep(200);
  }
  close(file);
  return NULL;
}

/* Seats a pad in memory of its own, then reassigns the slot; returns whether the slot was not changed afterwards. */
static bool run_match(udp *self, udp_pad *pad, unsigned round) {
  const uint32_t generation = round & 15;
  const int slot = round & 1;
  _Atomic int32_t *memory = calloc(4, sizeof *memory);
  _Atomic int32_t *word = &memory[slot * 2 + 1];
  udp_seat *seat = calloc(1, sizeof *seat);
  atomic_store(word, (int32_t)(PRESENT | generation << 26));
  seat->input = memory + slot * 2;
  seat->generation = generation << 26;
  seat->match = MATCH;
  seat->slot = (uint8_t)slot;
  seat->offset = UDP_OFFSET_UNKNOWN;
  seat->memory = (void *)memory;
  udp_set_seat(self, pad, seat);
  usleep(round % 200);
  const int32_t mine = (int32_t)(PRESENT | ((generation + 1) & 15) << 26 | 5);
  atomic_store(word, mine);
  usleep(50);
  const bool alone = atomic_load(word) == mine;
  udp_set_seat(self, pad, NULL);
  return alone;
}

int main(int argc, char **argv) {
  udp *self = aligned_alloc(64, sizeof *self);
  struct sockaddr_storage address = {0};
  const char *call;
  pthread_t senders[SENDERS];
  socklen_t bytes = sizeof to;
  unsigned rounds = 0, stolen = 0;
  memset(self, 0, sizeof *self);
  udp_init(self, 0, release_memory, NULL);
  to = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  memcpy(&address, &to, sizeof to);
  const int error = udp_open(self, &address, sizeof to, &call);
  if (error != 0) {
    fprintf(stderr, "%s: %s\n", call, strerror(error));
    return 2;
  }
  getsockname(self->socket, (struct sockaddr *)&to, &bytes);
  for (uintptr_t i = 0; i < SENDERS; i++) pthread_create(&senders[i], NULL, sender, (void *)i);

  const uint32_t end = udp_now_ms() + (uint32_t)(argc > 1 ? atoi(argv[1]) : 1000);
  while ((int32_t)(end - udp_now_ms()) > 0) {
    const unsigned index = ++rounds % PADS;
    udp_pad *pad = calloc(1, sizeof *pad);
    pad->id = FIRST_PAD + index;
    pad->key[0] = KEY[0];
    pad->key[1] = KEY[1];
    udp_set_pad(self, index, pad);
    for (unsigned i = 0; i < 6; i++) stolen += !run_match(self, pad, rounds * 6 + i);
  }
  atomic_store(&over, true);
  for (int i = 0; i < SENDERS; i++) pthread_join(senders[i], NULL);
  const uint32_t accepted = atomic_load(&self->counts[UDP_ACCEPTED]), seat = atomic_load(&self->counts[UDP_SEAT]);
  udp_close(self);
  udp_free_pads(self);
  free(self);
  printf("%u rounds, %u accepted, %u without a seat, %u stolen\n", rounds, accepted, seat, stolen);
  return stolen > 0 ? 1 : 0;
}
