/** Defines the flags of Node and V8 and the environment of a zygote. */
import { NATIVE_FILE } from '../../native/native.js';

/** Required: a fork must not find V8's own threads in the middle of a task. */
const REQUIRED_FLAGS = [
  '--single-threaded',
  '--v8-pool-size=1',
  '--expose-internals',
  '--expose-gc',
];
/**
 * Keep the children small: no garbage collection that only returns memory (it writes to shared pages), new objects in
 * the same few pages of a young generation that does not grow, and no discarding of compiled code.
 */
const SHARING_FLAGS = [
  '--no-memory-reducer',
  '--semi-space-growth-factor=1',
  '--minor-gc-task-trigger=5',
  '--no-flush-bytecode',
  '--no-wasm-generic-wrapper',
];

/**
 * Returns the flags of a zygote. V8 uses the last of equal ones, and a program may have others: the test runner of
 * Node.js starts test files with --v8-pool-size=4.
 * @param {string[]} further
 */
export const zygoteFlags = (further) => [...SHARING_FLAGS, ...further, ...REQUIRED_FLAGS];

/** A fork does not have the inspector's thread. */
const INSPECT = /(^|\s)--inspect\S*(=\S+)?/g;

/** Returns the environment of a zygote. @param {NodeJS.ProcessEnv} base @returns {NodeJS.ProcessEnv} */
export function zygoteEnvironment(base) {
  const env = { ...base };
  if (env.UV_USE_IO_URING) env.UV_USE_IO_URING = '0'; // uv_loop_fork() loses its pending operations
  if (env.NODE_OPTIONS) env.NODE_OPTIONS = env.NODE_OPTIONS.replace(INSPECT, '');
  // See native/zygote/revive.c. LD_PRELOAD cannot contain a path with a space or a colon.
  if (!/[ :]/.test(NATIVE_FILE)) {
    env.LD_PRELOAD = [NATIVE_FILE, base.LD_PRELOAD].filter(Boolean).join(':');
  }
  // The dynamic linker resolves all functions in the zygote, not on their first call in each child (ld.so(8)).
  env.LD_BIND_NOW = '1';
  return env;
}
