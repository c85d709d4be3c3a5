/** Makes a card with two systems by the recipes' shell functions, of placeholders for what BitBake builds. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { packUpdate } from '../../../image/yocto/dist.js';
import { CHOICE_OFFSETS, SLOT_PARTITIONS, partition } from '../../../image/sd/card.js';
import { missingForBootSlots } from '../needs.js';
import { ROOT } from './files.js';
import { runFunction } from './recipes.js';
import { temporaryFolder } from '../../support/folders.js';

const UPDATE = '../dynamic-layers/rauc/recipes-pitv/pitv-update/pitv-update_0.2.0.bb';
const CARD = '../classes-recipe/pitv_card.bbclass';
const MIB = 1024 * 1024;
const MACHINE = 'raspberrypi3';
/** The numbers of SLOT_PARTITIONS: the fourth primary one is not used. */
const NUMBERS = [1, 2, 3, 5, 6, 7, 8];

/** @param {string} card */
function readTable(card) {
  const { partitiontable } = JSON.parse(
    execFileSync('/usr/sbin/sfdisk', ['--json', card], { encoding: 'utf8' }),
  );
  /** @type {{node: string, start: number, size: number}[]} */
  const entries = partitiontable.partitions;
  const partitions = entries.map(({ node, start, size }) => ({
    number: Number(node.slice(card.length)),
    startMib: (start * 512) / MIB,
    sizeMib: (size * 512) / MIB,
  }));
  return { id: partitiontable.id, partitions };
}

describe('a card of the Yocto layer with two systems', { skip: missingForBootSlots() }, () => {
  const work = temporaryFolder();
  /** @type {Record<string, string>} */
  let variables;

  before(async () => {
    const folder = (/** @type {string} */ name) => {
      const path = join(work, name);
      mkdirSync(path);
      return path;
    };
    variables = {
      S: folder('source'),
      B: folder('build'),
      UNPACKDIR: folder('unpacked'),
      D: folder('image'),
      WORKDIR: folder('work'),
      DEPLOYDIR: folder('deploy'),
      IMGDEPLOYDIR: folder('images'),
      IMAGE_NAME: 'pitv-image',
      MACHINE,
      UBOOT_ARCH: 'arm',
      KERNEL_IMAGETYPE: 'zImage',
      PITV_ROOT_FSTYPE: 'squashfs-lz4',
      DEPLOY_DIR_IMAGE: join(work, 'deploy'),
      PITV_SYSTEM: `yocto-${MACHINE}`,
      IMAGE_BOOT_FILES: `bootfiles/*   bcm2710-rpi-3-b.dtb overlays.dtbo;overlays/vc4.dtbo
        u-boot.bin;kernel7.img pitv-update/boot.scr;boot.scr pitv-update/uboot.env;uboot.env`,
    };
    await packUpdate(ROOT, join(variables.S, 'image/update'));
    const files = {
      'unpacked/cert.pem': 'certificate',
      'deploy/bootfiles/config.txt': 'settings',
      'deploy/bcm2710-rpi-3-b.dtb': 'tree',
      'deploy/overlays.dtbo': 'overlay',
      'deploy/u-boot.bin': 'U-Boot',
      'deploy/zImage': 'kernel',
      'images/pitv-image.squashfs-lz4': 'root'.repeat(1000),
    };
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(work, name)), { recursive: true });
      writeFileSync(join(work, name), content);
    }
    for (const name of ['do_compile', 'do_install', 'do_deploy'])
      runFunction(UPDATE, name, variables);
    runFunction(CARD, 'IMAGE_CMD:pitvcard', variables);
  });

  const card = () => join(work, 'images/pitv-image.pitvcard');

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
    assert.deepEqual(
      partitions,
      SLOT_PARTITIONS.map(({ startMib, sizeMib }, i) => ({
        number: NUMBERS[i],
        startMib,
        sizeMib,
      })),
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
    const bytes = readFileSync(card());
    const root = partition('root-a', SLOT_PARTITIONS).startMib * MIB;
    assert.equal(bytes.toString('latin1', root, root + 4000), 'root'.repeat(1000));
    for (const offset of CHOICE_OFFSETS)
      assert.match(bytes.toString('latin1', offset, offset + 512), /BOOT_ORDER=A\0/);
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
    const read = (/** @type {string} */ name) => readFileSync(join(work, 'image', name), 'utf8');
    assert.match(read('etc/rauc/system.conf'), /^compatible=pitv-yocto-raspberrypi3$/m);
    assert.equal(read('etc/rauc/keyring.pem'), 'certificate');
    for (const unit of ['pitv-confirm.service', 'pitv-update.path', 'pitv-update.service'])
      assert.ok(existsSync(join(work, 'image/usr/lib/systemd/system', unit)), unit);
  });
});
