/**
 * The runtime on Debian's armhf (ARMv7), armel (ARMv6) and arm64, with its prebuilt addons, under QEMU's user mode. The
 * ring of the pool is hammered there, too: QEMU runs both processes at once, with the barriers of the processor.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makePackage } from '../../../image/npm/pack.js';
import { run } from '../../../image/sd/shell.js';
import { buildUnlessOffline } from '../needs.js';
import { makeArmRoot } from './arm-root.js';
import { Consumer, expected } from './consumer.js';
import { temporaryFolder } from '../../support/folders.js';
import { Registry } from './registry.js';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
const COMPILERS = ['aarch64-linux-gnu-gcc', 'arm-linux-gnueabihf-gcc', 'arm-linux-gnueabi-gcc'];
const EMULATORS = ['arm', 'aarch64'];
/** Raspberry Pi 2, 1 and 3. Forking takes longer than all else under emulation, so two of them do without. */
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
  {
    arch: /** @type {const} */ ('arm64'),
    cpu: 'cortex-a53',
    addon: 'pitv.glibc.node',
    engines: ['process', 'thread'],
  },
];
/** Records that pass through the ring; an emulated processor takes seconds for them. */
const RECORDS = 20_000;
const HAMMER = fileURLToPath(new URL('../../pool/transport/hammer.js', import.meta.url));

/** Prints which addon is loaded. */
const FIND = `
const root = process.argv[2];
console.log(require(root + '/ksm/addon/find.cjs').findAddon('pitv', root));
`;

/** Returns why the tests cannot run. @returns {string | undefined} */
function findMissing() {
  const programs = [...COMPILERS, 'mmdebstrap', ...EMULATORS.map((name) => `qemu-${name}-static`)];
  const lacks = programs.filter((name) => spawnSync(name, ['--version']).error);
  if (lacks.length > 0) return `${lacks.join(', ')} missing: ./setup.sh all`;
  // The engines start further processes.
  const unknown = EMULATORS.find((name) => !existsSync(`/proc/sys/fs/binfmt_misc/qemu-${name}`));
  return unknown && `binfmt_misc lacks qemu-${unknown}`;
}

const skip = findMissing();

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

  for (const { arch, cpu, addon, engines } of SYSTEMS) {
    test(`${arch}: finds ${addon}, runs jobs and tasks, and hammers the ring`, async (t) => {
      const { made: root, why } = await buildUnlessOffline(() => makeArmRoot(arch), arch);
      if (!root) return t.skip(why);
      const consumer = new Consumer({ registry: registry.url });
      t.after(() => consumer.remove());
      // npm runs on this machine, because it takes minutes under emulation.
      await consumer.install(
        [tarball],
        [`--cpu=${arch === 'arm64' ? 'arm64' : 'arm'}`, '--ignore-scripts'],
      );
      const env = { QEMU_LD_PREFIX: root, QEMU_CPU: cpu };
      const node = join(root, 'usr/bin/node');

      const pitv = join(consumer.folder, 'node_modules/pitv');
      const script = ['ksm/addon/build.cjs'];
      const installed = await consumer.run(node, script, env, pitv);
      assert.equal(installed.stdout, '', 'nothing has to be compiled');
      consumer.write('find.cjs', FIND);
      const found = await consumer.run(node, ['find.cjs', pitv], env);
      const folder = arch === 'arm64' ? 'linux-arm64' : 'linux-arm';
      assert.equal(found.stdout.trim(), join(pitv, 'prebuilds', folder, addon));
      assert.deepEqual(await consumer.useRuntime(engines, { node, env }), expected(engines));
      const hammered = await consumer.run(node, [HAMMER, pitv, `${RECORDS}`], env);
      const { records, blocked } = JSON.parse(hammered.stdout);
      assert.equal(records, RECORDS);
      assert.ok(blocked > 0, 'both sides have waited');
    });
  }

  test('the addon for hard-float ARMv6 has no instructions of ARMv7', async () => {
    const file = join(out, 'pitv/prebuilds/linux-arm/pitv.armv6.glibc.node');
    const text = await run('readelf', ['--arch-specific', file]);
    assert.match(text, /Tag_CPU_arch: v6K\n/);
    assert.match(text, /Tag_ABI_VFP_args: VFP registers\n/);
  });
});
