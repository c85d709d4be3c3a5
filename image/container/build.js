/**
 * Builds the armhf container with buildah: `node image/container/build.js [NAME]`, or `make container`. It
 * needs no registry: base images for the board and the build host are made from Debian packages, and replace
 * the one in Dockerfile.armhf.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PitvError } from '../../app/errors.js';
import { makeDirectory } from '../../app/storage/store.js';
import { program } from '../program.js';
import { PROJECT } from '../sd/app.js';
import { APT, release, withApt } from '../sd/apt.js';
import { cacheRoot, layer, sweep } from '../sd/layers.js';
import { endOnSignals, run, words } from '../sd/shell.js';

const NAME = 'localhost/pitv:armhf';
const HELP = `Usage: node image/container/build.js [NAME]   (default ${NAME})`;
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

/** Arguments of mmdebstrap for an equivalent of the image debian:trixie-slim. */
const SLIM = words`--quiet --variant=minbase --aptopt=${'Apt::Install-Recommends "false"'}
  --aptopt=${'Acquire::Languages "none"'} --dpkgopt=force-unsafe-io --dpkgopt=path-exclude=/usr/share/man/*
  --dpkgopt=path-exclude=/usr/share/info/* --dpkgopt=path-exclude=/usr/share/locale/*
  --dpkgopt=path-exclude=/usr/share/doc/* --dpkgopt=path-include=/usr/share/doc/*/copyright`;

/**
 * Makes a minimal Debian system that can install packages, as a tar file, unless it is in the cache.
 * @param {string} arch Debian's name of the architecture @param {string} [suite] trixie by default
 * @returns {Promise<{tar: string, key: string}>} the file, and the hash of its inputs
 */
export async function makeBase(arch, suite) {
  const [name, edition] = release(suite);
  const make = (/** @type {string} */ folder) =>
    withApt(
      `container-${name}-${arch}`,
      arch,
      (lists) => {
        const from = [name, join(folder, 'base.tar'), join(lists, 'sources.list')];
        return run('mmdebstrap', [...SLIM, `--architectures=${arch}`, ...from]);
      },
      { PITV_IMAGE_SUITE: name },
    );
  const inputs = [name, edition, { file: APT }, ...SLIM];
  const { folder, key } = await layer(`container-${arch}`, inputs, make, { log });
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
  const [os, cpu, variant] = PLATFORMS[arch].split('/');
  const platform = words`--os ${os} --arch ${cpu} ${variant ? ['--variant', variant] : []}`;
  const load = () => run('podman', ['import', '--quiet', ...platform, tar, name]);
  await run('podman', ['image', 'exists', name]).catch(load);
  return name;
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
  await makeDirectory(cacheRoot(), 0o777);
  const builder = PLATFORMS[own] ? own : TARGET; // build under emulation on an unknown processor
  const common = words`bud --quiet --isolation chroot --network host --layers --format docker --pull-never
    --platform ${PLATFORMS[TARGET]} --build-arg BUILDPLATFORM=${PLATFORMS[builder]}
    --build-arg BASE=${await makeBaseImage(TARGET)} --build-arg BUILD_BASE=${await makeBaseImage(builder)}
    -f ${join(PROJECT, 'Dockerfile.armhf')}`;
  // npm in the container needs the certificates of the build host, if it has its own.
  const certificates = process.env.SSL_CERT_FILE;
  if (certificates) {
    common.push('--build-arg', `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`);
    // A mount leaves an empty file behind, so it is used only in the stage that is not published.
    const mount = words`--target build --volume ${certificates}:${CERTIFICATES}:ro`;
    await run('buildah', [...common, ...mount, PROJECT]);
  }
  await run('buildah', [...common, '--tag', name, PROJECT]);
  const format = '{{.Id}}, {{.Size}} bytes';
  log((await run('podman', ['image', 'inspect', '--format', format, name])).trim());
  await sweep();
}

await program(import.meta, HELP, {}, (_, [name = NAME]) => build(name));
