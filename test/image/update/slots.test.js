/** Tests the card with two systems: its partitions, what U-Boot reads, and that all parts name the same partitions. */
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { crc32, gunzipSync } from 'node:zlib';
import { withDisk } from '../../../image/qemu/disk.js';
import {
  CHOICE_OFFSETS,
  DISK_SIGNATURE,
  SLOT_PARTITIONS,
  makeCard,
  partition,
  readPartitions,
} from '../../../image/sd/card.js';
import { makeBootChoice, makeBootSlot, removeSystem } from '../../../image/update/slots.js';
import { readAt, readTable, writeTree } from '../files.js';
import { missingForBootSlots } from '../needs.js';
import { temporaryFolder } from '../../support/folders.js';

const UPDATE = fileURLToPath(new URL('../../../image/update', import.meta.url));
const MIB = 1024 * 1024;
const epochS = 1_700_000_000;
const skip = missingForBootSlots();

/** Where a card has the device trees, and how it starts the kernel. */
const KINDS = [
  { cpu: 'arm64', trees: 'broadcom/', isPacked: true, start: ['kernel=0x00080000', 'start=booti'] },
  { cpu: 'arm', trees: '', isPacked: false, start: ['kernel=0x03000000', 'start=bootz'] },
];

for (const { cpu, trees, isPacked, start } of KINDS)
  describe(`a card with two systems, ${cpu}`, { skip }, () => {
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
          const bytes = await readFile(join(work, 'got'));
          const text = String(isPacked && name === 'vmlinuz' ? gunzipSync(bytes) : bytes);
          assert.equal(text, `content of ${name.replace(trees, '')}`);
          await rm(join(work, 'got'));
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

test('U-Boot, RAUC, udev and the table name the same places', async () => {
  const read = (/** @type {string} */ name) => readFile(join(UPDATE, name), 'utf8');
  const script = await read('boot/boot.cmd');
  const rauc = await read('root/etc/rauc/system.conf');
  const tools = await read('root/etc/fw_env.config');
  const rule = await read('root/usr/lib/udev/rules.d/61-pitv-card.rules');
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
