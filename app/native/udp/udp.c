/* The door from JavaScript to the receivers of datagrams: udp.h. app/udp/native-udp.js is on the other side. */
#include "udp.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../memory.h"
#include "../napi-util.h"
#include "siphash.h"

#define MAX_BUFFER (64 << 20)
#define MAX_RATE 60000 /* what a window of pads.c can count */
#define KEY_BYTES 16
#define SIGNED_BYTES 24

static const napi_type_tag RECEIVERS_TAG = {0x70695456756470aa, 0x9c1e64f0b3d2a785};

/* What keeps a mailbox alive: the mapping, or a reference to the SharedArrayBuffer of threads. */
typedef struct memory_hold {
  pitv_mapping *mapping;
  napi_ref reference;
} memory_hold;

/* Only ever called on the thread of `context`, the environment. */
static void let_go(void *memory, void *context) {
  memory_hold *hold = memory;
  if (hold->mapping != NULL) pitv_memory_release(hold->mapping);
  if (hold->reference != NULL) napi_delete_reference((napi_env)context, hold->reference);
  free(hold);
}

/* The environment ends, or the object was collected; the threads must be gone before the memory is. */
static void end_all(void *data) {
  udp *all = data;
  udp_close(all);
  udp_pads_free(all);
}

static void finalize(napi_env env, void *data, void *hint) {
  (void)hint;
  napi_remove_env_cleanup_hook(env, end_all, data);
  end_all(data);
  free(data);
}

static udp *unwrap(napi_env env, napi_value value) {
  bool ours = false;
  void *data = NULL;
  if (napi_check_object_type_tag(env, value, &RECEIVERS_TAG, &ours) == napi_ok && ours)
    napi_unwrap(env, value, &data);
  if (data == NULL) pitv_throw_argument(env, "The first argument must come from udpOpen().");
  return data;
}

/* Reads the address of `host`, which has to be one and not a name. */
static bool read_address(napi_env env, napi_value host, int64_t port, udp_options *options) {
  char text[128], service[8];
  size_t length;
  const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                                 .ai_socktype = SOCK_DGRAM};
  struct addrinfo *found = NULL;
  if (napi_get_value_string_utf8(env, host, text, sizeof text, &length) != napi_ok) text[0] = 0;
  snprintf(service, sizeof service, "%d", (int)port);
  if (getaddrinfo(text, service, &hints, &found) != 0 || found == NULL) {
    pitv_throw_argument(env, "host must be an IP address.");
    return false;
  }
  memcpy(&options->address, found->ai_addr, found->ai_addrlen);
  options->address_bytes = found->ai_addrlen;
  freeaddrinfo(found);
  return true;
}

static int port_of(const udp *all) {
  struct sockaddr_storage address;
  socklen_t bytes = sizeof address;
  if (getsockname(all->receivers[0].socket, (struct sockaddr *)&address, &bytes) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                             : ((struct sockaddr_in *)&address)->sin_port);
}

/* udpOpen(host, port, receivers, pin, perSecond, bufferBytes) -> {receivers, port} */
static napi_value open_receivers(napi_env env, napi_callback_info info) {
  napi_value arguments[6], object, port_value, result;
  int64_t port, count, rate, buffer;
  udp_options options = {0};
  const char *call = "";
  if (!pitv_arguments(env, info, 6, arguments) ||
      !pitv_number(env, arguments[1], "port", 65535, &port) ||
      !pitv_number(env, arguments[2], "receivers", UDP_RECEIVERS, &count) ||
      !pitv_number(env, arguments[4], "perSecond", MAX_RATE, &rate) ||
      !pitv_number(env, arguments[5], "bufferBytes", MAX_BUFFER, &buffer) ||
      !read_address(env, arguments[0], port, &options))
    return NULL;
  if (count == 0) return pitv_throw_argument(env, "receivers must be at least 1.");
  if (napi_get_value_bool(env, arguments[3], &options.pin) != napi_ok)
    return pitv_throw_argument(env, "pin must be true or false.");
  options.receivers = (int)count;
  options.buffer_bytes = (int)buffer;

  udp *all = aligned_alloc(64, sizeof *all); /* its size is a multiple, as its alignment is 64 */
  if (all == NULL) return pitv_throw_errno(env, "malloc", ENOMEM, "Could not receive datagrams");
  memset(all, 0, sizeof *all);
  udp_pads_init(all, (uint32_t)rate, let_go, env);
  const int error = udp_open(all, &options, &call);
  if (error != 0) {
    free(all);
    return pitv_throw_errno(env, call, error, "Could not receive datagrams");
  }
  napi_add_env_cleanup_hook(env, end_all, all);
  if (napi_create_object(env, &object) != napi_ok ||
      napi_wrap(env, object, all, finalize, NULL, NULL) != napi_ok) {
    finalize(env, all, NULL);
    return pitv_throw_napi(env, "Could not hand the receivers over");
  }
  if (napi_type_tag_object(env, object, &RECEIVERS_TAG) != napi_ok ||
      napi_create_int32(env, port_of(all), &port_value) != napi_ok ||
      napi_create_object(env, &result) != napi_ok ||
      napi_set_named_property(env, result, "receivers", object) != napi_ok ||
      napi_set_named_property(env, result, "port", port_value) != napi_ok)
    return pitv_throw_napi(env, "Could not hand the receivers over");
  return result;
}

