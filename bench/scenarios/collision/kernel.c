/*
 * app/game/kernel.c as native code, to compare the cost of the same algorithm without JavaScript
 * and WebAssembly. native-kernel.js builds it on demand.
 */
#include <node_api.h>

#include "../../../app/game/kernel.c"

static uint8_t *arguments(napi_env env, napi_callback_info info, uint32_t *numbers, size_t count) {
  napi_value values[4];
  size_t given = 4;
  void *memory = NULL;
  size_t bytes;
  napi_get_cb_info(env, info, &given, values, NULL, NULL);
  napi_get_arraybuffer_info(env, values[0], &memory, &bytes);
  for (size_t i = 0; i < count; i++) napi_get_value_uint32(env, values[i + 1], &numbers[i]);
  return memory;
}

/* integrate(buffer, parametersOffset, high, bounce) */
static napi_value callIntegrate(napi_env env, napi_callback_info info) {
  uint32_t n[3] = {0};
  uint8_t *memory = arguments(env, info, n, 3);
  if (memory) integrate(memory, n[0], n[1], n[2]);
  return NULL;
}

/* findPairs(buffer, parametersOffset, high) -> pairs */
static napi_value callFindPairs(napi_env env, napi_callback_info info) {
  uint32_t n[2] = {0};
  uint8_t *memory = arguments(env, info, n, 2);
  napi_value result;
  napi_create_uint32(env, memory ? findPairs(memory, n[0], n[1]) : 0, &result);
  return result;
}

NAPI_MODULE_INIT() {
  napi_value function;
  napi_create_function(env, "integrate", NAPI_AUTO_LENGTH, callIntegrate, NULL, &function);
  napi_set_named_property(env, exports, "integrate", function);
  napi_create_function(env, "findPairs", NAPI_AUTO_LENGTH, callFindPairs, NULL, &function);
  napi_set_named_property(env, exports, "findPairs", function);
  return exports;
}
