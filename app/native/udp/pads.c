/*
 * The table of pads, and what a datagram has to pass. Format: app/udp/README.md.
 *
 * Receivers take no lock, and the main thread never waits for one. The table, and each pad's seat, are
 * pointers that the main thread exchanges. What it took out may still be in use, so it is kept until
 * every receiver has ended the batch in which it could have found it (epoch-based reclamation: K. Fraser,
 * Practical lock-freedom, 2004, section 5.2.3). A seat keeps its mailbox mapped just as long.
 *
 * A receiver with a seat that was taken out a moment ago must not write over what the main thread has
 * put into the slot since. So an input word says whose it is (a generation, which the main thread
 * changes whenever the slot changes hands), and a receiver only ever replaces a word of its own
 * generation, by compare-and-exchange.
 */
#include "udp.h"

#include <stdlib.h>

#include "siphash.h"

/* The word of a slot: app/game/input.js. */
#define WORD_PRESENT (UINT32_C(1) << 30)
#define WORD_GENERATION (UINT32_C(15) << 26)
#define WORD_PRESSES_A 18
#define WORD_PRESSES_B 22

#define OFFSET_UNKNOWN UINT32_MAX
#define PRESSES_KNOWN (UINT32_C(1) << 31)

/* How often a word is tried to be replaced: a broken worker may scribble there without end. */
#define TRIES 64

/* Of within_rate(): the low bits count, the high ones say in which second. */
#define WINDOW_BITS 16
#define WINDOW_SHIFT 10 /* a second of 1024 ms */

void udp_pads_init(udp *all, uint32_t per_second, void (*let_go)(void *, void *), void *context) {
  atomic_store(&all->epoch, 1);
  all->per_second = per_second;
  all->let_go = let_go;
  all->context = context;
}

void udp_batch_begin(udp_receiver *receiver) {
  atomic_store(&receiver->busy_since, atomic_load(&receiver->udp->epoch));
}

void udp_batch_end(udp_receiver *receiver) {
  atomic_store(&receiver->busy_since, 0);
}

