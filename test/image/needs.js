/**
 * What this machine lacks for cards, containers and fresh systems: the reason why their tests are skipped. When nothing
 * is missing, every problem is a failure.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../app/errors.js';

const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;
/** To build a card and to boot it; the packages they are in are those of ./setup.sh image. */
const CARD_TOOLS =
  'mmdebstrap depmod cpio xz mksquashfs mcopy mkfs.vfat sfdisk mke2fs debugfs qemu-system-arm setpriv arm-linux-gnueabihf-gcc';
/** ./setup.sh container */
const CONTAINER_TOOLS = 'buildah podman runc mmdebstrap';

/** @param {string} tools @returns {string[]} those that are not here */
const missing = (tools) =>
  tools
    .split(' ')
    .filter((tool) => !PATH.split(':').some((folder) => existsSync(join(folder, tool))));

/** @param {string} tools @param {string} what for ./setup.sh @returns {string | undefined} */
function lacking(tools, what) {
  const lacks = missing(tools);
  if (lacks.length > 0) return `${lacks.join(', ')} missing here: ./setup.sh ${what}`;
  if (!existsSync('/proc/sys/fs/binfmt_misc/qemu-arm') && !process.arch.startsWith('arm')) {
    return `programs for 32-bit Arm do not run here: ./setup.sh ${what}, as root`;
  }
  return undefined;
}

/** @returns {string | undefined} why no card can be built and booted here */
export function cardLacks() {
  return lacking(CARD_TOOLS, 'image') ?? namespacesLack();
}

/** @returns {string | undefined} why no root file system can be made and entered here */
export function systemLacks() {
  const lacks = missing('mmdebstrap git');
  if (lacks.length > 0) return `${lacks.join(' and ')} missing: apt-get install ${lacks.join(' ')}`;
  return namespacesLack();
}

/** @returns {string | undefined} why a process cannot act as root in namespaces of its own */
function namespacesLack() {
  const root = process.getuid?.() === 0;
  const asRoot = root ? ['--mount'] : ['--map-auto', '--map-root-user'];
  if (spawnSync('unshare', [...asRoot, '--', 'true']).status === 0) return undefined;
  return root ? 'root may not mount here' : 'neither root nor a range of users in /etc/subuid';
}

/** @returns {string | undefined} why no container can be built and run here */
export function containerLacks() {
  if (process.getuid?.() !== 0) return 'not root'; // limits and networks, see container.js
  return lacking(CONTAINER_TOOLS, 'container');
}

/**
 * Asks Debian's mirror the way the builds do: by this machine's apt.
 * @returns {Promise<string | undefined>} why it cannot be had
 */
async function mirrorLacks() {
  const folder = await mkdtemp(join(tmpdir(), 'pitv-mirror-'));
  try {
    const targets = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'];
    const mirror =
      process.env.PITV_IMAGE_MIRROR ??
      execFileSync('apt-get', targets, { encoding: 'utf8' })
        .split('\n')
        .find((uri) => /\/debian\/?$/.test(uri));
    if (!mirror) return "this machine's apt has no Debian mirror";
    const file = `${mirror.replace(/\/$/, '')}/dists/${process.env.PITV_IMAGE_SUITE ?? 'trixie'}/InRelease`;
    const helper = ['download-file', file, join(folder, 'InRelease')];
    execFileSync('/usr/lib/apt/apt-helper', helper, { timeout: 60_000, stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return `Debian's mirror cannot be reached: ${messageOf(error).split('\n')[0]}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * @template T
 * @param {() => Promise<T>} build
 * @returns {Promise<{made?: T, why?: string}>} why: it failed because no mirror can be reached
 * @throws what build() threw, when a mirror can be reached
 */
export async function buildOrWhy(build) {
  try {
    return { made: await build() };
  } catch (error) {
    const why = await mirrorLacks();
    if (why) return { why };
    throw error;
  }
}
