/*
 * Datagrams: udp_process() with a table of pads that the input changes meanwhile. The first bytes of an input
 * are operations; every datagram is copied to memory of its own size, so that ASan sees each byte too many.
 */
#include "udp/pads.c"

#include <string.h>

#define SLOTS 4
#define PADS 3

static _Atomic int32_t words[SLOTS * 2];

static void release_memory(void *memory, void *context) {
  (void)context;
  free(memory);
}

static udp_pad *new_pad(unsigned number) {
  udp_pad *pad = calloc(1, sizeof *pad);
  pad->id = number;
  pad->key[0] = number;
  pad->key[1] = ~(uint64_t)number;
  return pad;
}

static udp_seat *new_seat(uint8_t slot, uint8_t generation) {
  udp_seat *seat = calloc(1, sizeof *seat);
  seat->slot = slot % SLOTS;
  seat->input = words + 2 * seat->slot;
  seat->generation = (uint32_t)(generation & 15) << 26;
  seat->match = 7;
  seat->memory = malloc(1);
  seat->offset = UDP_OFFSET_UNKNOWN;
  return seat;
}

/* Signs most datagrams, or nothing would get past the MAC. */
static void sign(uint8_t *bytes) {
  const uint32_t id = u32(bytes + 4) % PADS;
  const uint64_t key[2] = {id, ~(uint64_t)id};
  bytes[0] = 'P';
  bytes[1] = 1;
  bytes[2] = 7;
  bytes[3] = 0;
  memset(bytes + 4, 0, 4);
  bytes[4] = (uint8_t)id;
  bytes[12] %= SLOTS;
  const uint64_t mac = siphash_2_4(key, bytes, 3);
  for (int i = 0; i < 8; i++) bytes[24 + i] = (uint8_t)(mac >> 8 * i);
}

static void take(udp *all, const uint8_t *data, size_t size, bool is_signed, uint32_t now) {
  uint8_t *bytes = malloc(size);
  if (size > 0) memcpy(bytes, data, size);
  if (is_signed && size == UDP_DATAGRAM_BYTES) sign(bytes);
  int32_t before[SLOTS * 2];
  memcpy(before, (const void *)words, sizeof before);
  const enum udp_outcome outcome = udp_process(all, bytes, size, now);
  if (outcome >= UDP_OUTCOMES) __builtin_trap();
  /* Nothing but an accepted datagram changes an input, and only that of one slot. */
  for (int i = 0; i < SLOTS; i++) {
    const bool same = memcmp(before + 2 * i, (const void *)(words + 2 * i), 8) == 0;
    if (!same && (outcome != UDP_ACCEPTED || bytes[12] != i)) __builtin_trap();
  }
  free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  udp all;
  memset(&all, 0, sizeof all);
  udp_init(&all, 20, release_memory, NULL);
  for (int i = 0; i < SLOTS; i++) {
    atomic_store(&words[2 * i], 0);
    atomic_store(&words[2 * i + 1], (int32_t)WORD_PRESENT);
  }
  bool in_batch = false;
  uint32_t now = 1;
  while (size >= 2) {
    const uint8_t operation = data[0], argument = data[1];
    udp_pad *pad = atomic_load(&all.pads[argument % PADS]);
    data += 2, size -= 2;
    switch (operation % 8) {
      case 0:
        udp_set_pad(&all, argument % PADS, operation & 8 ? NULL : new_pad(argument % PADS));
        break;
      case 1:
        if (pad != NULL) udp_set_seat(&all, pad, operation & 8 ? NULL : new_seat(argument >> 2, operation >> 4));
        break;
      case 2:
        udp_reap(&all);
        break;
      case 3:
        in_batch = !in_batch;
        if (in_batch) udp_batch_begin(&all);
        else udp_batch_end(&all);
        break;
      case 4:
        atomic_store(&words[2 * (argument % SLOTS) + 1], (int32_t)(WORD_PRESENT | (uint32_t)operation << 24));
        break;
      case 5:
        now += argument * 64u;
        break;
      default: {
        const size_t wanted = operation & 8 ? argument : UDP_DATAGRAM_BYTES;
        const size_t length = wanted < size ? wanted : size;
        take(&all, data, length, (operation & 16) == 0, now);
        data += length, size -= length;
      }
    }
  }
  udp_free_pads(&all);
  return 0;
}
