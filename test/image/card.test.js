/**
 * Tests of a card with one system and its copies for QEMU, and of cards with two systems: Debian's, and one that the
 * recipes of the Yocto layer make of placeholders for what BitBake builds. Both have the same places, which U-Boot
 * and RAUC name, too.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { crc32, gunzipSync } from 'node:zlib';
import { withDisk } from '../../image/qemu/disk.js';
import {
  CHOICE_OFFSETS,
  DISK_SIGNATURE,
  PARTITIONS,
  SLOT_PARTITIONS,
  makeCard,
  partition,
  readPartitions,
} from '../../image/sd/card.js';
import { cacheRoot } from '../../image/sd/layers.js';
import { run } from '../../image/sd/shell.js';
import { makeBootChoice, makeBootSlot } from '../../image/update/slots.js';
import { packUpdate } from '../../image/yocto/dist.js';
import { temporaryFolder, writeTree } from '../support/folders.js';
import { root as PROJECT } from '../support/test-files.js';
import { missingTools, readAt } from './needs.js';
import { runFunction } from './yocto/recipes.js';

const MIB = 1024 * 1024;
const epochS = 1_700_000_000;
const skip = missingTools('mkimage mkenvimage mkfs.vfat mcopy sfdisk');
const ROOT = 'hsqs of a root';

/** @param {typeof PARTITIONS} partitions @param {number[]} numbers */
const placesOf = (partitions, numbers) =>
  partitions.map(({ startMib, sizeMib }, index) => {
    return { number: numbers[index], start: startMib * MIB, bytes: sizeMib * MIB };
  });

/**
 * Tells whether a part of a card has no holes: what flashes it by a map of its blocks writes all of it.
 * @param {string} file @param {number} at @param {number} bytes
 */
function isWritten(file, at, bytes) {
  const program =
    'import os, sys; print(os.lseek(os.open(sys.argv[1], 0), int(sys.argv[2]), os.SEEK_HOLE))';
  const hole = Number(execFileSync('python3', ['-c', program, file, String(at)]));
  return hole >= at + bytes;
}

describe('a card with one system', () => {
  const folder = temporaryFolder({
    'boot/cmdline.txt': 'root=x\n',
    'boot/sub/file': 'below\n',
    'root.squashfs': ROOT,
  });
  const file = join(folder, 'card.img');
  const parts = { boot: join(folder, 'boot'), work: folder, epochS };

  before(() => makeCard({ file, root: join(folder, 'root.squashfs'), ...parts }));

  test('the partitions are read as they were written, with data as the last one', async () => {
    assert.deepEqual(await readPartitions(file), placesOf(PARTITIONS, [1, 2, 3]));
    assert.equal(PARTITIONS.at(-1)?.name, 'data');
  });

  test('the card has the bytes of the root, a clean ext4 for data, and holes between partitions only', async () => {
    const { startMib: rootMib } = partition('root');
    assert.equal(String(readAt(file, rootMib * MIB, ROOT.length)), ROOT);
    const { startMib, sizeMib } = partition('data');
    const checked = await run('e2fsck', ['-fn', `${file}?offset=${startMib * MIB}`]);
    assert.match(checked, /^pitv-data: 11\/\d+ files/m);
    const { blocks, size } = await stat(file);
    assert.equal(size, (startMib + sizeMib) * MIB);
    assert.ok(blocks * 512 < 160 * MIB, `${blocks * 512} bytes`);
    for (const name of ['boot', 'data']) {
      const { startMib, sizeMib } = partition(name);
      assert.ok(isWritten(file, startMib * MIB, sizeMib * MIB), name);
    }
  });

  test('the size of a copy is a power of two; files can be written to it and read', async () => {
    const left = join(cacheRoot(), '.copy-1.999999999');
    mkdirSync(left, { recursive: true });
    const copy = await withDisk(file, async (disk) => {
      assert.ok(!existsSync(left), 'the copy of a killed process is removed');
      assert.equal((await stat(disk.file)).size, 1024 * MIB);
      assert.equal(await disk.read('cmdline.txt'), 'root=x\n');
      assert.equal(await disk.read('sub/file'), 'below\n');
      for (const text of ['host_name = attic\n', 'not only\x1atext\r\n']) {
        await disk.write('pitv.txt', text);
        assert.equal(await disk.read('pitv.txt'), text);
      }
      return disk.folder;
    });
    assert.ok(!existsSync(copy));
  });

  test('a root that is larger than its partition, and a file that is not a card are rejected', async () => {
    const root = join(folder, 'huge');
    writeFileSync(root, '');
    truncateSync(root, (partition('root').sizeMib + 1) * MIB);
    const made = makeCard({ file: join(folder, 'x.img'), root, ...parts });
    await assert.rejects(made, { code: 'PITV_IMAGE_TOO_LARGE' });
    const read = readPartitions(join(folder, 'root.squashfs'));
    await assert.rejects(read, { code: 'PITV_IMAGE_NOT_A_CARD' });
  });
});

