/** Makes a card with two systems by the recipes' shell functions, of placeholders for what BitBake builds. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
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

describe('a card of the Yocto layer with two systems', { skip: missingForBootSlots() }, () => {
  const work = temporaryFolder();
  /** @type {Record<string, string>} */
  let variables;

  before(async () => {
    const folders = ['S', 'B', 'UNPACKDIR', 'D', 'WORKDIR', 'DEPLOYDIR', 'IMGDEPLOYDIR'].map(
      (name) => [name, join(work, name)],
    );
    for (const [, path] of folders) mkdirSync(path);
    variables = {
      ...Object.fromEntries(folders),
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
    await packUpdate(join(variables.S, 'image/update'));
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

  const card = () => join(work, 'IMGDEPLOYDIR/pitv-image.pitvcard');

  /** @param {string} name of a file of a FAT @param {string} part of the card */
  const fileIn = (part, name) => {
    const { startMib } = partition(part, SLOT_PARTITIONS);
    return execFileSync('mtype', ['-i', `${card()}@@${startMib}M`, `::${name}`], {
      encoding: 'utf8',
    });
  };

  test('it has the partitions of the Debian card', () => {
    const { id, partitions } = readTable(card());
    assert.equal(id, '0x50495456');
    const expected = SLOT_PARTITIONS.map(({ startMib, sizeMib }) => ({ startMib, sizeMib }));
    assert.deepEqual(
      partitions,
      expected.map((place, i) => ({ number: NUMBERS[i], ...place })),
    );
  });

  test('the firmware finds U-Boot, its device tree and the script; the first system has a kernel and a root', () => {
    assert.equal(fileIn('boot', 'kernel7.img'), 'U-Boot');
    assert.equal(fileIn('boot', 'config.txt'), 'settings');
    assert.equal(fileIn('boot', 'bcm2710-rpi-3-b.dtb'), 'tree');
    assert.equal(fileIn('boot', 'overlays/vc4.dtbo'), 'overlay');
    assert.match(fileIn('boot', 'boot.scr'), /for each in \$\{BOOT_ORDER\}/);
    assert.match(fileIn('boot', 'uboot.env'), /bootcmd=load mmc .*start=bootz/);
    assert.equal(fileIn('boot-a', 'vmlinuz'), 'kernel');
    const root = partition('root-a', SLOT_PARTITIONS).startMib * MIB;
    assert.equal(String(readAt(card(), root, 4000)), 'root'.repeat(1000));
    for (const offset of CHOICE_OFFSETS)
      assert.match(readAt(card(), offset, 512).toString('latin1'), /BOOT_ORDER=A\0/);
  });

  test('a root that is larger than its partition is refused', () => {
    const copy = { ...variables, IMGDEPLOYDIR: join(work, 'large') };
    cpSync(variables.IMGDEPLOYDIR, copy.IMGDEPLOYDIR, { recursive: true });
    truncateSync(join(copy.IMGDEPLOYDIR, 'pitv-image.squashfs-lz4'), 321 * MIB);
    assert.throws(
      () => runFunction(CARD, 'IMAGE_CMD:pitvcard', copy),
      /squashfs-lz4 is larger than its partition, which has 320 MiB/,
    );
  });

  test("RAUC accepts updates of the key's owner for this machine only, and the units of the card are installed", () => {
    const read = (/** @type {string} */ name) => readFileSync(join(work, 'D', name), 'utf8');
    assert.match(read('etc/rauc/system.conf'), /^compatible=pitv-yocto-raspberrypi3$/m);
    assert.equal(read('etc/rauc/keyring.pem'), 'certificate');
    for (const unit of ['pitv-confirm.service', 'pitv-update.path', 'pitv-update.service'])
      assert.ok(existsSync(join(work, 'D/usr/lib/systemd/system', unit)), unit);
  });
});
