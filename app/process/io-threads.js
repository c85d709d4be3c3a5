/**
 * The size of libuv's thread pool. The pool does the work that has no other asynchronous way: files, hashing and DNS
 * lookups. libuv reads UV_THREADPOOL_SIZE once, when the pool is first used, and Node.js uses it to load the first ES
 * module, so a program cannot set the variable for itself. Instead, `pitv` sets it and executes itself again
 * (execve(2): the same process, the same descriptors) before it does anything else. This costs one start of Node.js,
 * and only if the wanted size differs from the current one. It is never needed if UV_THREADPOOL_SIZE is in the
 * environment, for example of a systemd unit.
 */
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { PitvError } from '../errors.js';
import { NATIVE_FILE } from '../native/native.js';

export const MAX_IO_THREADS = 128;
/** libuv's own limit and default. */
const MAX_LIBUV_THREADS = 1024;
const DEFAULT_LIBUV_THREADS = 4;
const LIBUV_VARIABLE = 'UV_THREADPOOL_SIZE';
const PITV_VARIABLE = 'PITV_IO_THREADS';

/** Returns the size of this process's pool. @param {Record<string, string | undefined>} [env] */
export function poolSize(env = process.env) {
  const size = Math.trunc(Number(env[LIBUV_VARIABLE])) || DEFAULT_LIBUV_THREADS;
  return Math.min(MAX_LIBUV_THREADS, Math.max(1, size));
}

/**
 * Returns the size that the arguments and the environment request.
 * @param {string[]} argv the arguments after `pitv`
 * @param {Record<string, string | undefined>} env
 * @param {number} [cores]
 * @returns {number | undefined} undefined: none, or an invalid one, which the check of the settings reports
 */
export function requestedPoolSize(argv, env, cores = availableParallelism()) {
  if (argv[0] !== 'serve') return undefined;
  const text = findOption(argv, '--io-threads') ?? env[PITV_VARIABLE] ?? 'auto';
  if (text !== 'auto') {
    const size = Number(text);
    return /^\d{1,3}$/.test(text) && size >= 1 && size <= MAX_IO_THREADS ? size : undefined;
  }
  if (env[LIBUV_VARIABLE] !== undefined) return undefined; // an explicit size wins over `auto`
  const games = Number(findOption(argv, '--max-matches') ?? env.PITV_MAX_MATCHES);
  // For hashes, more threads than free cores only take turns, and beside busy games they delay ticks. A thread that
  // waits for a file needs no core, but SD cards and USB disks process only a few requests at once.
  const freeCores = Math.max(0, cores - (games || cores));
  return Math.min(MAX_IO_THREADS, Math.max(DEFAULT_LIBUV_THREADS, freeCores));
}

/** Returns the last value of an option, as parseArgs() does. @param {string[]} argv @param {string} flag */
function findOption(argv, flag) {
  const at = argv.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (at < 0) return undefined;
  return argv[at] === flag ? argv[at + 1] : argv[at].slice(flag.length + 1);
}

/**
 * Restarts the program in this process if the pool has another size than requested; then it does not return. Call it
 * before anything else. It returns where a restart is not possible; verifyPoolSize() reports that.
 * @param {string[]} argv the arguments after `pitv`
 */
export function applyPoolSize(argv) {
  const wanted = requestedPoolSize(argv, process.env);
  // A restart would lose the channel to the parent: Node.js has removed its descriptor from the environment.
  if (wanted === undefined || wanted === poolSize() || process.channel) return;
  const execute = findExecve();
  if (!execute) return;
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  try {
    execute(process.execPath, args, { ...process.env, [LIBUV_VARIABLE]: String(wanted) });
  } catch {
    // The program continues with the current size.
  }
}

/**
 * Returns a function that executes another program in this process, of the addon or of Node.js.
 * @returns {((path: string, args: string[], env: Record<string, string | undefined>) => void) | undefined} throws on
 *   failure
 */
function findExecve() {
  try {
    const { replaceProcess } = createRequire(import.meta.url)(NATIVE_FILE);
    return (path, args, env) =>
      replaceProcess(
        path,
        args,
        Object.entries(env).map(([name, value]) => `${name}=${value}`),
      );
  } catch {
    const { execve } = /** @type {any} */ (process); // since Node.js 22.15; experimental, so it prints a warning
    return typeof execve === 'function' ? execve.bind(process) : undefined;
  }
}

/**
 * Checks that the pool has the size of the setting, and starts the pool. Processes that are started later get libuv's
 * default size, because workers hardly use theirs.
 * @param {number | 'auto'} setting
 * @returns {Promise<number>} the size
 * @throws {PitvError} PITV_IO_THREADS
 */
export async function verifyPoolSize(setting) {
  const size = poolSize();
  if (setting !== 'auto' && setting !== size) {
    const sentence =
      `The thread pool has ${size} threads and could not be given ${setting}. ` +
      `Set UV_THREADPOOL_SIZE=${setting} in the environment, or run make native.`;
    throw new PitvError('PITV_IO_THREADS', sentence);
  }
  await stat('.').catch(() => {}); // starts the pool before the variable is deleted
  delete process.env[LIBUV_VARIABLE];
  return size;
}
