/** Makes a card with two systems by the recipes' shell functions, of placeholders for what BitBake builds. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { packUpdate } from '../../../image/yocto/dist.js';
import { CHOICE_OFFSETS, SLOT_PARTITIONS, partition } from '../../../image/sd/card.js';
import { readAt, readTable, writeTree } from '../files.js';
import { missingForBootSlots } from '../needs.js';
import { runFunction } from './recipes.js';
import { temporaryFolder } from '../../support/folders.js';

const UPDATE = '../dynamic-layers/rauc/recipes-pitv/pitv-update/pitv-update_0.2.0.bb';
const CARD = '../classes-recipe/pitv_card.bbclass';
const MIB = 1024 * 1024;
const MACHINE = 'raspberrypi3';
/** The numbers of SLOT_PARTITIONS: the fourth primary one is not used. */
const NUMBERS = [1, 2, 3, 5, 6, 7, 8];

/** What the boot partition has, and what of it comes from where. */
const BOOT = Object.entries({
  'kernel7.img': /^U-Boot$/,
  'config.txt': /^settings$/,
  'bcm2710-rpi-3-b.dtb': /^tree$/,
  'overlays/vc4.dtbo': /^overlay$/,
  'boot.scr': /for each in \$\{BOOT_ORDER\}/,
  'uboot.env': /bootcmd=load mmc .*start=bootz/,
});

describe('a card of the Yocto layer with two systems', { skip: missingForBootSlots() }, () => {
  const work = temporaryFolder();
  const card = join(work, 'IMGDEPLOYDIR/pitv-image.pitvcard');
  const root = join(work, 'IMGDEPLOYDIR/pitv-image.squashfs-lz4');
  const folders = ['S', 'B', 'UNPACKDIR', 'D', 'WORKDIR', 'DEPLOYDIR', 'IMGDEPLOYDIR'];
  const variables = {
    ...Object.fromEntries(folders.map((name) => [name, join(work, name)])),
    IMAGE_NAME: 'pitv-image',
    MACHINE,
    UBOOT_ARCH: 'arm',
    KERNEL_IMAGETYPE: 'zImage',
    PITV_ROOT_FSTYPE: 'squashfs-lz4',
    DEPLOY_DIR_IMAGE: join(work, 'DEPLOYDIR'),
    PITV_SYSTEM: `yocto-${MACHINE}`,
    IMAGE_BOOT_FILES: `bootfiles/*   bcm2710-rpi-3-b.dtb overlays.dtbo;overlays/vc4.dtbo
      u-boot.bin;kernel7.img pitv-update/boot.scr;boot.scr pitv-update/uboot.env;uboot.env`,
  };

  before(async () => {
    for (const name of folders) mkdirSync(join(work, name));
    await packUpdate(join(work, 'S/image/update'));
    writeTree(work, {
      'UNPACKDIR/cert.pem': 'certificate',
      'DEPLOYDIR/bootfiles/config.txt': 'settings',
      'DEPLOYDIR/bcm2710-rpi-3-b.dtb': 'tree',
      'DEPLOYDIR/overlays.dtbo': 'overlay',
      'DEPLOYDIR/u-boot.bin': 'U-Boot',
      'DEPLOYDIR/zImage': 'kernel',
      'IMGDEPLOYDIR/pitv-image.squashfs-lz4': 'root'.repeat(1000),
    });
    for (const name of ['do_compile', 'do_install', 'do_deploy'])
      runFunction(UPDATE, name, variables);
    runFunction(CARD, 'IMAGE_CMD:pitvcard', variables);
  });

  /** @param {string} part of the card @param {string} name of a file of its FAT */
  const fileIn = (part, name) => {
    const { startMib } = partition(part, SLOT_PARTITIONS);
    return String(execFileSync('mtype', ['-i', `${card}@@${startMib}M`, `::${name}`]));
  };

  test('it has the partitions of the Debian card', () => {
    const { id, partitions } = readTable(card);
    assert.equal(id, '0x50495456');
    const expected = SLOT_PARTITIONS.map(({ startMib, sizeMib }, i) => {
      return { number: NUMBERS[i], startMib, sizeMib };
    });
    assert.deepEqual(partitions, expected);
  });

  test('the firmware finds U-Boot, its device tree and the script; the first system has a kernel and a root', () => {
    for (const [name, content] of BOOT) assert.match(fileIn('boot', name), content, name);
    assert.equal(fileIn('boot-a', 'vmlinuz'), 'kernel');
    const { startMib } = partition('root-a', SLOT_PARTITIONS);
    assert.equal(String(readAt(card, startMib * MIB, 4000)), 'root'.repeat(1000));
    for (const offset of CHOICE_OFFSETS)
      assert.match(readAt(card, offset, 512).toString('latin1'), /BOOT_ORDER=A\0/);
  });

  test("RAUC accepts updates of the key's owner for this machine only, and the units of the card are installed", () => {
    const read = (/** @type {string} */ name) => readFileSync(join(work, 'D', name), 'utf8');
    assert.match(read('etc/rauc/system.conf'), /^compatible=pitv-yocto-raspberrypi3$/m);
    assert.equal(read('etc/rauc/keyring.pem'), 'certificate');
    for (const unit of ['pitv-confirm.service', 'pitv-update.path', 'pitv-update.service'])
      assert.ok(existsSync(join(work, 'D/usr/lib/systemd/system', unit)), unit);
  });

  test('a root that is larger than its partition is refused', () => {
    truncateSync(root, 321 * MIB);
    const refusal = /squashfs-lz4 is larger than its partition, which has 320 MiB/;
    assert.throws(() => runFunction(CARD, 'IMAGE_CMD:pitvcard', variables), refusal);
  });
});
