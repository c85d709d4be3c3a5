/* The JavaScript functions for single pads: key, seat, silence, signature. app/udp/receiver.js calls them. */
#include <errno.h>
#include <stdlib.h>

#include "../mappings.h"
#include "js.h"
#include "siphash.h"

#define KEY_BYTES 16
#define SIGNED_BYTES 24

/* Keeps a mailbox alive: its mapping, or a reference to the SharedArrayBuffer of a worker thread. */
typedef struct memory_hold {
  pitv_mapping *mapping;
  napi_ref reference;
} memory_hold;

void udp_release_memory(void *memory, void *env) {
  memory_hold *hold = memory;
  if (hold->mapping != NULL) pitv_memory_release(hold->mapping);
  if (hold->reference != NULL) napi_delete_reference((napi_env)env, hold->reference);
  free(hold);
}

/* Reads the arguments (receiver, pad, ...) with which most functions begin. */
static bool read_arguments(napi_env env, napi_callback_info info, size_t count, napi_value *arguments,
                           udp **self, int64_t *id) {
  return pitv_arguments(env, info, count, arguments) &&
         (*self = udp_unwrap(env, arguments[0])) != NULL &&
         pitv_number(env, arguments[1], "pad", UINT32_MAX, id);
}

/* Returns the pad with this id, or NULL. */
static udp_pad *find_pad(udp *self, int64_t id) {
  udp_pad *pad = atomic_load(&self->pads[id % UDP_MAX_PADS]);
  return pad != NULL && pad->id == id ? pad : NULL;
}

/* Returns the bytes of a Uint8Array of this length. Throws and returns NULL for any other value. */
static uint8_t *read_bytes(napi_env env, napi_value value, size_t length, const char *sentence) {
  napi_typedarray_type type;
  void *data = NULL;
  size_t bytes = 0;
  if (napi_get_typedarray_info(env, value, &type, &bytes, &data, NULL, NULL) == napi_ok &&
      type == napi_uint8_array && bytes == length)
    return data;
  pitv_throw_argument(env, sentence);
  return NULL;
}

static uint8_t *read_key(napi_env env, napi_value value) {
  return read_bytes(env, value, KEY_BYTES, "key must be a Uint8Array of 16 bytes.");
}

/* udpAdd(receiver, pad, key): adds a pad; key is a Uint8Array of 16 bytes. Replaces a pad with the same low byte. */
static napi_value add_pad(napi_env env, napi_callback_info info) {
  napi_value arguments[3];
  int64_t id;
  udp *self;
  if (!read_arguments(env, info, 3, arguments, &self, &id)) return NULL;
  const uint8_t *key = read_key(env, arguments[2]);
  if (key == NULL) return NULL;
  udp_pad *pad = calloc(1, sizeof *pad);
  if (pad != NULL) {
    pad->id = (uint32_t)id;
    for (int half = 0; half < 2; half++) pad->key[half] = sip_word(key + 8 * half);
    if (udp_set_pad(self, (unsigned)(id % UDP_MAX_PADS), pad)) {
      udp_reap(self);
      return NULL;
    }
  }
  free(pad);
  return pitv_throw_errno(env, "malloc", ENOMEM, "Could not add the pad");
}

/* Removes a pad, or only its seat. Does nothing when there is no such pad. */
static napi_value remove_part(napi_env env, napi_callback_info info, bool whole) {
  napi_value arguments[2];
  int64_t id;
  udp *self;
  if (!read_arguments(env, info, 2, arguments, &self, &id)) return NULL;
  udp_pad *pad = find_pad(self, id);
  if (pad != NULL && !(whole ? udp_set_pad(self, (unsigned)(id % UDP_MAX_PADS), NULL)
                             : udp_set_seat(self, pad, NULL)))
    return pitv_throw_errno(env, "malloc", ENOMEM, "Could not remove the pad");
  udp_reap(self);
  return NULL;
}

/* udpRemove(receiver, pad) */
static napi_value remove_pad(napi_env env, napi_callback_info info) {
  return remove_part(env, info, true);
}

/* udpUnseat(receiver, pad) */
static napi_value unseat_pad(napi_env env, napi_callback_info info) {
  return remove_part(env, info, false);
}

/*
 * Holds the memory of an Int32Array over shared memory. napi_get_typedarray_info() returns the address of a
 * SharedArrayBuffer's bytes, too. An ArrayBuffer of the heap is refused, because it can be detached or freed at any
 * time. Throws and returns NULL on failure.
 */
