/* The addon's entry point. Registers the functions of every file. */
#include "napi-util.h"

/* The names of all tables, see PITV_FUNCTIONS(). */
#define TABLES(use) \
  use(memory) use(process) use(pipes) use(malloc) use(descriptors) use(udp) use(fork) use(fork_child) \
  use(fork_descriptors) use(fork_loop) use(fork_revive) use(fork_wire) use(lock) use(lock_preload) \
  use(pool_fault) use(pool_events)
#define DECLARE(table) extern const pitv_function pitv_##table##_functions[];
#define LIST(table) pitv_##table##_functions,

TABLES(DECLARE)
static const pitv_function *const ALL[] = {TABLES(LIST)};

NAPI_MODULE_INIT() {
  bool done = true;
  for (size_t i = 0; done && i < sizeof ALL / sizeof *ALL; i++) done = pitv_export(env, exports, ALL[i]);
  return done ? exports : pitv_throw_napi(env, "Could not initialize the addon");
}
