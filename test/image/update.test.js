/**
 * Tests of the card with two systems: its partitions, what U-Boot reads, that all parts name the same partitions; and
 * of signed updates: the key, the bundle, and which bundles are refused. RAUC itself makes and checks them.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { cpSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { crc32, gunzipSync } from 'node:zlib';
import { isWhole } from '../../app/system/rauc.js';
import { withDisk } from '../../image/qemu/disk.js';
import {
  CHOICE_OFFSETS,
  DISK_SIGNATURE,
  SLOT_PARTITIONS,
  makeCard,
  partition,
  readPartitions,
} from '../../image/sd/card.js';
import { bundleCard, makeBundle } from '../../image/update/bundle.js';
import { makeKey } from '../../image/update/key.js';
import { makeBootChoice, makeBootSlot, removeSystem } from '../../image/update/slots.js';
import { temporaryFolder } from '../support/folders.js';
import { readAt, readTable, writeTree } from './files.js';
import { missingForBootSlots, missingTools } from './needs.js';

const IMAGE = fileURLToPath(new URL('../../image', import.meta.url));
const IMAGE_BYTES = 200_000;
const skip = missingTools('rauc mksquashfs openssl');

/**
 * Reads a bundle with RAUC, which checks its signature.
 * @param {string} file @param {import('../../image/update/key.js').UpdateKey} key
 * @returns {{compatible: string, version: string, images: object[]}}
 */
function infoOf(file, { cert }) {
  const args = ['info', '--keyring', cert, '--output-format', 'json', file];
  return JSON.parse(String(execFileSync('rauc', args, { stdio: 'pipe' })));
}

describe('an update', { skip }, () => {
  const work = temporaryFolder();
  /** @type {import('../../image/update/key.js').UpdateKey} */
  let key;
  /** @type {string} */
  let bundle;
  /** @type {Record<'boot' | 'root', string>} */
  let images;
  before(async () => {
    key = await makeKey(join(work, 'key'), { development: true });
    images = { boot: join(work, 'boot.img'), root: join(work, 'root.img') };
    for (const file of Object.values(images))
      writeFileSync(file, randomFillSync(Buffer.alloc(IMAGE_BYTES)));
    bundle = join(work, 'good.raucb');
    const update = { system: 'armhf', version: '1.2.3', images, key, development: true };
    await makeBundle({ ...update, file: bundle });
  });

  test('RAUC accepts a bundle, with its system, version and slots', () => {
    const { compatible, version, images } = infoOf(bundle, key);
    assert.deepEqual([compatible, version], ['pitv-armhf', '1.2.3']);
    assert.deepEqual(images.flatMap(Object.keys).sort(), ['boot', 'root']);
    const files = readdirSync(work).filter((name) => name.startsWith('good.raucb'));
    assert.deepEqual(files, ['good.raucb'], 'no draft is left');
  });

  test('a release refuses a development key, and accepts its own', async () => {
    const file = join(work, 'release.raucb');
    const release = { system: 'armhf', version: '1.2.3', images, file };
    await assert.rejects(makeBundle({ ...release, key }), { code: 'PITV_UPDATE_KEY' });
    const own = await makeKey(join(work, 'release'));
    await makeBundle({ ...release, key: own });
    assert.equal(infoOf(file, own).version, '1.2.3');
    const pair = { key: own.key, cert: key.cert };
    const mixed = makeBundle({ ...release, key: pair, development: true });
    await assert.rejects(mixed, { code: 'PITV_UPDATE_KEY', message: /do not belong together/ });
  });

  test('isWhole() accepts a bundle, and refuses cut and other files', async () => {
    const bytes = readFileSync(bundle);
    const at = join(work, 'other');
    const holes = Buffer.alloc(bytes.length);
    bytes.copy(holes, 0, 0, 4096);
    const others = [
      Buffer.alloc(0),
      Buffer.from('no bundle'),
      randomFillSync(Buffer.alloc(5000)),
      holes,
      ...[100, bytes.length >> 1, bytes.length - 1].map((length) => bytes.subarray(0, length)),
    ];
    for (const other of others) {
      writeFileSync(at, other);
      assert.equal(await isWhole(at), false, `${other.length} bytes`);
    }
    assert.equal(await isWhole(bundle), true);
  });

  test('the programs say which folder has no key', () => {
    for (const program of ['build.js', 'update/bundle.js', 'qemu/cli.js', 'release.js']) {
      const args = [join(IMAGE, program), '--key', '/nowhere'];
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      assert.equal(status, 1, program);
      assert.match(stderr, /^\/nowhere has no key for updates .*`make update-key` has made\.$/m);
      assert.doesNotMatch(stderr, /\n {4}at /);
    }
  });

  test("a card's bundle has its boot slot and its root, and replaces the one before", async () => {
    const layer = { folder: join(work, 'layer') };
    cpSync(images.boot, join(layer.folder, 'slot.img'));
    cpSync(images.root, join(layer.folder, 'root.squashfs'));
    const built = { card: layer, root: layer };
    const out = join(work, 'out');
    const options = { system: 'arm64', out, key, development: true };
    const { file } = await bundleCard(built, options);
    assert.equal((await bundleCard(built, options)).file, file);
    assert.deepEqual(readdirSync(out).sort(), ['arm64.json', basename(file)]);
    const list = JSON.parse(readFileSync(join(out, 'arm64.json'), 'utf8'));
    assert.equal(list.file, basename(file));
    const { version } = infoOf(file, key);
    assert.equal(list.version, version);
    assert.match(version, /^\d+\.\d+\.\d+\+\d{12}$/);
    const content = join(work, 'content');
    execFileSync('rauc', ['extract', '--keyring', key.cert, file, content], { stdio: 'pipe' });
    for (const [slot, image] of Object.entries(images))
      assert.ok(readFileSync(join(content, `${slot}.img`)).equals(readFileSync(image)), slot);
  });

  test('a key is private, is not replaced, and is not made in the project', async () => {
    assert.equal(statSync(key.key).mode & 0o077, 0);
    assert.equal(statSync(join(work, 'key')).mode & 0o077, 0);
    await assert.rejects(makeKey(join(work, 'key')), { code: 'PITV_UPDATE_KEY' });
    await assert.rejects(makeKey(join(IMAGE, 'key')), { code: 'PITV_UPDATE_KEY' });
    assert.ok(!readdirSync(IMAGE).some((name) => name.startsWith('key')));
  });
});

