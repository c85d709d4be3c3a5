/** A copy of a card to boot from. mtools reads and writes its FAT partition, which needs no root. */
import { mkdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { ubootFile } from '../boards.js';
import {
  PARTITIONS,
  SLOT_PARTITIONS,
  partition,
  readPartitions,
  rootArgument,
} from '../sd/card.js';
import { cacheRoot, sweepDrafts } from '../sd/layers.js';
import { run, words } from '../sd/shell.js';

const GIB = 1024 ** 3;

/** The size of QEMU's SD cards must be a power of two. 1 GiB leaves room to resize the data partition. */
const CARD_BYTES = GIB;
/** Number of the first system's root, on a card with two. */
const ROOT_A = 6;
/** Where the board's firmware loads U-Boot (CONFIG_TEXT_BASE), hexadecimal. */
const UBOOT_AT = '8000';
let copies = 0;

export class Disk {
  /**
   * @param {string} folder @param {string} file @param {number} bootOffset bytes
   * @param {boolean} hasSystems whether it is a card with two systems
   */
  constructor(folder, file, bootOffset, hasSystems) {
    this.folder = folder;
    this.file = file;
    this.bootOffset = bootOffset;
    this.hasSystems = hasSystems;
  }

  /**
   * Makes a copy of a card.
   * @param {string} card an image; it is not changed
   * @param {{bytes?: number}} [options] size of the card, a power of two
   * @returns {Promise<Disk>} remove it when done
   */
  static async copyOf(card, { bytes = CARD_BYTES } = {}) {
    const partitions = await readPartitions(card);
    await sweepDrafts(cacheRoot()); // copies of processes that were killed, each with a gigabyte
    const folder = join(cacheRoot(), `.copy-${++copies}.${process.pid}`);
    const file = join(folder, 'card.img');
    await mkdir(folder, { recursive: true });
    try {
      await run('cp', ['--sparse=always', '--reflink=auto', card, file]);
      if ((await stat(file)).size < bytes) await truncate(file, bytes);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    return new Disk(folder, file, partitions[0].start, partitions.length > PARTITIONS.length);
  }

  /**
   * Runs a program of mtools, on the boot partition by default. The machine must not be running.
   * @param {string} program @param {string[]} args a path on the partition begins with ::
   * @param {{input?: string | Uint8Array, offset?: number}} [more] offset: of another partition, bytes
   */
  mtools(program, args, { input, offset = this.bootOffset } = {}) {
    const image = ['-i', `${this.file}@@${offset}`];
    return run(program, [...image, ...args], { input, env: { MTOOLS_SKIP_CHECK: '1' } });
  }

  /**
   * Copies a file or a folder from the boot partition, or from the first boot slot of a card with two systems.
   * @param {string} from path on the partition @param {string} to @param {{system?: boolean}} [options] system: whether
   *   it is a file of the system
   */
  async get(from, to, { system = false } = {}) {
    const { startMib } = partition('boot-a', SLOT_PARTITIONS);
    const offset = system && this.hasSystems ? startMib * 1024 * 1024 : this.bootOffset;
    await this.mtools('mcopy', ['-nsQ', `::${from}`, to], { offset });
  }

  /**
   * Copies what QEMU starts to the folder.
   * @param {import('./machines.js').MachineKind} kind
   * @returns {Promise<{kernel: string, initrd?: string, tree?: string, words: string[]}>} paths, and words for the
   *   kernel's command line that U-Boot adds otherwise
   */
  async getBootFiles(kind) {
    const file = (/** @type {string} */ name) => join(this.folder, name);
    const tree = kind.tree && file(kind.tree);
    if (kind.tree && tree) await this.get(kind.tree, tree);
    if (kind.uboot && this.hasSystems) {
      const name = ubootFile(kind.uboot);
      await this.get(name, file(name));
      const kernel = kind.adaptUboot && tree ? await adaptUboot(file(name), tree) : file(name);
      return { kernel, tree, words: [] };
    }
    for (const name of ['vmlinuz', 'initrd.img'])
      await this.get(name, file(name), { system: true });
    const more = this.hasSystems ? [rootArgument(ROOT_A), 'rauc.slot=A'] : [];
    return { kernel: file('vmlinuz'), initrd: file('initrd.img'), tree, words: more };
  }

  /** Reads a file, as UTF-8. @param {string} path on the boot partition @returns {Promise<string>} */
  async read(path) {
    return this.mtools('mtype', [`::${path}`]);
  }

  /** Writes a file. @param {string} path on the boot partition @param {string | Uint8Array} content */
  async write(path, content) {
    await this.mtools('mcopy', ['-o', '-', `::${path}`], { input: content });
  }

  async remove() {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/**
 * Makes a copy of a card for an action, and removes it afterwards.
 * @template T
 * @param {string} card @param {(disk: Disk) => Promise<T>} action @param {Parameters<typeof Disk.copyOf>[1]} [options]
 * @returns {Promise<T>}
 */
export async function withDisk(card, action, options) {
  const disk = await Disk.copyOf(card, options);
  try {
    return await action(disk);
  } finally {
    await disk.remove();
  }
}

/**
 * Changes U-Boot and its device tree, so that QEMU can start them on a 32-bit Arm board. QEMU loads a plain file to
 * another address than the firmware (KERNEL_LOAD_ADDR in hw/arm/boot.c), and a uImage to the one in its header.
 * U-Boot's driver of the card reader asks the firmware for a clock that QEMU does not know (tag 0x38042), and divides
 * by it; so the tree has the chip's other card reader instead. Linux has its own tree.
 * @param {string} program path of U-Boot @param {string} tree path of the device tree
 * @returns {Promise<string>} path of U-Boot for QEMU's -kernel
 */
async function adaptUboot(program, tree) {
  const image = `${program}.uimage`;
  await run(
    'mkimage',
    words`-A arm -O linux -T kernel -C none -a ${UBOOT_AT} -e ${UBOOT_AT} -d ${program} ${image}`,
  );
  const [used, other] = ['/soc/mmc@7e202000', '/soc/mmc@7e300000'];
  const pins = await run('fdtget', ['-t', 'x', tree, '/soc/gpio@7e200000/emmc-gpio48', 'phandle']);
  for (const [type, ...setting] of [
    ['s', used, 'status', 'disabled'],
    ['s', other, 'status', 'okay'],
    ['s', other, 'pinctrl-names', 'default'],
    ['x', other, 'pinctrl-0', pins.trim()],
    ['i', other, 'bus-width', '4'],
  ])
    await run('fdtput', ['-t', type, tree, ...setting]);
  return image;
}
