/* The JavaScript functions that open, close and count. app/udp/receiver.js calls them. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "js.h"

#define MAX_RATE 60000

static const napi_type_tag RECEIVER_TAG = {0x70695456756470aa, 0x9c1e64f0b3d2a785};

/* Joins the thread, then frees the pads. Runs when JavaScript closes the receiver and when the environment ends. */
static void stop(void *data) {
  udp *self = data;
  udp_close(self);
  udp_free_pads(self);
}

static void finalize(napi_env env, void *data, void *hint) {
  (void)hint;
  napi_remove_env_cleanup_hook(env, stop, data);
  stop(data);
  free(data);
}

udp *udp_unwrap(napi_env env, napi_value value) {
  bool ours = false;
  void *data = NULL;
  if (napi_check_object_type_tag(env, value, &RECEIVER_TAG, &ours) == napi_ok && ours)
    napi_unwrap(env, value, &data);
  if (data == NULL) pitv_throw_argument(env, "The first argument must come from udpOpen().");
  return data;
}

/* Reads the IP address `host`. Throws and returns false for a name or any other value. */
static bool read_address(napi_env env, napi_value host, int64_t port, struct sockaddr_storage *address,
                         socklen_t *bytes) {
  char text[128], service[8];
  size_t length;
  const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                                 .ai_socktype = SOCK_DGRAM};
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
  return ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                             : ((struct sockaddr_in *)&address)->sin_port);
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
  udp_init(self, (uint32_t)rate, udp_release_memory, env);
  const int error = udp_open(self, &address, bytes, &call);
  if (error != 0) {
    free(self);
    return pitv_throw_errno(env, call, error, "Could not receive datagrams");
  }
  napi_add_env_cleanup_hook(env, stop, self);
  if (napi_create_object(env, &object) != napi_ok ||
      napi_wrap(env, object, self, finalize, NULL, NULL) != napi_ok) {
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
  if (!pitv_arguments(env, info, 1, arguments) || (self = udp_unwrap(env, arguments[0])) == NULL)
    return NULL;
  stop(self);
  return NULL;
}

/* udpCounters(receiver, target: Uint32Array): writes the outcomes, then the overflows */
static napi_value read_counters(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  napi_typedarray_type type;
  void *data = NULL;
  size_t words = 0;
  udp *self;
  if (!pitv_arguments(env, info, 2, arguments) || (self = udp_unwrap(env, arguments[0])) == NULL)
    return NULL;
  if (napi_get_typedarray_info(env, arguments[1], &type, &words, &data, NULL, NULL) != napi_ok ||
      type != napi_uint32_array || words < UDP_OUTCOMES + 1)
    return pitv_throw_argument(env, "target must be a Uint32Array with room for all counters.");
  uint32_t *at = data;
  for (int outcome = 0; outcome < UDP_OUTCOMES; outcome++)
    *at++ = atomic_load_explicit(&self->counts[outcome], memory_order_relaxed);
  *at = udp_overflows(self);
  udp_reap(self);
  return NULL;
}

PITV_FUNCTIONS(udp_receiver, {"udpOpen", open_receiver}, {"udpClose", close_receiver},
               {"udpCounters", read_counters});
