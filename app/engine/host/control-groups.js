/**
 * Limits each process that runs code of others by a control group of its own (cgroup v2), where systemd delegates its
 * groups to the TV: `Delegate=` and `DelegateSubgroup=tv` in the unit. Elsewhere nothing changes.
 *
 *     pitv.service/            no processes; its MemoryMax= and TasksMax= apply to all below
 *     pitv.service/tv          the TV, its zygote and the workers of its own games
 *     pitv.service/games/PID   a process that runs code of others
 *
 * The limits that a locked process sets itself come first (native/lock/privileges.c): with them it fails in a way that
 * names the reason. A group also counts what those do not, such as memory of the kernel and pages of files, and shares
 * the processor between all games of others together and the TV.
 *
 * Source: Documentation/admin-guide/cgroup-v2.rst of Linux; systemd.resource-control(5).
 */
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../../errors.js';

/** The group that systemd starts the TV in. Its name says that the group above it is delegated. */
const OWN = 'tv';
const OTHERS = 'games';
const CONTROLLERS = ['memory', 'pids', 'cpu'];
/** The share of a process of niceness 5, which workers have, beside one of niceness 0; the TV has 100. */
const CPU_WEIGHT = 33;
/** Threads of Node.js: a locked process has about ten. */
const MAX_THREADS = 64;
/** Pages of files and of the kernel, on top of the process's own limit. */
const EXTRA_MIB = 128;
const MIB = 1024 * 1024;

/** The group of all games of others; undefined: there is none. @type {string | undefined} */
let others;
/** Groups that could not be removed when their process had ended. @type {Set<string>} */
const left = new Set();

/**
 * Makes the group for games of others, if the TV's groups are delegated to it.
 * @param {{root?: string, own?: string}} [where] for tests: where cgroup2 is mounted, and a list of own groups
 * @returns {Promise<string[] | undefined>} the controllers that limit processes; undefined if groups are not delegated
 * @throws {Error} the group cannot be made
 */
export async function openControlGroups({
  root = '/sys/fs/cgroup',
  own = '/proc/self/cgroup',
} = {}) {
  const [, path = ''] = /^0::(.*)$/m.exec(await readFile(own, 'utf8').catch(() => '')) ?? [];
  others = undefined;
  if (basename(path) !== OWN) return undefined;
  const unit = join(root, dirname(path));
  const games = join(unit, OTHERS);
  await mkdir(games, { recursive: true });
  const used = [];
  for (const name of CONTROLLERS) {
    const inBoth = (await enable(unit, name)) && (await enable(games, name));
    if (inBoth) used.push(name);
  }
  await set(games, 'cpu.weight', CPU_WEIGHT);
  // Node.js looks at the limit of its own group only (process.availableMemory()).
  const limit = await readFile(join(unit, 'memory.max'), 'utf8').catch(() => '');
  if (limit) await set(join(root, path), 'memory.max', limit);
  others = games;
  return used;
}

/**
 * Moves a process into a group of its own, and removes the group when the process has ended.
 * @param {number} pid @param {number} memoryMb the limit that the process sets itself, MiB
 * @param {Promise<unknown>} ended never rejects
 * @param {{warn: (about: object, message: string) => void}} [log]
 */
export async function limitProcess(pid, memoryMb, ended, log) {
  if (others === undefined) return;
  const group = join(others, String(pid));
  try {
    await mkdir(group, { recursive: true });
    await set(group, 'memory.max', (memoryMb + EXTRA_MIB) * MIB);
    await set(group, 'pids.max', MAX_THREADS);
    await writeFile(join(group, 'cgroup.procs'), String(pid));
  } catch (error) {
    const hasEnded = Reflect.get(Object(error), 'code') === 'ESRCH';
    if (!hasEnded) log?.warn({ pid, error: messageOf(error) }, 'a process has no control group');
  }
  await ended;
  left.add(group);
  for (const each of left) {
    await rmdir(each).then(
      () => left.delete(each),
      () => {}, // its process has not been reaped yet
    );
  }
}

/** @param {string} group @param {string} controller @returns {Promise<boolean>} */
const enable = (group, controller) => set(group, 'cgroup.subtree_control', `+${controller}`);

/**
 * @param {string} group @param {string} file @param {string | number} value
 * @returns {Promise<boolean>} false: there is no such file or controller
 */
const set = (group, file, value) =>
  writeFile(join(group, file), String(value)).then(
    () => true,
    () => false,
  );
