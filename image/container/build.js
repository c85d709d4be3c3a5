/**
 * Builds the armhf container with buildah: `node image/container/build.js [NAME]`, or `make container`. It
 * needs no registry: base images for the board and the build host are made from Debian packages, and replace
 * the one in Dockerfile.armhf.
 */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PitvError } from '../../app/errors.js';
import { program } from '../program.js';
import { PROJECT } from '../sd/app.js';
import { APT, release, withApt } from '../sd/apt.js';
import { cacheRoot, layer, sweep } from '../sd/layers.js';
import { endOnSignals, run, words } from '../sd/shell.js';

const NAME = 'localhost/pitv:armhf';
const HELP = `Usage: node image/container/build.js [NAME]   (default ${NAME})`;
const SCRIPT = join(PROJECT, 'image/container/base.sh');
const BASE_HERE = 'localhost/pitv-base';
/** Path of the build host's certificates in the container. */
const CERTIFICATES = '/run/ca.crt';

/** Debian's architecture -> the container's platform. @type {Readonly<Record<string, string>>} */
const PLATFORMS = Object.freeze({
  amd64: 'linux/amd64',
  arm64: 'linux/arm64',
  armhf: 'linux/arm/v7',
});
const TARGET = 'armhf';

/** @param {string} line */
const log = (line) => console.log(`container: ${line}`);

/** Returns the options of a platform for podman and buildah. @param {string} arch @returns {string[]} */
function platformOptions(arch) {
  const [os, cpu, variant] = PLATFORMS[arch].split('/');
  return words`--os ${os} --arch ${cpu} ${variant ? ['--variant', variant] : []}`;
}

/** @param {string} program @param {string[]} args @returns {Promise<boolean>} */
const succeeds = (program, args) =>
  run(program, args).then(
    () => true,
    () => false,
  );

/**
 * Makes a minimal Debian system that can install packages, as a tar file, unless it is in the cache.
 * @param {string} arch Debian's name of the architecture @param {string} [suite] trixie by default
 * @returns {Promise<{tar: string, key: string}>} the file, and the hash of its inputs
 */
export async function makeBase(arch, suite) {
  const [name, edition] = release(suite);
  const env = { PITV_IMAGE_SUITE: name };
  const { folder, key } = await layer(
    `container-${arch}`,
    [name, edition, { file: APT }, { file: SCRIPT }],
    (at) =>
      withApt(
        `container-${name}-${arch}`,
        arch,
        (lists) => run(SCRIPT, [arch, lists, at], { env }),
        env,
      ),
    { log },
  );
  return { tar: join(folder, 'base.tar'), key };
}

/**
 * Makes a minimal base image from Debian packages.
 * @param {string} arch Debian's architecture
 * @returns {Promise<string>} its name
 */
async function makeBaseImage(arch) {
  const { tar, key } = await makeBase(arch);
  const name = `${BASE_HERE}:${arch}-${key}`;
  if (!(await succeeds('podman', ['image', 'exists', name]))) {
    await run('podman', ['import', '--quiet', ...platformOptions(arch), tar, name]);
  }
  return name;
}

/**
 * Makes a manifest, a common name for the base images of several processors.
 * @param {Map<string, string>} images Debian's architecture -> name
 * @returns {Promise<string>}
 */
async function createManifest(images) {
  const list = `${BASE_HERE}:${[...images.values()].map((name) => name.split(':')[1]).join('_')}`;
  if (await succeeds('podman', ['manifest', 'exists', list])) return list;
  await run('buildah', ['manifest', 'create', list]);
  for (const [arch, name] of images) {
    const options = platformOptions(arch);
    await run('buildah', words`manifest add ${options} ${list} containers-storage:${name}`);
  }
  return list;
}

/** Builds the container image. @param {string} name of the image */
async function build(name) {
  endOnSignals();
  const own = (await run('dpkg', ['--print-architecture'])).trim();
  if (own !== TARGET && !existsSync('/proc/sys/fs/binfmt_misc/qemu-arm')) {
    const sentence =
      'Programs for 32-bit Arm do not run on this machine. Run ./setup.sh container as root.';
    throw new PitvError('PITV_IMAGE_TOOL', sentence);
  }
  await mkdir(cacheRoot(), { recursive: true });
  const builder = PLATFORMS[own] ? own : TARGET; // build under emulation on an unknown processor
  const common = words`bud --quiet --isolation chroot --network host --layers --format docker
    --platform ${PLATFORMS[TARGET]} --build-arg BUILDPLATFORM=${PLATFORMS[builder]}
    -f ${join(PROJECT, 'Dockerfile.armhf')}`;
  // npm in the container needs the certificates of the build host, if it has its own.
  const certificates = process.env.SSL_CERT_FILE;
  if (certificates) common.push('--build-arg', `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`);
  const from = (/** @type {string} */ image) => ['--pull-never', '--build-arg', `BASE=${image}`];
  /** @type {Map<string, string>} */
  const bases = new Map();
  // One process per stage, because with --jobs stages share the variable of their platform (buildah 1.28).
  const stage = async (/** @type {string} */ target, /** @type {string} */ arch) => {
    const image = await makeBaseImage(arch);
    bases.set(arch, image);
    const started = performance.now();
    const args = [...common, ...from(image), '--target', target];
    // A mount leaves an empty file behind, so it is used only in the stage that is not published.
    if (target === 'build' && certificates)
      args.push('--volume', `${certificates}:${CERTIFICATES}:ro`);
    await run('buildah', [...args, PROJECT]);
    log(`stage ${target}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  };
  await Promise.all([stage('node', TARGET), stage('build', builder)]);
  const base = await createManifest(bases);
  await run('buildah', [...common, ...from(base), '--tag', name, PROJECT]);
  const format = '{{.Id}}, {{.Size}} bytes';
  log((await run('podman', ['image', 'inspect', '--format', format, name])).trim());
  await sweep();
}

await program(import.meta, HELP, {}, (_, [name = NAME]) => build(name));