static uint32_t u32(const uint8_t *at) {
  return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Is it newer than all before? A sequence number is taken once, whichever receiver comes first. */
static enum udp_outcome take_sequence(udp_pad *pad, uint32_t sequence) {
  uint32_t newest = atomic_load(&pad->sequence);
  do {
    if (sequence == newest) return UDP_REPLAY;
    if (sequence < newest) return UDP_OLD;
  } while (!atomic_compare_exchange_weak(&pad->sequence, &newest, sequence));
  return UDP_ACCEPTED;
}

static bool within_rate(const udp *all, udp_pad *pad, uint32_t now_ms) {
  const uint32_t second = now_ms >> WINDOW_SHIFT << WINDOW_BITS;
  const uint32_t mask = (UINT32_C(1) << WINDOW_BITS) - 1;
  if (all->per_second == 0) return true;
  uint32_t window = atomic_load(&pad->window), next;
  do {
    next = (window & ~mask) == second ? window + 1 : second + 1;
    if ((next & mask) > all->per_second) return false;
  } while (!atomic_compare_exchange_weak(&pad->window, &window, next));
  return true;
}

/*
 * The slot's press counters go on when pads, matches and ways change, so they differ from a pad's by an
 * offset, which the first datagram for a seat finds out: it adds what was pressed since the datagram
 * before, and of a pad's very first one what is held.
 */
static uint32_t presses_of(udp_seat *seat, udp_pad *pad, uint32_t word, const uint8_t *bytes) {
  const uint32_t a = bytes[16], b = bytes[17], buttons = bytes[15];
  uint32_t offset = atomic_load(&seat->offset);
  if (offset == OFFSET_UNKNOWN) {
    const uint32_t before = atomic_load(&pad->presses);
    const bool known = (before & PRESSES_KNOWN) != 0;
    const uint32_t new_a = known ? a - (before & 0xff) : buttons & 1;
    const uint32_t new_b = known ? b - (before >> 8 & 0xff) : buttons >> 1 & 1;
    const uint32_t offset_a = (word >> WORD_PRESSES_A) + new_a - a;
    const uint32_t offset_b = (word >> WORD_PRESSES_B) + new_b - b;
    const uint32_t found = (offset_a & 15) | (offset_b & 15) << 4;
    if (atomic_compare_exchange_strong(&seat->offset, &offset, found)) offset = found;
  }
  return ((a + offset) & 15) << WORD_PRESSES_A | ((b + (offset >> 4)) & 15) << WORD_PRESSES_B;
}

/* -128 is not an axis's value; -127 is the least. */
static uint32_t axis(uint8_t value) {
  return value == 0x80 ? 0x81 : value;
}

static bool write_input(udp_seat *seat, udp_pad *pad, const uint8_t *bytes, uint32_t sequence) {
  int32_t old = atomic_load(&seat->input[1]);
  uint32_t word;
  int tries = TRIES;
  do {
    const uint32_t mine = WORD_PRESENT | WORD_GENERATION;
    if (((uint32_t)old & mine) != (WORD_PRESENT | seat->generation)) return false;
    if (atomic_load(&pad->sequence) != sequence) return true; /* overtaken while it got here */
    if (tries-- == 0) return false;
    word = axis(bytes[13]) | axis(bytes[14]) << 8 | (bytes[15] & UINT32_C(3)) << 16 |
           presses_of(seat, pad, (uint32_t)old, bytes) | seat->generation | WORD_PRESENT;
  } while (!atomic_compare_exchange_weak(&seat->input[1], &old, (int32_t)word));
  atomic_fetch_add(&seat->input[0], 1);
  return true;
}

enum udp_outcome udp_take(udp *all, const uint8_t *bytes, size_t size, uint32_t now_ms) {
  if (size != UDP_BYTES) return UDP_SIZE;
  if (bytes[0] != 'P' || bytes[1] != 1) return UDP_FORMAT;
  const uint32_t id = u32(bytes + 4), sequence = u32(bytes + 8);
  udp_pad *pad = atomic_load(&all->pads[id % UDP_PADS]);
  if (pad == NULL || pad->id != id) return UDP_STRANGER;
  if (siphash_2_4(pad->key, bytes, 3) != sip_word(bytes + 24)) return UDP_MAC;
  const enum udp_outcome fresh = take_sequence(pad, sequence);
  if (fresh != UDP_ACCEPTED) return fresh;
  if (!within_rate(all, pad, now_ms)) return UDP_RATE;
  udp_seat *seat = atomic_load(&pad->seat);
  const bool there = seat != NULL && seat->slot == bytes[12] &&
                     seat->match == (bytes[2] | bytes[3] << 8) &&
                     write_input(seat, pad, bytes, sequence);
  if (atomic_load(&pad->sequence) == sequence)
    atomic_store(&pad->presses, bytes[16] | (uint32_t)bytes[17] << 8 | PRESSES_KNOWN);
  if (!there) return UDP_SEAT;
  atomic_store(&pad->heard_ms, now_ms | 1); /* 0 is never */
  return UDP_ACCEPTED;
}

/* A place on the list of the retired, before anything is taken out: that can't fail half-way. */
static udp_retired *place(void) {
  return calloc(1, sizeof(udp_retired));
}

/* Call it after what is retired can't be found any more. */
static void retire(udp *all, udp_retired *one, udp_pad *pad, udp_seat *seat) {
  one->pad = pad;
  one->seat = seat;
  one->epoch = atomic_fetch_add(&all->epoch, 2) + 2; /* always odd, for 0 means idle */
  one->next = all->retired;
  all->retired = one;
}

bool udp_set_seat(udp *all, udp_pad *pad, udp_seat *seat) {
  udp_retired *one = place();
  if (one == NULL) return false;
  udp_seat *old = atomic_exchange(&pad->seat, seat);
  if (old != NULL) retire(all, one, NULL, old);
  else free(one);
  return true;
}

bool udp_set_pad(udp *all, unsigned index, udp_pad *pad) {
  udp_retired *one = place(), *another = place();
  if (one == NULL || another == NULL) {
    free(one);
    free(another);
    return false;
  }
  udp_pad *old = atomic_exchange(&all->pads[index], pad);
  udp_seat *seat = old == NULL ? NULL : atomic_exchange(&old->seat, NULL);
  if (old != NULL) retire(all, one, old, NULL);
  else free(one);
  if (seat != NULL) retire(all, another, NULL, seat);
  else free(another);
  return true;
}

static void end_seat(udp *all, udp_seat *seat) {
  if (seat == NULL) return;
  all->let_go(seat->memory, all->context);
  free(seat);
}

/* Can no receiver have it any more? Those that began a batch since can't find it. */
static bool unused(const udp *all, uint32_t epoch) {
  for (int i = 0; i < all->receiver_count; i++) {
    const uint32_t since = atomic_load(&all->receivers[i].busy_since);
    if (since != 0 && (int32_t)(since - epoch) < 0) return false;
  }
  return true;
}

void udp_reap(udp *all) {
  for (udp_retired **at = &all->retired; *at != NULL;) {
    udp_retired *one = *at;
    if (!unused(all, one->epoch)) {
      at = &one->next;
      continue;
    }
    *at = one->next;
    end_seat(all, one->seat);
    free(one->pad);
    free(one);
  }
}

void udp_pads_free(udp *all) {
  all->receiver_count = 0;
  udp_reap(all);
  for (int i = 0; i < UDP_PADS; i++) {
    udp_pad *pad = atomic_exchange(&all->pads[i], NULL);
    if (pad == NULL) continue;
    end_seat(all, atomic_load(&pad->seat));
    free(pad);
  }
}
