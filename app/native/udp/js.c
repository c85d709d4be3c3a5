/* The JavaScript functions of the receiver: open, close, count, and the key, seat and silence of pads. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../memory.h"
#include "../napi-util.h"
#include "siphash.h"
#include "udp.h"

#define MAX_RATE 60000
#define KEY_BYTES 16
#define SIGNED_BYTES 24

static const napi_type_tag RECEIVER_TAG = {0x70695456756470aa, 0x9c1e64f0b3d2a785};

/* Keeps a mailbox alive: its mapping, or a reference to the SharedArrayBuffer of a worker thread. */
typedef struct memory_hold {
  pitv_mapping *mapping;
  napi_ref reference;
} memory_hold;

/* Releases the memory of a seat. Must run on the thread of `env`. */
static void release_memory(void *memory, void *env) {
  memory_hold *hold = memory;
  if (hold->mapping != NULL) pitv_memory_release(hold->mapping);
  if (hold->reference != NULL) napi_delete_reference((napi_env)env, hold->reference);
  free(hold);
}

/* Joins the thread, then frees the pads. Runs when JavaScript closes the receiver and when the environment ends. */
static void stop(void *data) {
  udp *self = data;
  udp_close(self);
  udp_free_pads(self);
}

static void finalize(napi_env env, void *data, void *hint) {
  napi_remove_env_cleanup_hook(env, stop, data);
  stop(data);
  free(data);
}

/* Returns the receiver of an object made by udpOpen(). Throws and returns NULL for any other value. */
static udp *unwrap(napi_env env, napi_value value) {
  bool ours = false;
  void *data = NULL;
  if (napi_check_object_type_tag(env, value, &RECEIVER_TAG, &ours) == napi_ok && ours) napi_unwrap(env, value, &data);
  if (data == NULL) pitv_throw_argument(env, "The first argument must come from udpOpen().");
  return data;
}

/* Returns the elements of a typed array of this type and length. Throws and returns NULL for any other value. */
static void *read_array(napi_env env, napi_value value, napi_typedarray_type type, size_t length,
                        const char *sentence) {
  napi_typedarray_type given;
  void *data = NULL;
  size_t count = 0;
  if (napi_get_typedarray_info(env, value, &given, &count, &data, NULL, NULL) == napi_ok && given == type &&
      count == length)
    return data;
  pitv_throw_argument(env, sentence);
  return NULL;
}

static const uint8_t *read_key(napi_env env, napi_value value) {
  return read_array(env, value, napi_uint8_array, KEY_BYTES, "key must be a Uint8Array of 16 bytes.");
}

/* Reads the IP address `host`. Throws and returns false for a name or any other value. */
static bool read_address(napi_env env, napi_value host, int64_t port, struct sockaddr_storage *address,
                         socklen_t *bytes) {
  char text[128], service[8];
  size_t length;
  const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE, .ai_socktype = SOCK_DGRAM};
  struct addrinfo *found = NULL;
  if (napi_get_value_string_utf8(env, host, text, sizeof text, &length) != napi_ok) text[0] = 0;
  snprintf(service, sizeof service, "%d", (int)port);
  if (getaddrinfo(text, service, &hints, &found) != 0 || found == NULL)
    return pitv_refuse(env, "host must be an IP address.");
  memcpy(address, found->ai_addr, found->ai_addrlen);
  *bytes = found->ai_addrlen;
  freeaddrinfo(found);
  return true;
}

/* Returns the port of the socket; 0 when it is unknown. */
static int bound_port(const udp *self) {
  struct sockaddr_storage address;
  socklen_t bytes = sizeof address;
  if (getsockname(self->socket, (struct sockaddr *)&address, &bytes) != 0) return 0;
  return ntohs(((struct sockaddr_in *)&address)->sin_port); /* sin6_port is at the same place */
}

/* udpOpen(host, port, perSecond) -> {receiver, port} */
static napi_value open_receiver(napi_env env, napi_callback_info info) {
  napi_value arguments[3], object;
  int64_t port, rate;
  struct sockaddr_storage address = {0};
  socklen_t bytes = 0;
  const char *call = "";
  if (!pitv_arguments(env, info, 3, arguments) || !pitv_number(env, arguments[1], "port", 65535, &port) ||
      !pitv_number(env, arguments[2], "perSecond", MAX_RATE, &rate) ||
      !read_address(env, arguments[0], port, &address, &bytes))
    return NULL;

  udp *self = aligned_alloc(64, sizeof *self); /* the size is a multiple of 64, the struct's alignment */
  if (self == NULL) return pitv_throw_errno(env, "malloc", ENOMEM, "Could not receive datagrams");
  memset(self, 0, sizeof *self);
  udp_init(self, (uint32_t)rate, release_memory, env);
  const int error = udp_open(self, &address, bytes, &call);
  if (error != 0) {
    free(self);
    return pitv_throw_errno(env, call, error, "Could not receive datagrams");
  }
  napi_add_env_cleanup_hook(env, stop, self);
  if (napi_create_object(env, &object) != napi_ok || napi_wrap(env, object, self, finalize, NULL, NULL) != napi_ok) {
    finalize(env, self, NULL);
    return pitv_throw_napi(env, "Could not return the receiver");
  }
  if (napi_type_tag_object(env, object, &RECEIVER_TAG) != napi_ok)
    return pitv_throw_napi(env, "Could not return the receiver");
  return PITV_OBJECT(env, {"receiver", object}, {"port", pitv_make_number(env, bound_port(self))});
}