/* udpClose(receivers): idempotent. */
static napi_value close_receivers(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  udp *all;
  if (!pitv_arguments(env, info, 1, arguments) || (all = unwrap(env, arguments[0])) == NULL)
    return NULL;
  end_all(all);
  return NULL;
}

/* (receivers, pad, ...): all of them begin like that. */
static bool pad_arguments(napi_env env, napi_callback_info info, size_t count,
                          napi_value *arguments, udp **all, int64_t *id) {
  return pitv_arguments(env, info, count, arguments) &&
         (*all = unwrap(env, arguments[0])) != NULL &&
         pitv_number(env, arguments[1], "pad", UINT32_MAX, id);
}

/* The pad in the table that has this number, or NULL. */
static udp_pad *pad_of(udp *all, int64_t id) {
  udp_pad *pad = atomic_load(&all->pads[id % UDP_PADS]);
  return pad != NULL && pad->id == id ? pad : NULL;
}

/* udpAdd(receivers, pad, key): key is a Uint8Array of 16 bytes; who had the place before is out. */
static napi_value add_pad(napi_env env, napi_callback_info info) {
  napi_value arguments[3];
  int64_t id;
  void *key = NULL;
  size_t bytes = 0;
  napi_typedarray_type type;
  udp *all;
  if (!pad_arguments(env, info, 3, arguments, &all, &id)) return NULL;
  if (napi_get_typedarray_info(env, arguments[2], &type, &bytes, &key, NULL, NULL) != napi_ok ||
      type != napi_uint8_array || bytes != KEY_BYTES)
    return pitv_throw_argument(env, "key must be a Uint8Array of 16 bytes.");
  udp_pad *pad = calloc(1, sizeof *pad);
  if (pad != NULL) {
    pad->id = (uint32_t)id;
    for (int half = 0; half < 2; half++) pad->key[half] = sip_word((uint8_t *)key + 8 * half);
    if (udp_set_pad(all, (unsigned)(id % UDP_PADS), pad)) {
      udp_reap(all);
      return NULL;
    }
  }
  free(pad);
  return pitv_throw_errno(env, "malloc", ENOMEM, "Could not add the pad");
}

/* udpSign(key, datagram: Uint8Array of 32 bytes): writes the MAC of its first 24 bytes into the last 8 */
static napi_value sign(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  napi_typedarray_type key_type, type;
  void *key = NULL, *data = NULL;
  size_t key_bytes = 0, bytes = 0;
  if (!pitv_arguments(env, info, 2, arguments)) return NULL;
  if (napi_get_typedarray_info(env, arguments[0], &key_type, &key_bytes, &key, NULL, NULL) != napi_ok ||
      key_type != napi_uint8_array || key_bytes != KEY_BYTES)
    return pitv_throw_argument(env, "key must be a Uint8Array of 16 bytes.");
  if (napi_get_typedarray_info(env, arguments[1], &type, &bytes, &data, NULL, NULL) != napi_ok ||
      type != napi_uint8_array || bytes != SIGNED_BYTES + sizeof(uint64_t))
    return pitv_throw_argument(env, "datagram must be a Uint8Array of 32 bytes.");
  uint8_t *datagram = data;
  const uint64_t halves[2] = {sip_word(key), sip_word((uint8_t *)key + 8)};
  const uint64_t mac = siphash_2_4(halves, datagram, SIGNED_BYTES / 8);
  for (int i = 0; i < 8; i++) datagram[SIGNED_BYTES + i] = (uint8_t)(mac >> 8 * i);
  return NULL;
}

/* Takes a pad, or only its seat, away; nothing happens when it is not there. */
static napi_value take_away(napi_env env, napi_callback_info info, bool whole) {
  napi_value arguments[2];
  int64_t id;
  udp *all;
  if (!pad_arguments(env, info, 2, arguments, &all, &id)) return NULL;
  udp_pad *pad = pad_of(all, id);
  if (pad != NULL && !(whole ? udp_set_pad(all, (unsigned)(id % UDP_PADS), NULL)
                             : udp_set_seat(all, pad, NULL)))
    return pitv_throw_errno(env, "malloc", ENOMEM, "Could not take the pad away");
  udp_reap(all);
  return NULL;
}

