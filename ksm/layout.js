/**
 * Launches Node.js processes whose pages CAN merge. Two processes that did the same have the same
 * pages only if nothing random, no address and no moment differs between them; this says what to
 * pass to a spawn so that it is so. README.md has what each part gains and what it gives up.
 */
import { fileURLToPath } from 'node:url';
import { KsmError } from './errors.js';
import { ASK_PERSONALITY, unsupported } from './features.js';
import { errnoName, native } from './native.js';

/** @typedef {'off' | 'mark' | 'seeds' | 'identical'} Level */
/** @type {readonly Level[]} */
export const LEVELS = Object.freeze(['off', 'mark', 'seeds', 'identical']);

/**
 * `process.emit(SETTLE_EVENT)` in a launched process: all is loaded and warm, what is garbage now may
 * go. The best moment is one that every process reaches after the same steps.
 */
export const SETTLE_EVENT = 'ksm:settle';

const PRELOAD = fileURLToPath(new URL('./preload.cjs', import.meta.url));

/** personality(2): no randomisation of stack, heap, mmap and vdso. */
const ADDR_NO_RANDOMIZE = 0x0040000;

const SETTLE_AFTER_MS = 2000;
const TIDY_EVERY_MS = 1000;

/**
 * What glibc's malloc does differently from process to process, switched off (mallopt(3), the glibc
 * manual's "Memory Allocation Tunables"; another C library ignores them):
 *   tcache_count     each chunk in a thread's cache carries a random key, one in nearly every page
 *   perturb          freed memory is overwritten, so that its old content does not count as different
 *   mmap_threshold   larger pieces are mappings of their own, which go back when they are freed
 */
const GLIBC_TUNABLES = [
  'glibc.malloc.tcache_count=0',
  'glibc.malloc.perturb=255',
  'glibc.malloc.mmap_threshold=32768',
].join(':');

/**
 * @typedef {object} LayoutOptions
 * @property {Level} [level] sets the ones below; default 'seeds'
 * @property {'keep' | 'off'} [aslr] 'off': every process gets the same addresses
 * @property {'keep' | 'off'} [v8Threads] 'off': V8 compiles and collects on the main thread only, so
 *   that it does so in the same order everywhere, and no helper thread has a stack and a heap
 * @property {number} [seed] of V8's random numbers and hashes, 1..2^31-1; undefined keeps them random.
 *   Math.random() then gives the same sequence in every process
 * @property {number} [settleAfterMs] garbage is collected so long after the start for a program that
 *   never emits SETTLE_EVENT, milliseconds; 0: garbage is left to V8 altogether
 * @property {number} [tidyEveryMs] and how often the young generation is emptied from then on,
 *   milliseconds; 0 never
 */

/**
 * @typedef {object} MergeableSpawn
 * @property {string[]} execArgv for node itself; goes before yours
 * @property {Record<string, string>} env to be merged into the child's environment
 * @property {<T>(spawn: () => T) => T} around calls a synchronous spawn with the address layout set
 */

/**
 * @param {LayoutOptions} [options]
 * @returns {MergeableSpawn}
 * @throws {KsmError} KSM_USAGE
 */
export function mergeableSpawnOptions(options = {}) {
  const { level = 'seeds' } = options;
  if (!LEVELS.includes(level)) {
    const message = `The level must be one of ${LEVELS.join(', ')}, not ${level}.`;
    throw new KsmError('KSM_USAGE', message);
  }
  if (level === 'off') return { execArgv: [], env: {}, around: (spawn) => spawn() };
  const alike = level !== 'mark';
  const {
    aslr = level === 'identical' ? 'off' : 'keep',
    v8Threads = alike ? 'off' : 'keep',
    seed = alike ? 1 : undefined,
    settleAfterMs = alike ? SETTLE_AFTER_MS : 0,
    tidyEveryMs = alike ? TIDY_EVERY_MS : 0,
  } = options;
  checkSeed(seed);

  const execArgv = ['--require', PRELOAD];
  if (seed !== undefined) execArgv.push(`--random-seed=${seed}`, `--hash-seed=${seed}`);
  if (v8Threads === 'off') execArgv.push('--single-threaded');
  // Code of V8's first compiler is soon replaced by the second one's: 0.3 MiB that differ.
  if (alike) execArgv.push('--no-sparkplug');
  // No collection at a moment that a clock chooses.
  if (settleAfterMs > 0) execArgv.push('--expose-gc', '--no-minor-gc-task');
  /** @type {Record<string, string>} */
  const env = { PITV_KSM_SETTLE: `${settleAfterMs},${tidyEveryMs}` };
  if (alike) Object.assign(env, { GLIBC_TUNABLES, MALLOC_ARENA_MAX: '1', UV_THREADPOOL_SIZE: '1' });
  return { execArgv, env, around: aslr === 'off' ? withoutAslr : (spawn) => spawn() };
}

/** @param {number | undefined} seed */
function checkSeed(seed) {
  if (seed === undefined) return;
  if (!Number.isInteger(seed) || seed < 1 || seed > 0x7fffffff) {
    const message = `The seed must be a whole number from 1 to 2147483647, not ${seed}.`;
    throw new KsmError('KSM_USAGE', message);
  }
}

/**
 * Calls a synchronous spawn with address space randomisation off, for the child only: the child
 * inherits this thread's personality, and the kernel reads it when it executes the child's program.
 * It is put back in every case, and this process's own addresses stay as they are.
 * @template T
 * @param {() => T} spawn child_process.spawn, fork, cluster.fork ...: what must have forked when it returns
 * @returns {T} what it gave
 * @throws {KsmError} KSM_UNSUPPORTED when a sandbox forbids personality(2); nothing is spawned then
 */
export function withoutAslr(spawn) {
  const addon = native();
  const before = addon.personality(ASK_PERSONALITY);
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

/**
 * @returns {boolean} whether this process runs without address space randomisation
 * @throws {KsmError} KSM_UNSUPPORTED
 */
export function aslrIsOff() {
  const now = native().personality(ASK_PERSONALITY);
  return now >= 0 && (now & ADDR_NO_RANDOMIZE) !== 0;
}
