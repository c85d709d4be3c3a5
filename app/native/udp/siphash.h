/*
 * SipHash-2-4 (Aumasson, Bernstein 2012, https://www.aumasson.jp/siphash/siphash.pdf): a keyed hash for short messages.
 * Without the 128-bit key, the hash of another message can't be predicted.
 */
#ifndef PITV_SIPHASH_H
#define PITV_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t sip_word(const uint8_t *at) {
  uint64_t word = 0;
  for (int i = 7; i >= 0; i--) word = word << 8 | at[i]; /* compilers combine this into one load */
  return word;
}

static inline uint64_t sip_rotate(uint64_t value, int bits) {
  return value << bits | value >> (64 - bits);
}

static inline void sip_rounds(uint64_t v[4], int count) {
  while (count-- > 0) {
    v[0] += v[1], v[2] += v[3];
    v[1] = sip_rotate(v[1], 13) ^ v[0], v[3] = sip_rotate(v[3], 16) ^ v[2];
    v[0] = sip_rotate(v[0], 32);
    v[2] += v[1], v[0] += v[3];
    v[1] = sip_rotate(v[1], 17) ^ v[2], v[3] = sip_rotate(v[3], 21) ^ v[0];
    v[2] = sip_rotate(v[2], 32);
  }
}

/* Hashes `words` times 8 bytes. The key is given as its two halves, read by sip_word(). */
static inline uint64_t siphash_2_4(const uint64_t key[2], const uint8_t *bytes, size_t words) {
  uint64_t v[4] = {key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d),
                   key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573)};
  for (size_t i = 0; i < words; i++) {
    uint64_t word = sip_word(bytes + 8 * i);
    v[3] ^= word;
    sip_rounds(v, 2);
    v[0] ^= word;
  }
  uint64_t last = (uint64_t)(8 * words & 0xff) << 56; /* whole words leave no other bytes */
  v[3] ^= last;
  sip_rounds(v, 2);
  v[0] ^= last;
  v[2] ^= 0xff;
  sip_rounds(v, 4);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

#endif
