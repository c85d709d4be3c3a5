/** How the program of a zygote is started: Node's and V8's flags, and its environment. */
import { NATIVE_FILE } from '../../native/native.js';

/** Without these a zygote can't be: no thread of V8's own has work of which a fork may take half along. */
const NEEDED_FLAGS = ['--single-threaded', '--v8-pool-size=1', '--expose-internals', '--expose-gc'];
/**
 * With these its children stay small: no collection just to give memory back (it writes to all that
 * is shared), new objects in few pages over and over (and no more than there are), and no forgetting of what was compiled.
 */
const SHARING_FLAGS = [
  '--no-memory-reducer',
  '--semi-space-growth-factor=1',
  '--minor-gc-task-trigger=5',
  '--no-flush-bytecode',
  '--no-wasm-generic-wrapper',
];
export const ZYGOTE_FLAGS = Object.freeze([...NEEDED_FLAGS, ...SHARING_FLAGS]);
/** The inspector's thread would not come along. */
const INSPECT = /(^|\s)--inspect\S*(=\S+)?/g;

/** @param {NodeJS.ProcessEnv} given @returns {NodeJS.ProcessEnv} */
export function zygoteEnvironment(given) {
  const env = { ...given };
  if (env.UV_USE_IO_URING) env.UV_USE_IO_URING = '0'; // uv_loop_fork() loses what is under way there
  if (env.NODE_OPTIONS) env.NODE_OPTIONS = env.NODE_OPTIONS.replace(INSPECT, '');
  // See native/zygote/revive.c. A name with a space or a colon can't be told to the dynamic linker.
  if (!/[ :]/.test(NATIVE_FILE)) {
    env.LD_PRELOAD = [NATIVE_FILE, given.LD_PRELOAD].filter(Boolean).join(':');
  }
  // Once, and not in each child, each time a function is called for the first time (ld.so(8)).
  env.LD_BIND_NOW = '1';
  return env;
}
