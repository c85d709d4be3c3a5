/* Declarations that the JavaScript functions of js-receiver.c and js-pads.c share. */
#ifndef PITV_UDP_JS_H
#define PITV_UDP_JS_H

#include "../napi-util.h"
#include "udp.h"

/* js-receiver.c. Returns the receiver of an object made by udpOpen(). Throws and returns NULL for any other value. */
udp *udp_unwrap(napi_env env, napi_value value);

/* js-pads.c. Releases the memory of a seat. Must run on the thread of `env`. */
void udp_release_memory(void *memory, void *env);

#endif
