/** Debian's Node.js for Arm and the libraries that it needs, run by QEMU's user mode. */
import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { APT, release, withApt } from '../../../image/sd/apt.js';
import { layer } from '../../../image/sd/layers.js';
import { run } from '../../../image/sd/shell.js';

/**
 * Makes a folder with the unpacked packages, unless it is in the cache.
 * @param {'armhf' | 'armel' | 'arm64'} arch Debian's name of the architecture
 * @returns {Promise<string>} the folder
 */
export async function makeArmRoot(arch) {
  const [suite, month] = release();
  const env = { PITV_IMAGE_SUITE: suite };
  const name = `node-${arch}`;
  /** @param {string} at @param {string} lists */
  const unpack = async (at, lists) => {
    const tar = join(at, 'root.tar');
    await run('mmdebstrap', [
      '--quiet',
      '--variant=extract',
      `--architectures=${arch}`,
      '--include=nodejs',
      '--aptopt=Apt::Install-Recommends "false"',
      suite,
      tar,
      join(lists, 'sources.list'),
    ]);
    await run('tar', ['-xf', tar, '--no-same-owner', '--exclude=./dev/*', '-C', at]);
    await rm(tar);
    await symlink('usr/lib', join(at, 'lib')); // the package usr-is-merged does that
  };
  const { folder } = await layer(name, [suite, month, { file: APT }, String(unpack)], (at) =>
    withApt(name, arch, (lists) => unpack(at, lists), env),
  );
  return folder;
}