const TREE = 'bcm2837-rpi-3-b.dtb';

/**
 * Tests a card.
 * @param {string} title
 * @param {(work: string) => Promise<string>} make makes the card in an empty folder, and returns its path
 * @param {{packed?: string, start: string[], boot: Record<string, string>, system: Record<string, string>}} content
 *   packed: name of the file that is packed with gzip; start: how U-Boot starts the kernel; files of the boot partition
 *   and of the first system's boot slot
 * @param {(work: string) => void} [more] further tests
 */
function describeCard(title, make, { packed, start, boot, system }, more = () => {}) {
  describe(`a card with two systems, ${title}`, { skip }, () => {
    const work = temporaryFolder();
    let card = '';
    before(async () => {
      card = await make(work);
    });

    test('the table has the boot, both systems and the data, which is the third and last', async () => {
      assert.equal(readAt(card, 440, 4).readUInt32LE(0).toString(16), DISK_SIGNATURE);
      const partitions = await readPartitions(card);
      // The fourth primary one is not used.
      assert.deepEqual(partitions, placesOf(SLOT_PARTITIONS, [1, 2, 3, 5, 6, 7, 8]));
      assert.ok(partitions.every(({ start }) => start <= partitions[2].start));
    });

    test('the first system has its kernel, its trees and its root; the boot partition has what starts it', () =>
      withDisk(card, async (disk) => {
        assert.equal(disk.hasSystems, true);
        for (const [name, text] of Object.entries(boot))
          assert.equal(await disk.read(name), text, name);
        await assert.rejects(disk.read('vmlinuz'));
        assert.match(await disk.read('boot.scr'), /for each in \$\{BOOT_ORDER\}/);
        // U-Boot's environment: a checksum, then name=value, each ended by a zero
        const settings = (await disk.read('uboot.env')).split('\0');
        assert.ok(settings.some((line) => line.startsWith('bootcmd=load mmc ')));
        assert.deepEqual(settings.filter((line) => /^(kernel|start)=/.test(line)).sort(), start);
        for (const [name, text] of Object.entries(system)) {
          const got = join(disk.folder, basename(name));
          await disk.get(name, got, { system: true });
          const bytes = readFileSync(got);
          assert.equal(String(name === packed ? gunzipSync(bytes) : bytes), text);
        }
        const { startMib } = partition('root-a', SLOT_PARTITIONS);
        assert.equal(String(readAt(card, startMib * MIB, ROOT.length)), ROOT);
      }));

    test('file systems are written with their zeros, and where one is made, there are zeros', () => {
      for (const [name, bytes] of Object.entries({
        boot: 60 * MIB,
        'boot-a': 40 * MIB,
        data: 65536,
      }))
        assert.ok(isWritten(card, partition(name, SLOT_PARTITIONS).startMib * MIB, bytes), name);
    });

    test('both copies of the choice are valid and name the first system', () => {
      for (const offset of CHOICE_OFFSETS) {
        const block = readAt(card, offset, 512);
        assert.equal(block.readUInt32LE(0), crc32(block.subarray(4)));
        const text = block.subarray(4).toString().replace(/\0+$/, '');
        assert.equal(text.split('\0').sort().join(), 'BOOT_A_LEFT=9,BOOT_B_LEFT=0,BOOT_ORDER=A');
      }
    });
    more(work);
  });
}

const ARM = ['kernel=0x03000000', 'start=bootz'];
const ARM64 = ['kernel=0x00080000', 'start=booti'];
const KERNEL = { vmlinuz: 'kernel', 'initrd.img': 'modules' };
const FIRMWARE = { 'start.elf': 'firmware' };

for (const { cpu, trees, ...how } of [
  { cpu: 'arm64', trees: 'broadcom/', packed: 'vmlinuz', start: ARM64 },
  { cpu: 'arm', trees: '', start: ARM },
])
  describeCard(
    cpu,
    async (work) => {
      const [boot, root, card] = ['boot', 'root', 'card.img'].map((name) => join(work, name));
      writeTree(boot, { ...KERNEL, ...FIRMWARE, [TREE]: 'tree' });
      writeTree(work, { root: ROOT });
      const slots = { boot: join(work, 'slot.img'), choice: join(work, 'choice') };
      const common = { cpu, files: boot, epochS };
      await makeBootSlot({ ...common, file: slots.boot, work: join(work, 'slot') });
      await makeBootChoice({ ...common, choice: slots.choice });
      await makeCard({ file: card, boot, root, slots, work, epochS });
      return card;
    },
    { ...how, boot: FIRMWARE, system: { ...KERNEL, [`${trees}${TREE}`]: 'tree' } },
  );

