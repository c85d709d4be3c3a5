/**
 * What tests of cards, containers and fresh systems have in common. They find out what this machine lacks for them, as
 * the reason to skip; if nothing is missing, every problem is a failure. They wait for a TV in another system, and read
 * and damage images of cards.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../app/errors.js';
import { poll } from '../support/polling.js';

// Cards for tests may lack security updates: a mirror that is only partly copied has none for some processors.
process.env.PITV_IMAGE_SECURITY ??= 'optional';

const PATHS = `${process.env.PATH}:/usr/sbin:/sbin`.split(':');
/** Programs to build a card and to boot it. */
const CARD_TOOLS =
  'mmdebstrap depmod cpio xz mksquashfs mcopy mkfs.vfat sfdisk mke2fs qemu-system-arm setpriv fdtput arm-linux-gnueabihf-gcc';

/**
 * Returns which programs are missing, as a reason to skip a test.
 * @param {string} tools separated by spaces @param {string} [what] argument of ./setup.sh, which installs them
 * @returns {string | undefined}
 */
export function missingTools(tools, what = 'image') {
  const has = (/** @type {string} */ tool) => PATHS.some((path) => existsSync(join(path, tool)));
  const lacks = tools.split(' ').filter((tool) => !has(tool));
  return lacks.length > 0 ? `${lacks.join(', ')} missing: ./setup.sh ${what}` : undefined;
}

/**
 * Returns what is missing to run programs for Arm.
 * @param {string} tools @param {string} what argument of ./setup.sh
 * @param {string[]} [emulators] QEMU's names of processors
 * @returns {string | undefined}
 */
export function missingForArm(tools, what, emulators = ['arm']) {
  const lacks = missingTools(tools, what);
  if (lacks) return lacks;
  const runs = emulators.every((name) => existsSync(`/proc/sys/fs/binfmt_misc/qemu-${name}`));
  if (runs || process.arch.startsWith('arm')) return undefined;
  return `programs for Arm do not run on this machine: ./setup.sh ${what}, as root`;
}

/** Returns why no card can be built and booted on this machine. */
export const missingForCard = () => missingForArm(CARD_TOOLS, 'image') ?? missingNamespaces();

/** Returns why a process cannot act as root in new namespaces. @returns {string | undefined} */
export function missingNamespaces() {
  const root = process.getuid?.() === 0;
  const asRoot = root ? ['--mount'] : ['--map-auto', '--map-root-user'];
  if (spawnSync('unshare', [...asRoot, '--', 'true']).status === 0) return undefined;
  return root ? 'root may not mount here' : 'neither root nor a range of users in /etc/subuid';
}

/**
 * What apt and apt.sh say of a mirror that cannot be reached or is incomplete. A copy of Debian that is being
 * synchronised may lack packages of its own lists.
 */
const UNUSABLE =
  /(Failed to fetch|Could not resolve|does not have a Release file|no Debian mirror is configured).*/;

/**
 * Builds something, unless Debian's mirror cannot be used.
 * @template T
 * @param {() => Promise<T>} build
 * @returns {Promise<{made?: T, why?: string}>} why: what the mirror lacks
 * @throws the error of build(), if it does not come from the mirror
 */
export async function buildUnlessOffline(build) {
  try {
    return { made: await build() };
  } catch (error) {
    const [why] = UNUSABLE.exec(messageOf(error)) ?? [];
    if (!why) throw error;
    return { why: `Debian's mirror cannot be used: ${why}` };
  }
}

/** An emulated board is slow. */
const ANSWER_MS = 60_000;

/** Waits until a TV answers. @param {string} url @param {number} [timeoutMs] @returns {Promise<any>} its health */
export async function waitForHealth(url, timeoutMs = 15 * 60_000) {
  const ask = () =>
    fetch(`${url}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS) }).then(
      (answer) => answer.json(),
      () => undefined, // it does not listen yet
    );
  const health = await poll(ask, timeoutMs);
  if (!health) throw new Error(`waited in vain for ${url} to answer`);
  return health;
}

/** Reads a part of a file. @param {string} path @param {number} offset @param {number} bytes @returns {Buffer} */
export function readAt(path, offset, bytes) {
  const file = openSync(path, 'r');
  const buffer = Buffer.alloc(bytes);
  readSync(file, buffer, 0, bytes, offset);
  closeSync(file);
  return buffer;
}

/** Overwrites a part of a file. @param {string} path @param {number} offset @param {Uint8Array} bytes */
export function writeAt(path, offset, bytes) {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, offset);
  closeSync(file);
}