static memory_hold *hold_memory(napi_env env, napi_value inputs, void **data, size_t *words) {
  napi_typedarray_type type;
  napi_value buffer;
  size_t offset;
  bool ordinary = true;
  memory_hold *hold = calloc(1, sizeof *hold);
  if (hold == NULL) {
    pitv_throw_errno(env, "malloc", ENOMEM, "Could not seat the pad");
    return NULL;
  }
  if (napi_get_typedarray_info(env, inputs, &type, words, data, &buffer, &offset) == napi_ok &&
      type == napi_int32_array && *data != NULL) {
    hold->mapping = pitv_memory_hold(*data);
    if (hold->mapping != NULL) return hold;
    if (napi_is_arraybuffer(env, buffer, &ordinary) == napi_ok && !ordinary &&
        napi_create_reference(env, buffer, 1, &hold->reference) == napi_ok)
      return hold;
  }
  free(hold);
  pitv_throw_argument(env, "inputs must be an Int32Array over shared memory.");
  return NULL;
}

/* udpSeat(receiver, pad, inputs, slot, match, generation) -> boolean; false: there is no such pad */
static napi_value seat_pad(napi_env env, napi_callback_info info) {
  napi_value arguments[6];
  int64_t id, slot, match, generation;
  void *data = NULL;
  size_t words = 0;
  udp *self;
  if (!read_arguments(env, info, 6, arguments, &self, &id) ||
      !pitv_number(env, arguments[3], "slot", 255, &slot) ||
      !pitv_number(env, arguments[4], "match", 65535, &match) ||
      !pitv_number(env, arguments[5], "generation", 15, &generation))
    return NULL;
  udp_pad *pad = find_pad(self, id);
  if (pad != NULL) {
    memory_hold *hold = hold_memory(env, arguments[2], &data, &words);
    if (hold == NULL) return NULL;
    udp_seat *seat = (size_t)slot * 2 + 1 < words ? calloc(1, sizeof *seat) : NULL;
    if (seat != NULL) {
      seat->input = (_Atomic int32_t *)data + slot * 2;
      seat->generation = (uint32_t)generation << 26;
      seat->match = (uint16_t)match;
      seat->slot = (uint8_t)slot;
      seat->offset = UDP_OFFSET_UNKNOWN;
      seat->memory = hold;
    }
    if (seat == NULL || !udp_set_seat(self, pad, seat)) {
      free(seat);
      udp_release_memory(hold, env);
      return pitv_throw_argument(env, "There is no such slot, or no memory for it.");
    }
  }
  udp_reap(self);
  return pitv_make_boolean(env, pad != NULL);
}

/* udpSilentMs(receiver, pad) -> ms since its last accepted datagram; -1 when there was none */
static napi_value silent_ms(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  int64_t id;
  udp *self;
  if (!read_arguments(env, info, 2, arguments, &self, &id)) return NULL;
  udp_reap(self);
  const udp_pad *pad = find_pad(self, id);
  const uint32_t at = pad == NULL ? 0 : atomic_load(&pad->accepted_ms);
  const int32_t ago = (int32_t)(udp_now_ms() - at);
  return pitv_make_number(env, at == 0 ? -1 : ago < 0 ? 0 : ago);
}

/* udpSign(key, datagram: Uint8Array of 32 bytes): writes the MAC of the first 24 bytes into the last 8 */
static napi_value sign(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  if (!pitv_arguments(env, info, 2, arguments)) return NULL;
  const uint8_t *key = read_key(env, arguments[0]);
  if (key == NULL) return NULL;
  uint8_t *datagram = read_bytes(env, arguments[1], UDP_DATAGRAM_BYTES, "datagram must be a Uint8Array of 32 bytes.");
  if (datagram == NULL) return NULL;
  const uint64_t halves[2] = {sip_word(key), sip_word(key + 8)};
  const uint64_t mac = siphash_2_4(halves, datagram, SIGNED_BYTES / 8);
  for (int i = 0; i < 8; i++) datagram[SIGNED_BYTES + i] = (uint8_t)(mac >> 8 * i);
  return NULL;
}

PITV_FUNCTIONS(udp_pad, {"udpAdd", add_pad}, {"udpRemove", remove_pad}, {"udpSeat", seat_pad},
               {"udpUnseat", unseat_pad}, {"udpSilentMs", silent_ms}, {"udpSign", sign});
