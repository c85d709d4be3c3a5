/*
 * The table of pads, and the checks of a datagram. app/udp/README.md describes the format.
 *
 * Only the main thread changes the table and the seats, under the lock that the receiver holds for a batch, a few
 * microseconds. So nothing that is replaced is in use any more, and a seat keeps its mailbox mapped until then.
 *
 * The receiver must not overwrite what the main thread has written to a slot whose seat it has not replaced yet. So each
 * input word contains a generation, which the main thread changes whenever the slot gets another owner. A receiver
 * replaces only words of its seat's generation, by compare-and-exchange.
 */
#include "udp.h"

#include <stdlib.h>

#include "siphash.h"

/* Bits of an input word; see app/game/input.js. */
#define WORD_PRESENT (UINT32_C(1) << 30)
#define WORD_GENERATION (UINT32_C(15) << 26)
#define WORD_PRESSES_A 18
#define WORD_PRESSES_B 22

#define PRESSES_KNOWN (UINT32_C(1) << 31)

/* Limits the attempts to replace a word: a broken worker may write there continuously. */
#define MAX_TRIES 64

#define SECOND_SHIFT 10 /* a second of 1024 ms */

void udp_init(udp *self, uint32_t per_second, void (*release_memory)(void *, void *), void *context) {
  pthread_mutex_init(&self->lock, NULL);
  self->per_second = per_second;
  self->release_memory = release_memory;
  self->context = context;
}

static uint32_t u32(const uint8_t *at) {
  return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Accepts a sequence number that is higher than all before. */
static enum udp_outcome claim_sequence(udp_pad *pad, uint32_t sequence) {
  if (sequence == pad->sequence) return UDP_REPLAY;
  if (sequence < pad->sequence) return UDP_OLD;
  pad->sequence = sequence;
  return UDP_ACCEPTED;
}

/* Counts a datagram of the pad in the current second; returns false when the pad has reached its limit. */
static bool is_within_rate(const udp *self, udp_pad *pad, uint32_t now_ms) {
  const uint32_t second = now_ms >> SECOND_SHIFT;
  if (self->per_second == 0) return true;
  if (second != pad->second) pad->datagrams = 0;
  pad->second = second;
  if (pad->datagrams >= self->per_second) return false;
  pad->datagrams++;
  return true;
}

/*
 * Returns the press counters for the input word. The counters of a slot continue when its pad changes or when the phone
 * uses the websocket, so they differ from the pad's by an offset. The first datagram for a seat sets this offset, such
 * that it adds the presses since the pad's previous datagram. The first datagram of a pad adds the buttons it holds.
 */
static uint32_t slot_presses(udp_seat *seat, const udp_pad *pad, uint32_t word, const uint8_t *bytes) {
  const uint32_t a = bytes[16], b = bytes[17], buttons = bytes[15];
  if (seat->offset == UDP_OFFSET_UNKNOWN) {
    const uint32_t before = pad->presses;
    const bool known = (before & PRESSES_KNOWN) != 0;
    const uint32_t new_a = known ? a - (before & 0xff) : buttons & 1;
    const uint32_t new_b = known ? b - (before >> 8 & 0xff) : buttons >> 1 & 1;
    const uint32_t offset_a = (word >> WORD_PRESSES_A) + new_a - a;
    const uint32_t offset_b = (word >> WORD_PRESSES_B) + new_b - b;
    seat->offset = (offset_a & 15) | (offset_b & 15) << 4;
  }
  return ((a + seat->offset) & 15) << WORD_PRESSES_A | ((b + (seat->offset >> 4)) & 15) << WORD_PRESSES_B;
}

/* Replaces -128, which is out of range, by -127. */
static uint32_t clamp_axis(uint8_t value) {
  return value == 0x80 ? 0x81 : value;
}

/* Writes the input into the slot; returns false when the seat does not own the slot any more. */
static bool write_input(udp_seat *seat, const udp_pad *pad, const uint8_t *bytes) {
  int32_t old = atomic_load(&seat->input[1]);
  uint32_t word;
  int tries = MAX_TRIES;
  do {
    const uint32_t owner = WORD_PRESENT | WORD_GENERATION;
    if (((uint32_t)old & owner) != (WORD_PRESENT | seat->generation)) return false;
    if (tries-- == 0) return false;
    word = clamp_axis(bytes[13]) | clamp_axis(bytes[14]) << 8 | (bytes[15] & UINT32_C(3)) << 16 |
           slot_presses(seat, pad, (uint32_t)old, bytes) | seat->generation | WORD_PRESENT;
  } while (!atomic_compare_exchange_weak(&seat->input[1], &old, (int32_t)word));
  atomic_fetch_add(&seat->input[0], 1);
  return true;
}

enum udp_outcome udp_process(udp *self, const uint8_t *bytes, size_t size, uint32_t now_ms) {
  if (size != UDP_DATAGRAM_BYTES) return UDP_SIZE;
  if (bytes[0] != 'P' || bytes[1] != 1) return UDP_FORMAT;
  const uint32_t id = u32(bytes + 4), sequence = u32(bytes + 8);
  udp_pad *pad = self->pads[id % UDP_MAX_PADS];
  if (pad == NULL || pad->id != id) return UDP_STRANGER;
  if (siphash_2_4(pad->key, bytes, 3) != sip_word(bytes + 24)) return UDP_MAC;
  const enum udp_outcome fresh = claim_sequence(pad, sequence);
  if (fresh != UDP_ACCEPTED) return fresh;
  if (!is_within_rate(self, pad, now_ms)) return UDP_RATE;
  udp_seat *seat = pad->seat;
  const bool written = seat != NULL && seat->slot == bytes[12] && seat->match == (bytes[2] | bytes[3] << 8) &&
                       write_input(seat, pad, bytes);
  pad->presses = bytes[16] | (uint32_t)bytes[17] << 8 | PRESSES_KNOWN;
  if (!written) return UDP_SEAT;
  atomic_store(&pad->accepted_ms, now_ms | 1); /* 0 means never */
  return UDP_ACCEPTED;
}

static void free_seat(const udp *self, udp_seat *seat) {
  if (seat == NULL) return;
  self->release_memory(seat->memory, self->context);
  free(seat);
}

void udp_set_seat(udp *self, udp_pad *pad, udp_seat *seat) {
  udp_seat *old = pad->seat;
  pthread_mutex_lock(&self->lock);
  pad->seat = seat;
  pthread_mutex_unlock(&self->lock);
  free_seat(self, old);
}

void udp_set_pad(udp *self, unsigned index, udp_pad *pad) {
  udp_pad *old = self->pads[index];
  pthread_mutex_lock(&self->lock);
  self->pads[index] = pad;
  pthread_mutex_unlock(&self->lock);
  if (old != NULL) free_seat(self, old->seat);
  free(old);
}

void udp_free_pads(udp *self) {
  for (unsigned i = 0; i < UDP_MAX_PADS; i++) udp_set_pad(self, i, NULL);
}
