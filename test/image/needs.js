/**
 * Finds out what this machine lacks for cards, containers and fresh systems, as the reason to skip their tests. If
 * nothing is missing, every problem is a failure.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { messageOf } from '../../app/errors.js';
import { withApt } from '../../image/sd/apt.js';

// Cards for tests may lack security updates: a mirror that is only partly copied has none for some processors.
process.env.PITV_IMAGE_SECURITY ??= 'optional';

const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;
/** Programs to build a card and to boot it. ./setup.sh image installs their packages. */
const CARD_TOOLS =
  'mmdebstrap depmod cpio xz mksquashfs mcopy mkfs.vfat sfdisk mke2fs debugfs qemu-system-arm setpriv fdtput arm-linux-gnueabihf-gcc';
/** Programs for the container. ./setup.sh container installs their packages. */
const CONTAINER_TOOLS = 'buildah podman runc mmdebstrap';

/**
 * Returns which programs are missing, as a reason to skip a test.
 * @param {string} tools separated by spaces @param {string} [what] argument of ./setup.sh, which installs them
 * @returns {string | undefined}
 */
export function missingTools(tools, what = 'image') {
  const folders = PATH.split(':');
  const isMissing = (/** @type {string} */ tool) =>
    !folders.some((folder) => existsSync(join(folder, tool)));
  const lacks = tools.split(' ').filter(isMissing);
  return lacks.length > 0 ? `${lacks.join(', ')} missing: ./setup.sh ${what}` : undefined;
}

/** Returns why no boot slot can be made on this machine. @returns {string | undefined} */
export const missingForBootSlots = () => missingTools('mkimage mkenvimage mkfs.vfat mcopy sfdisk');

/**
 * Returns what is missing to run programs for Arm.
 * @param {string} tools @param {string} what argument of ./setup.sh
 * @param {string[]} [emulators] QEMU's names of processors
 * @returns {string | undefined}
 */
export function missingForArm(tools, what, emulators = ['arm']) {
  const lacks = missingTools(tools, what);
  if (lacks) return lacks;
  const isUnknown = (/** @type {string} */ name) =>
    !existsSync(`/proc/sys/fs/binfmt_misc/qemu-${name}`) && !process.arch.startsWith('arm');
  return emulators.some(isUnknown)
    ? `programs for Arm do not run on this machine: ./setup.sh ${what}, as root`
    : undefined;
}

/** Returns why no card can be built and booted on this machine. @returns {string | undefined} */
export function missingForCard() {
  return missingForArm(CARD_TOOLS, 'image') ?? missingNamespaces();
}

/** Returns why no root file system can be made and entered on this machine. @returns {string | undefined} */
export function missingForSystem() {
  return missingTools('mmdebstrap git') ?? missingNamespaces();
}

/** Returns why a process cannot act as root in new namespaces. @returns {string | undefined} */
function missingNamespaces() {
  const root = process.getuid?.() === 0;
  const asRoot = root ? ['--mount'] : ['--map-auto', '--map-root-user'];
  if (spawnSync('unshare', [...asRoot, '--', 'true']).status === 0) return undefined;
  return root ? 'root may not mount here' : 'neither root nor a range of users in /etc/subuid';
}

/** Returns why no container can be built and run on this machine. @returns {string | undefined} */
export function missingForContainer() {
  if (process.getuid?.() !== 0) return 'not root'; // limits and networks, see container.js
  return missingForArm(CONTAINER_TOOLS, 'container');
}

/**
 * Checks Debian's mirror with this machine's apt, as the builds do.
 * @returns {Promise<string | undefined>} why it is not available
 */
async function mirrorProblem() {
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
 * Checks whether the mirror has Node.js and its libraries in the versions that its own lists name. A copy of Debian
 * that is being synchronised may lack them for some architectures.
 * @param {string} arch Debian's name of the architecture
 * @returns {Promise<string | undefined>} what is missing
 */
async function incompleteMirror(arch) {
  let why;
  await withApt(`probe-${arch}`, arch, async (lists) => {
    const args = ['install', '--yes', '--download-only', '-o', 'Debug::NoLocking=1', 'nodejs'];
    const env = { ...process.env, APT_CONFIG: join(lists, 'apt.conf') };
    const { stderr } = spawnSync('apt-get', args, { env, encoding: 'utf8' });
    const [, file] = /^E: Failed to fetch (\S+) .*404/m.exec(stderr) ?? [];
    if (file)
      why = `Debian's mirror lacks a package of its own list for ${arch}: ${basename(file)}`;
  });
  return why;
}

/**
 * Builds something, unless Debian's mirror cannot be reached or is incomplete.
 * @template T
 * @param {() => Promise<T>} build
 * @param {string} [arch] Debian's name of the architecture whose packages it needs
 * @returns {Promise<{made?: T, why?: string}>} why: what the mirror lacks
 * @throws the error of build(), if the mirror lacks nothing
 */
export async function buildUnlessOffline(build, arch) {
  try {
    return { made: await build() };
  } catch (error) {
    const isIncomplete = () => arch && incompleteMirror(arch).catch(() => undefined);
    const why = (await mirrorProblem()) ?? (await isIncomplete());
    if (why) return { why };
    throw error;
  }
}
