/** The runtime on Debian's armhf (ARMv7) and armel (ARMv6), with its prebuilt addons, under QEMU's user mode. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makePackage } from '../../../image/npm/pack.js';
import { run } from '../../../image/sd/shell.js';
import { buildUnlessOffline } from '../needs.js';
import { makeArmRoot } from './arm-root.js';
import { Consumer, expected } from './consumer.js';
import { Registry } from './registry.js';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
const COMPILERS = ['aarch64-linux-gnu-gcc', 'arm-linux-gnueabihf-gcc', 'arm-linux-gnueabi-gcc'];
/** Raspberry Pi 2 and 1. Forking takes longer than all else under emulation, so one of them does without. */
const SYSTEMS = [
  {
    arch: /** @type {const} */ ('armhf'),
    cpu: 'cortex-a7',
    addon: 'pitv.armv7.glibc.node',
    engines: ['process', 'thread', 'zygote'],
  },
  {
    arch: /** @type {const} */ ('armel'),
    cpu: 'arm1176',
    addon: 'pitv.armv6.softfp.glibc.node',
    engines: ['process', 'thread'],
  },
];

/** Prints which addon is loaded. */
const FIND = `
const root = process.argv[2];
console.log(require(root + '/ksm/addon/find.cjs').findAddon('pitv', root));
`;

/** Returns why the tests cannot run. @returns {string | undefined} */
function findMissing() {
  const lacks = [...COMPILERS, 'mmdebstrap', 'qemu-arm-static'].filter(
    (name) => spawnSync(name, ['--version']).error,
  );
  if (lacks.length > 0) return `${lacks.join(', ')} missing: ./setup.sh all`;
  // The engines start further processes.
  if (!existsSync('/proc/sys/fs/binfmt_misc/qemu-arm')) return 'binfmt_misc lacks qemu-arm';
  return undefined;
}

const skip = findMissing();

describe('the runtime under 32-bit Arm', { skip }, () => {
  const out = mkdtempSync(join(tmpdir(), 'pitv-packed-'));
  /** @type {Registry} */
  let registry;
  let tarball = '';

  before(async () => {
    registry = await new Registry().open();
    await run('make', ['-s', '-C', join(PROJECT, 'image/npm'), 'prebuilds']);
    ({ tarball } = await makePackage('pitv', { out }));
  });
  after(() => {
    registry?.close();
    rmSync(out, { recursive: true });
  });

  for (const { arch, cpu, addon, engines } of SYSTEMS) {
    test(`${arch}: finds ${addon} and runs jobs`, async (t) => {
      const { made: root, why } = await buildUnlessOffline(() => makeArmRoot(arch));
      if (!root) return t.skip(why);
      const consumer = new Consumer({ registry: registry.url });
      t.after(() => consumer.remove());
      // npm runs on this machine, because it takes minutes under emulation.
      await consumer.install([tarball], ['--cpu=arm', '--ignore-scripts']);
      const env = { QEMU_LD_PREFIX: root, QEMU_CPU: cpu };
      const node = join(root, 'usr/bin/node');

      const pitv = join(consumer.folder, 'node_modules/pitv');
      const script = ['ksm/addon/install.cjs', 'pitv', 'app/native', ''];
      const installed = await consumer.run(node, script, env, pitv);
      assert.equal(installed.stdout, '', 'nothing has to be compiled');
      consumer.write('find.cjs', FIND);
      const found = await consumer.run(node, ['find.cjs', pitv], env);
      assert.equal(found.stdout.trim(), join(pitv, 'prebuilds/linux-arm', addon));
      assert.deepEqual(await consumer.useRuntime(engines, { node, env }), expected(engines));
    });
  }

  test('the addon for hard-float ARMv6 has no instructions of ARMv7', async () => {
    const file = join(out, 'pitv/prebuilds/linux-arm/pitv.armv6.glibc.node');
    const text = await run('readelf', ['--arch-specific', file]);
    assert.match(text, /Tag_CPU_arch: v6K\n/);
    assert.match(text, /Tag_ABI_VFP_args: VFP registers\n/);
  });
});