/* udpClose(receiver): ends the thread; idempotent */
static napi_value close_receiver(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  udp *self;
  if (!pitv_arguments(env, info, 1, arguments) || (self = unwrap(env, arguments[0])) == NULL) return NULL;
  stop(self);
  return NULL;
}

/* udpCounters(receiver, target: Uint32Array): writes the outcomes, then the overflows */
static napi_value read_counters(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  udp *self;
  if (!pitv_arguments(env, info, 2, arguments) || (self = unwrap(env, arguments[0])) == NULL) return NULL;
  uint32_t *at = read_array(env, arguments[1], napi_uint32_array, UDP_OUTCOMES + 1,
                            "target must be a Uint32Array with room for all counters.");
  if (at == NULL) return NULL;
  for (int outcome = 0; outcome < UDP_OUTCOMES; outcome++)
    *at++ = atomic_load_explicit(&self->counts[outcome], memory_order_relaxed);
  *at = udp_overflows(self);
  return NULL;
}

/* Reads the arguments (receiver, pad, ...) with which most functions begin. */
static bool read_arguments(napi_env env, napi_callback_info info, size_t count, napi_value *arguments,
                           udp **self, int64_t *id) {
  return pitv_arguments(env, info, count, arguments) && (*self = unwrap(env, arguments[0])) != NULL &&
         pitv_number(env, arguments[1], "pad", UINT32_MAX, id);
}

/* Returns the pad with this id, or NULL. */
static udp_pad *find_pad(udp *self, int64_t id) {
  udp_pad *pad = self->pads[id % UDP_MAX_PADS];
  return pad != NULL && pad->id == id ? pad : NULL;
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
  if (pad == NULL) return pitv_throw_errno(env, "malloc", ENOMEM, "Could not add the pad");
  pad->id = (uint32_t)id;
  for (int half = 0; half < 2; half++) pad->key[half] = sip_word(key + 8 * half);
  udp_set_pad(self, (unsigned)(id % UDP_MAX_PADS), pad);
  return NULL;
}

/* udpRemove(receiver, pad): does nothing when there is no such pad */
static napi_value remove_pad(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  int64_t id;
  udp *self;
  if (read_arguments(env, info, 2, arguments, &self, &id) && find_pad(self, id) != NULL)
    udp_set_pad(self, (unsigned)(id % UDP_MAX_PADS), NULL);
  return NULL;
}

/* udpUnseat(receiver, pad): does nothing when there is no such pad */
static napi_value unseat_pad(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  int64_t id;
  udp *self;
  if (!read_arguments(env, info, 2, arguments, &self, &id)) return NULL;
  udp_pad *pad = find_pad(self, id);
  if (pad != NULL) udp_set_seat(self, pad, NULL);
  return NULL;
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
  if (!read_arguments(env, info, 6, arguments, &self, &id) || !pitv_number(env, arguments[3], "slot", 255, &slot) ||
      !pitv_number(env, arguments[4], "match", 65535, &match) ||
      !pitv_number(env, arguments[5], "generation", 15, &generation))
    return NULL;
  udp_pad *pad = find_pad(self, id);
  if (pad != NULL) {
    memory_hold *hold = hold_memory(env, arguments[2], &data, &words);
    if (hold == NULL) return NULL;
    udp_seat *seat = (size_t)slot * 2 + 1 < words ? calloc(1, sizeof *seat) : NULL;
    if (seat == NULL) {
      release_memory(hold, env);
      return pitv_throw_argument(env, "There is no such slot, or no memory for it.");
    }
    seat->memory = hold;
    seat->input = (_Atomic int32_t *)data + slot * 2;
    seat->generation = (uint32_t)generation << 26;
    seat->match = (uint16_t)match;
    seat->slot = (uint8_t)slot;
    seat->offset = UDP_OFFSET_UNKNOWN;
    udp_set_seat(self, pad, seat);
  }
  return pitv_make_boolean(env, pad != NULL);
}

/* udpSilentMs(receiver, pad) -> ms since its last accepted datagram; -1 when there was none */
static napi_value silent_ms(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  int64_t id;
  udp *self;
  if (!read_arguments(env, info, 2, arguments, &self, &id)) return NULL;
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
  uint8_t *datagram = read_array(env, arguments[1], napi_uint8_array, UDP_DATAGRAM_BYTES,
                                 "datagram must be a Uint8Array of 32 bytes.");
  if (datagram == NULL) return NULL;
  const uint64_t halves[2] = {sip_word(key), sip_word(key + 8)};
  const uint64_t mac = siphash_2_4(halves, datagram, SIGNED_BYTES / 8);
  for (int i = 0; i < 8; i++) datagram[SIGNED_BYTES + i] = (uint8_t)(mac >> 8 * i);
  return NULL;
}

PITV_FUNCTIONS(udp, {"udpOpen", open_receiver}, {"udpClose", close_receiver}, {"udpCounters", read_counters},
               {"udpAdd", add_pad}, {"udpRemove", remove_pad}, {"udpSeat", seat_pad}, {"udpUnseat", unseat_pad},
               {"udpSilentMs", silent_ms}, {"udpSign", sign});