/* udpRemove(receivers, pad) */
static napi_value remove_pad(napi_env env, napi_callback_info info) {
  return take_away(env, info, true);
}

/* udpUnseat(receivers, pad) */
static napi_value unseat_pad(napi_env env, napi_callback_info info) {
  return take_away(env, info, false);
}

/*
 * Of an Int32Array over shared memory. napi_get_typedarray_info() gives the address of a
 * SharedArrayBuffer's bytes as well; only an ArrayBuffer of the heap, which can be detached and freed
 * at any time, is refused.
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

/* udpSeat(receivers, pad, inputs, slot, match, generation) -> false: there is no such pad */
static napi_value seat_pad(napi_env env, napi_callback_info info) {
  napi_value arguments[6], result;
  int64_t id, slot, match, generation;
  void *data = NULL;
  size_t words = 0;
  udp *all;
  if (!pad_arguments(env, info, 6, arguments, &all, &id) ||
      !pitv_number(env, arguments[3], "slot", 255, &slot) ||
      !pitv_number(env, arguments[4], "match", 65535, &match) ||
      !pitv_number(env, arguments[5], "generation", 15, &generation))
    return NULL;
  udp_pad *pad = pad_of(all, id);
  if (pad != NULL) {
    memory_hold *hold = hold_memory(env, arguments[2], &data, &words);
    if (hold == NULL) return NULL;
    udp_seat *seat = (size_t)slot * 2 + 1 < words ? calloc(1, sizeof *seat) : NULL;
    if (seat != NULL) {
      seat->input = (_Atomic int32_t *)data + slot * 2;
      seat->generation = (uint32_t)generation << 26;
      seat->match = (uint16_t)match;
      seat->slot = (uint8_t)slot;
      atomic_store(&seat->offset, UINT32_MAX);
      seat->memory = hold;
    }
    if (seat == NULL || !udp_set_seat(all, pad, seat)) {
      free(seat);
      let_go(hold, env);
      return pitv_throw_argument(env, "There is no such slot, or no memory for it.");
    }
  }
  udp_reap(all);
  return napi_get_boolean(env, pad != NULL, &result) == napi_ok ? result : NULL;
}

/* udpHeard(receivers, pad) -> ms since its last accepted datagram, -1: there was none */
static napi_value heard(napi_env env, napi_callback_info info) {
  napi_value arguments[2], result;
  int64_t id;
  udp *all;
  if (!pad_arguments(env, info, 2, arguments, &all, &id)) return NULL;
  udp_reap(all);
  const udp_pad *pad = pad_of(all, id);
  const uint32_t at = pad == NULL ? 0 : atomic_load(&pad->heard_ms);
  int32_t ago = (int32_t)(udp_now_ms() - at);
  if (ago < 0) ago = 0;
  return napi_create_int32(env, at == 0 ? -1 : ago, &result) == napi_ok ? result : NULL;
}

/* udpCounters(receivers, target: Uint32Array): for each receiver its outcomes, then its overflows */
static napi_value counters(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  napi_typedarray_type type;
  void *data = NULL;
  size_t words = 0;
  udp *all;
  if (!pitv_arguments(env, info, 2, arguments) || (all = unwrap(env, arguments[0])) == NULL)
    return NULL;
  if (napi_get_typedarray_info(env, arguments[1], &type, &words, &data, NULL, NULL) != napi_ok ||
      type != napi_uint32_array || words < (size_t)all->receiver_count * (UDP_OUTCOMES + 1))
    return pitv_throw_argument(env, "target must be a Uint32Array with room for all counters.");
  uint32_t *at = data;
  for (int i = 0; i < all->receiver_count; i++) {
    for (int outcome = 0; outcome < UDP_OUTCOMES; outcome++)
      *at++ = atomic_load_explicit(&all->receivers[i].counts[outcome], memory_order_relaxed);
    *at++ = udp_overflows(&all->receivers[i]);
  }
  udp_reap(all);
  return NULL;
}

bool pitv_udp_init(napi_env env, napi_value exports) {
  return pitv_export(env, exports, "udpOpen", open_receivers) &&
         pitv_export(env, exports, "udpClose", close_receivers) &&
         pitv_export(env, exports, "udpAdd", add_pad) &&
         pitv_export(env, exports, "udpRemove", remove_pad) &&
         pitv_export(env, exports, "udpSeat", seat_pad) &&
         pitv_export(env, exports, "udpUnseat", unseat_pad) &&
         pitv_export(env, exports, "udpHeard", heard) &&
         pitv_export(env, exports, "udpCounters", counters) &&
         pitv_export(env, exports, "udpSign", sign);
}