const FOLDERS = ['S', 'B', 'UNPACKDIR', 'D', 'WORKDIR', 'DEPLOYDIR', 'IMGDEPLOYDIR'];
const MACHINE = 'raspberrypi3';
const CARD = 'IMGDEPLOYDIR/pitv-image.pitvcard';
const CARD_ROOT = 'IMGDEPLOYDIR/pitv-image.squashfs-lz4';

/** Makes the card of the Yocto layer in its folders. @param {string} work */
function makeYoctoCard(work) {
  const variables = {
    ...Object.fromEntries(FOLDERS.map((name) => [name, join(work, name)])),
    IMAGE_NAME: 'pitv-image',
    MACHINE,
    PV: '0.2.0+git20261128',
    UBOOT_ARCH: 'arm',
    KERNEL_IMAGETYPE: 'zImage',
    PITV_ROOT_FSTYPE: 'squashfs-lz4',
    DEPLOY_DIR_IMAGE: join(work, 'DEPLOYDIR'),
    PITV_SYSTEM: `yocto-${MACHINE}`,
    IMAGE_BOOT_FILES: `bootfiles/*   ${TREE} overlays.dtbo;overlays/vc4.dtbo
      u-boot.bin;kernel7.img pitv-update/boot.scr;boot.scr pitv-update/uboot.env;uboot.env`,
  };
  for (const name of ['do_compile', 'do_install', 'do_deploy'])
    runFunction('pitv-update.bb', name, variables);
  runFunction('pitv_card.bbclass', 'IMAGE_CMD:pitvcard', variables);
}

describeCard(
  'of the Yocto layer',
  async (work) => {
    for (const name of FOLDERS) mkdirSync(join(work, name));
    await packUpdate(join(work, 'S/image/update'));
    cpSync(join(PROJECT, 'image/common'), join(work, 'S/image/common'), { recursive: true });
    writeTree(work, {
      'UNPACKDIR/keyring.pem': 'certificate',
      'DEPLOYDIR/bootfiles/config.txt': 'settings',
      [`DEPLOYDIR/${TREE}`]: 'tree',
      'DEPLOYDIR/overlays.dtbo': 'overlay',
      'DEPLOYDIR/u-boot.bin': 'U-Boot',
      'DEPLOYDIR/zImage': 'kernel',
      [CARD_ROOT]: ROOT,
    });
    makeYoctoCard(work);
    return join(work, CARD);
  },
  {
    start: ARM,
    boot: {
      'kernel7.img': 'U-Boot',
      'config.txt': 'settings',
      [TREE]: 'tree',
      'overlays/vc4.dtbo': 'overlay',
    },
    system: { vmlinuz: 'kernel' },
  },
  (work) => {
    test("RAUC accepts updates of the key's owner for this machine only, and the units are installed", () => {
      const read = (/** @type {string} */ name) => readFileSync(join(work, 'D', name), 'utf8');
      assert.match(read('etc/rauc/system.conf'), /^compatible=pitv-yocto-raspberrypi3$/m);
      assert.equal(read('etc/rauc/keyring.pem'), 'certificate');
      assert.equal(read('usr/lib/pitv-image/version'), '0.2.0+git20261128\n');
      for (const unit of ['pitv-confirm.service', 'pitv-update.path', 'pitv-update.service'])
        assert.ok(existsSync(join(work, 'D/usr/lib/systemd/system', unit)), unit);
    });

    test('a root that is larger than its partition is refused', () => {
      truncateSync(join(work, CARD_ROOT), 321 * MIB);
      const refusal = /squashfs-lz4 is larger than its partition, which has 320 MiB/;
      assert.throws(() => makeYoctoCard(work), refusal);
    });
  },
);

test('U-Boot, RAUC, fstab and the table name the same places, on the disk of the root', () => {
  const [script, rauc, tools, wic, install] = [
    'boot/boot.cmd',
    'root/etc/rauc/system.conf',
    'root/etc/fw_env.config',
    '../yocto/meta-pitv/files/wic/pitv.wks',
    '../common/install.sh',
  ].map((name) => readFileSync(join(PROJECT, 'image/update', name), 'utf8'));
  const sectors = [...script.matchAll(/^setenv (?:first|second) (0x\w+)$/gm)];
  const offsets = sectors.map(([, sector]) => Number(sector) * 512);
  assert.deepEqual(offsets, CHOICE_OFFSETS);
  const place = `/dev/pitv-card 0x${CHOICE_OFFSETS[0].toString(16)} 0x200`;
  assert.match(tools, new RegExp(`^${place}$`, 'm'));
  const devices = [...rauc.matchAll(/^device=\/dev\/pitv-card(\d)$/gm)].map(([, number]) => number);
  assert.deepEqual(devices, ['5', '6', '7', '8']);
  assert.match(install, /^\/dev\/pitv-card1 \/boot\/firmware vfat /m);
  assert.match(script, /boot_part 5\n +setenv root_part 06/);
  assert.match(script, /boot_part 7\n +setenv root_part 08/);
  for (const text of [script, wic]) assert.ok(text.includes(DISK_SIGNATURE));
});
