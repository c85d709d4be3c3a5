/* The addon's entry point. Registers the functions of every file. */
#include "napi-util.h"

extern const pitv_function pitv_memory_functions[], pitv_process_functions[], pitv_pipes_functions[],
    pitv_malloc_functions[], pitv_descriptors_functions[], pitv_udp_receiver_functions[], pitv_udp_pad_functions[],
    pitv_fork_functions[], pitv_fork_descriptors_functions[], pitv_fork_loop_functions[],
    pitv_fork_revive_functions[], pitv_fork_wire_functions[], pitv_lock_functions[], pitv_lock_preload_functions[],
    pitv_pool_fault_functions[], pitv_pool_events_functions[];

static const pitv_function *const TABLES[] = {
    pitv_memory_functions, pitv_process_functions, pitv_pipes_functions, pitv_malloc_functions,
    pitv_descriptors_functions, pitv_udp_receiver_functions, pitv_udp_pad_functions, pitv_fork_functions,
    pitv_fork_descriptors_functions, pitv_fork_loop_functions, pitv_fork_revive_functions, pitv_fork_wire_functions,
    pitv_lock_functions, pitv_lock_preload_functions, pitv_pool_fault_functions, pitv_pool_events_functions,
};

NAPI_MODULE_INIT() {
  if (!pitv_watch_environment(env)) return pitv_throw_napi(env, "Could not initialize the addon");
  for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES; i++)
    if (!pitv_export(env, exports, TABLES[i]))
      return pitv_throw_napi(env, "Could not initialize the addon");
  return exports;
}