const MIB = 1024 * 1024;
const epochS = 1_700_000_000;

/** Where a card has the device trees, and how it starts the kernel. */
const KINDS = [
  { cpu: 'arm64', trees: 'broadcom/', isPacked: true, start: ['kernel=0x00080000', 'start=booti'] },
  { cpu: 'arm', trees: '', isPacked: false, start: ['kernel=0x03000000', 'start=bootz'] },
];

for (const { cpu, trees, isPacked, start } of KINDS)
  describe(`a card with two systems, ${cpu}`, { skip: missingForBootSlots() }, () => {
    const work = temporaryFolder();
    const card = join(work, 'card.img');
    before(async () => {
      const names = ['vmlinuz', 'initrd.img', 'bcm2837-rpi-3-b.dtb', 'start.elf'];
      const files = names.map((name) => [`boot/${name}`, `content of ${name}`]);
      writeTree(work, { ...Object.fromEntries(files), 'root.squashfs': 'hsqs of a root' });
      const [boot, root] = [join(work, 'boot'), join(work, 'root.squashfs')];
      const slots = { boot: join(work, 'slot.img'), choice: join(work, 'choice') };
      const common = { cpu, files: boot, epochS };
      await makeBootSlot({ ...common, file: slots.boot, work: join(work, 'slot') });
      await removeSystem(boot);
      await makeBootChoice({ ...common, choice: slots.choice });
      await makeCard({ file: card, boot, root, slots, work, epochS });
    });

    test('the table has the boot, both systems and the data, which is the third and last', async () => {
      const expected = SLOT_PARTITIONS.map(({ startMib, sizeMib }, index) => {
        return { number: index < 3 ? index + 1 : index + 2, startMib, sizeMib };
      });
      assert.deepEqual(readTable(card).partitions, expected);
      const [, , data] = await readPartitions(card);
      assert.ok(SLOT_PARTITIONS.every(({ startMib }) => startMib * MIB <= data.start));
    });

    test('the first system has its kernel, its trees and its root; the boot partition has none', async () => {
      await withDisk(card, async (disk) => {
        assert.equal(disk.hasSystems, true);
        for (const name of ['vmlinuz', 'initrd.img', `${trees}bcm2837-rpi-3-b.dtb`]) {
          await disk.getSystem(name, join(work, 'got'));
          const bytes = readFileSync(join(work, 'got'));
          const text = String(isPacked && name === 'vmlinuz' ? gunzipSync(bytes) : bytes);
          assert.equal(text, `content of ${name.replace(trees, '')}`);
          rmSync(join(work, 'got'));
        }
        assert.equal(await disk.read('start.elf'), 'content of start.elf');
        await assert.rejects(disk.read('vmlinuz'));
        // U-Boot's environment: a checksum, then name=value, each ended by a zero
        const settings = (await disk.read('uboot.env')).split('\0');
        assert.deepEqual(settings.filter((line) => /^(kernel|start)=/.test(line)).sort(), start);
      });
      const { startMib } = partition('root-a', SLOT_PARTITIONS);
      assert.equal(String(readAt(card, startMib * MIB, 14)), 'hsqs of a root');
    });

    test('both copies of the choice are valid and name the first system', () => {
      for (const offset of CHOICE_OFFSETS) {
        const block = readAt(card, offset, 512);
        assert.equal(block.readUInt32LE(0), crc32(block.subarray(4)));
        const text = block.subarray(4).toString().replace(/\0+$/, '');
        assert.equal(text.split('\0').sort().join(), 'BOOT_A_LEFT=9,BOOT_B_LEFT=0,BOOT_ORDER=A');
      }
    });
  });

test('U-Boot, RAUC, udev and the table name the same places', () => {
  const [script, rauc, tools, rule] = [
    'boot/boot.cmd',
    'root/etc/rauc/system.conf',
    'root/etc/fw_env.config',
    'root/usr/lib/udev/rules.d/61-pitv-card.rules',
  ].map((name) => readFileSync(join(IMAGE, 'update', name), 'utf8'));
  const sectors = [...script.matchAll(/^setenv (?:first|second) (0x\w+)$/gm)];
  const offsets = sectors.map(([, sector]) => Number(sector) * 512);
  assert.deepEqual(offsets, CHOICE_OFFSETS);
  const place = `/dev/pitv-card 0x${CHOICE_OFFSETS[0].toString(16)} 0x200`;
  assert.match(tools, new RegExp(`^${place}$`, 'm'));
  const devices = [...rauc.matchAll(/^device=.*-(\d\d)$/gm)].map(([, number]) => number);
  assert.deepEqual(devices, ['05', '06', '07', '08']);
  assert.match(script, /boot_part 5\n +setenv root_part 06/);
  assert.match(script, /boot_part 7\n +setenv root_part 08/);
  for (const text of [script, rauc, rule]) assert.ok(text.includes(DISK_SIGNATURE));
});
