/**
 * Options to launch Node.js processes whose pages can merge. Two processes that run the same program have equal pages
 * only if random numbers, addresses and the timing of garbage collections are equal, too. README.md describes the
 * levels and their costs.
 */
import { fileURLToPath } from 'node:url';
import { KsmError } from './errors.js';
import { GET_PERSONALITY, unsupported } from './features.js';
import { errnoName, native } from './native.js';

/** @typedef {'off' | 'mark' | 'seeds' | 'identical'} Level */
/** @type {readonly Level[]} */
export const LEVELS = Object.freeze(['off', 'mark', 'seeds', 'identical']);

/**
 * A launched process emits this event on `process` when it has loaded and warmed up; then its garbage is collected.
 * Emit it at a point that every process reaches after the same steps.
 */
export const SETTLE_EVENT = 'ksm:settle';

const PRELOAD = fileURLToPath(new URL('./preload.cjs', import.meta.url));

/** personality(2): disables the randomisation of stack, heap, mmap and vdso. */
const ADDR_NO_RANDOMIZE = 0x0040000;

/** When garbage is collected if the program has not emitted SETTLE_EVENT, and the young generation afterwards, ms. */
const SETTLE_AFTER_MS = 2000;
const TIDY_EVERY_MS = 1000;
/**
 * Random numbers and hashes are the same in every process. V8 compiles and collects garbage on the main thread only, so
 * that it does so in the same order everywhere, and no helper thread has a stack and a heap. A timer starts no garbage
 * collection. The code of V8's baseline compiler differs by 0.3 MiB, and the next compiler soon replaces it.
 */
const SAME_HEAP = [
  '--random-seed=1',
  '--hash-seed=1',
  '--single-threaded',
  '--no-sparkplug',
  '--expose-gc',
  '--no-minor-gc-task',
];

/**
 * Disables what glibc's malloc does differently in each process (mallopt(3); "Memory Allocation Tunables" in the glibc
 * manual; other C libraries ignore these):
 *   tcache_count     no cache, because each of its chunks contains a random key, in nearly every page
 *   perturb          overwrites freed memory, so that its old content does not make pages differ
 *   mmap_threshold   larger blocks are mappings of their own, which free() returns to the system
 */
const GLIBC_TUNABLES = [
  'glibc.malloc.tcache_count=0',
  'glibc.malloc.perturb=255',
  'glibc.malloc.mmap_threshold=32768',
].join(':');

/**
 * @typedef {object} MergeableSpawn
 * @property {string[]} execArgv options for node; put them before yours
 * @property {Record<string, string>} env variables to add to the child's environment
 * @property {<T>(spawn: () => T) => T} around calls a synchronous spawn with the address layout set
 */

/** @type {MergeableSpawn['around']} */
const unchanged = (spawn) => spawn();

/**
 * Returns what to pass to a spawn.
 * @param {{level?: Level}} [options] level: 'seeds' by default
 * @returns {MergeableSpawn}
 * @throws {KsmError} KSM_USAGE
 */
export function mergeableSpawnOptions({ level = 'seeds' } = {}) {
  if (!LEVELS.includes(level)) {
    const message = `The level must be one of ${LEVELS.join(', ')}, not ${level}.`;
    throw new KsmError('KSM_USAGE', message);
  }
  if (level === 'off') return { execArgv: [], env: {}, around: unchanged };
  const execArgv = ['--require', PRELOAD];
  if (level === 'mark') return { execArgv, env: {}, around: unchanged };
  const env = {
    PITV_KSM_SETTLE: `${SETTLE_AFTER_MS},${TIDY_EVERY_MS}`,
    GLIBC_TUNABLES,
    MALLOC_ARENA_MAX: '1',
    UV_THREADPOOL_SIZE: '1',
  };
  const around = level === 'identical' ? withoutAslr : unchanged;
  return { execArgv: [...execArgv, ...SAME_HEAP], env, around };
}

/**
 * Calls a synchronous spawn with address space randomisation off for the child. The child inherits the personality of
 * this thread, and the kernel reads it when it executes the child's program. The personality is restored afterwards,
 * also after an error. The addresses of this process do not change.
 * @template T
 * @param {() => T} spawn calls child_process.spawn(), fork() or cluster.fork(), and returns after the fork
 * @returns {T} the result of spawn()
 * @throws {KsmError} KSM_UNSUPPORTED when a sandbox forbids personality(2); then spawn() is not called
 */
export function withoutAslr(spawn) {
  const addon = native();
  const before = addon.personality(GET_PERSONALITY);
  const set = before < 0 ? before : addon.personality(before | ADDR_NO_RANDOMIZE);
  if (set < 0) {
    const why = `personality(2) gave ${errnoName(set)}`;
    throw unsupported("Address randomisation can't be switched off", ['personality'], why);
  }
  try {
    return spawn();
  } finally {
    addon.personality(before);
  }
}

/** Returns whether this process runs without address space randomisation. @throws {KsmError} KSM_UNSUPPORTED */
export function aslrIsOff() {
  const now = native().personality(GET_PERSONALITY);
  return now >= 0 && (now & ADDR_NO_RANDOMIZE) !== 0;
}
