/** The runtime on Debian's armhf (ARMv7), armel (ARMv6) and arm64, with its prebuilt addons, under QEMU's user mode. */
import assert from 'node:assert/strict';
import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makePackage } from '../../../image/npm/pack.js';
import { APT, release, withApt } from '../../../image/sd/apt.js';
import { layer } from '../../../image/sd/layers.js';
import { run, words } from '../../../image/sd/shell.js';
import { buildUnlessOffline, missingForArm } from '../needs.js';
import { Consumer, Registry, expected } from './consumer.js';
import { temporaryFolder } from '../../support/folders.js';
import { root as PROJECT } from '../../support/test-files.js';

const TOOLS =
  'aarch64-linux-gnu-gcc arm-linux-gnueabihf-gcc arm-linux-gnueabi-gcc mmdebstrap qemu-arm-static qemu-aarch64-static';
/** Raspberry Pi 2, 1 and 3. Forking takes longer than all else under emulation, so two of them do without. */
const SYSTEMS = [
  { arch: 'armhf', cpu: 'cortex-a7', addon: 'linux-arm/pitv.armv7.glibc.node' },
  { arch: 'armel', cpu: 'arm1176', addon: 'linux-arm/pitv.armv6.softfp.glibc.node' },
  { arch: 'arm64', cpu: 'cortex-a53', addon: 'linux-arm64/pitv.glibc.node' },
];

/** Tells which addon is loaded. */
const FIND = `require(process.argv[1] + '/ksm/addon/find.cjs').findAddon('pitv', process.argv[1])`;

// The engines start further processes, which the kernel has to give to the emulator.
const skip = missingForArm(TOOLS, 'all', ['arm', 'aarch64']);

/**
 * Makes a folder with Debian's Node.js and the libraries that it needs, unless it is in the cache.
 * @param {string} arch Debian's name of the architecture
 * @returns {Promise<string>} the folder
 */
async function makeArmRoot(arch) {
  const [suite, edition] = release();
  const name = `node-${arch}`;
  /** @param {string} at @param {string} lists */
  const unpack = async (at, lists) => {
    const tar = join(at, 'root.tar');
    const how = words`--quiet --variant=extract --architectures=${arch} --include=nodejs
      --aptopt=${'Apt::Install-Recommends "false"'}`;
    await run('mmdebstrap', [...how, suite, tar, join(lists, 'sources.list')]);
    await run('tar', ['-xf', tar, '--no-same-owner', '--exclude=./dev/*', '-C', at]);
    await rm(tar);
    await symlink('usr/lib', join(at, 'lib')); // the package usr-is-merged does that
  };
  const { folder } = await layer(name, [suite, edition, { file: APT }, String(unpack)], (at) =>
    withApt(name, arch, (lists) => unpack(at, lists)),
  );
  return folder;
}

describe('the runtime under Arm', { skip }, () => {
  const out = temporaryFolder();
  /** @type {Registry} */
  let registry;
  let tarball = '';

  before(async () => {
    registry = await new Registry().open();
    await run('make', ['-s', '-C', join(PROJECT, 'image/npm'), 'prebuilds']);
    ({ tarball } = await makePackage('pitv', { out }));
  });
  after(() => registry?.close());

  for (const { arch, cpu, addon } of SYSTEMS) {
    const engines = ['process', 'thread', ...(arch === 'armhf' ? ['zygote'] : [])];
    test(`${arch}: finds ${addon}, runs jobs and tasks`, async (t) => {
      const { made: root, why } = await buildUnlessOffline(() => makeArmRoot(arch));
      if (!root) return t.skip(why);
      const consumer = new Consumer({ registry: registry.url });
      // npm runs on this machine, because it takes minutes under emulation.
      const npmCpu = arch === 'arm64' ? 'arm64' : 'arm';
      await consumer.install([tarball], [`--cpu=${npmCpu}`, '--ignore-scripts']);
      const env = { QEMU_LD_PREFIX: root, QEMU_CPU: cpu };
      const node = join(root, 'usr/bin/node');

      const pitv = join(consumer.folder, 'node_modules/pitv');
      const found = await consumer.run(node, ['-p', FIND, pitv], env);
      assert.equal(found.stdout.trim(), join(pitv, 'prebuilds', addon));
      assert.deepEqual(await consumer.useRuntime(engines, { node, env }), expected(engines));
    });
  }

  test('the addon for hard-float ARMv6 has no instructions of ARMv7', async () => {
    const file = join(out, 'pitv/prebuilds/linux-arm/pitv.armv6.glibc.node');
    const text = await run('readelf', ['--arch-specific', file]);
    assert.match(text, /Tag_CPU_arch: v6K\n[^]*Tag_ABI_VFP_args: VFP registers\n/);
  });
});
