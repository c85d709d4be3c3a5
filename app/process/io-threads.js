/**
 * The size of libuv's thread pool, which does what has no other asynchronous way: files, hashing, names
 * of hosts. libuv reads UV_THREADPOOL_SIZE once, when the pool is first used, and Node uses it to load
 * the very first ES module: what a program sets then is too late. So the program is started again in
 * its own place (execve(2): the same process, the same descriptors) with the variable set, before it has
 * done anything. That costs a start of Node, and only where another size is wanted than the one that is
 * there. With UV_THREADPOOL_SIZE in the environment (of a systemd unit, say) it is never needed.
 */
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../errors.js';

export const IO_THREADS_MOST = 128;
/** What libuv takes at most, and when it is not told. */
const LIBUV_MOST = 1024;
const LIBUV_DEFAULT = 4;
const VARIABLE = 'UV_THREADPOOL_SIZE';
const SETTING = 'PITV_IO_THREADS';

/**
 * For each kind of work, how many threads gain something; measured by `pitv bench run threadpool`.
 * @param {object} where
 * @param {number} where.cores
 * @param {number} where.busy workers that keep a core busy each, most of the time
 * @param {'hashing' | 'disk' | 'mixed'} where.work hashing computes; disk waits, and computes nothing;
 *   mixed is a TV: a login's hash at a time, and files of pages, pictures, checkpoints beside it
 * @returns {number} 1..128
 */
export function ioThreads({ cores, busy, work }) {
  // More threads than cores that are free only take turns; one there must be.
  const computing = Math.max(1, cores - busy);
  // A thread that waits takes no core; cards and USB disks answer a few requests at once, no more.
  const waiting = LIBUV_DEFAULT;
  const wanted = { hashing: computing, disk: waiting, mixed: Math.max(LIBUV_DEFAULT, computing) };
  return Math.min(IO_THREADS_MOST, wanted[work]);
}

/** @param {Record<string, string | undefined>} [env] @returns {number} threads of this process's pool */
export function poolSize(env = process.env) {
  const size = Math.trunc(Number(env[VARIABLE])) || LIBUV_DEFAULT;
  return Math.min(LIBUV_MOST, Math.max(1, size));
}

/**
 * @param {string[]} argv what follows `pitv`
 * @param {Record<string, string | undefined>} env
 * @param {number} [cores]
 * @returns {number | undefined} the size that is asked for; undefined: none is, or none that makes sense
 *   (the settings will say so)
 */
export function wantedSize(argv, env, cores = availableParallelism()) {
  if (argv[0] !== 'serve') return undefined;
  const text = optionOf(argv, '--io-threads') ?? env[SETTING] ?? 'auto';
  if (text !== 'auto') {
    const size = Number(text);
    return /^\d{1,3}$/.test(text) && size >= 1 && size <= IO_THREADS_MOST ? size : undefined;
  }
  if (env[VARIABLE] !== undefined) return undefined; // whoever set it knows why
  const games = Number(optionOf(argv, '--max-matches') ?? env.PITV_MAX_MATCHES);
  return ioThreads({ cores, busy: Math.min(cores, games || cores), work: 'mixed' });
}

/** The last one counts, as in parseArgs(). @param {string[]} argv @param {string} flag */
function optionOf(argv, flag) {
  const at = argv.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (at < 0) return undefined;
  return argv[at] === flag ? argv[at + 1] : argv[at].slice(flag.length + 1);
}

/**
 * Gives the pool the wanted size. Before anything else: if it has another one this does not return, and
 * the program begins anew. Where that is not possible it returns; see checkPool().
 * @param {string[]} argv what follows `pitv`
 */
export function sizePool(argv) {
  const wanted = wantedSize(argv, process.env);
  // A channel to the parent would be lost: Node has taken its descriptor out of the environment.
  if (wanted === undefined || wanted === poolSize() || process.channel) return;
  const execute = replacer();
  if (!execute) return;
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  try {
    execute(process.execPath, args, { ...process.env, [VARIABLE]: String(wanted) });
  } catch {
    // It goes on as it is.
  }
}

/** @typedef {(path: string, args: string[], env: Record<string, string | undefined>) => void} Execute */

/** @returns {Execute | undefined} throws when it cannot */
function replacer() {
  const file = new URL(`../../build/${process.arch}/pitv.node`, import.meta.url);
  try {
    const { replaceProcess } = createRequire(import.meta.url)(fileURLToPath(file));
    return (path, args, env) =>
      replaceProcess(
        path,
        args,
        Object.entries(env).map(([name, value]) => `${name}=${value}`),
      );
  } catch {
    const { execve } = /** @type {any} */ (process); // Node 22.15, experimental: it warns
    return typeof execve === 'function' ? execve.bind(process) : undefined;
  }
}

/**
 * For a program that has begun: is the pool as the setting says? What it starts later gets libuv's own
 * size, for workers hardly use theirs.
 * @param {number | 'auto'} setting
 * @returns {Promise<number>} its size
 * @throws {PitvError} PITV_IO_THREADS
 */
export async function checkPool(setting) {
  const size = poolSize();
  if (setting !== 'auto' && setting !== size) {
    const sentence =
      `The thread pool has ${size} threads and could not be given ${setting}. ` +
      `Set UV_THREADPOOL_SIZE=${setting} in the environment, or run make native.`;
    throw new PitvError('PITV_IO_THREADS', sentence);
  }
  await stat('.').catch(() => {}); // from now on the pool is there, if it was not
  delete process.env[VARIABLE];
  return size;
}
