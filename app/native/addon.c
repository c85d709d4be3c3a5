/* The addon's entry. Each of the other files adds its own functions to the module's exports. */
#include "napi-util.h"

bool pitv_memory_init(napi_env env, napi_value exports);
bool pitv_process_init(napi_env env, napi_value exports);
bool pitv_fork_init(napi_env env, napi_value exports);
bool pitv_pipes_init(napi_env env, napi_value exports);
bool pitv_notify_init(napi_env env, napi_value exports);
bool pitv_udp_init(napi_env env, napi_value exports);
bool pitv_execute_init(napi_env env, napi_value exports);
bool pitv_malloc_init(napi_env env, napi_value exports);

NAPI_MODULE_INIT() {
  if (!pitv_memory_init(env, exports) || !pitv_process_init(env, exports) ||
      !pitv_fork_init(env, exports) || !pitv_pipes_init(env, exports) ||
      !pitv_udp_init(env, exports) || !pitv_notify_init(env, exports) ||
      !pitv_execute_init(env, exports) || !pitv_malloc_init(env, exports))
    return pitv_throw_napi(env, "Could not set the addon up");
  return exports;
}
