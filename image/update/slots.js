/** Makes the parts of a card with two systems: the boot slot, and the files with which U-Boot chooses a system. */
import { copyFile, mkdir, readFile, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFat } from '../sd/card.js';
import { run, words } from '../sd/shell.js';

const BOOT = join(dirname(fileURLToPath(import.meta.url)), 'boot');
/** Size of the file system in a boot slot, whose files have 17 MB. The partition has room for more. */
const FILES_MIB = 40;
/** U-Boot's CONFIG_ENV_SIZE. */
const ENVIRONMENT_BYTES = 0x4000;
/** A sector: a card writes it whole or not at all. */
const CHOICE_BYTES = 512;

/**
 * How U-Boot starts a kernel, by the CPU's name: its command, where it loads the kernel, whether the command unpacks
 * gzip, and the folder in which it looks for device trees.
 * @type {Readonly<Record<string, {command: string, kernel: string, unpacks: boolean, trees: string}>>}
 */
const STARTS = Object.freeze({
  arm: { command: 'bootz', kernel: '0x03000000', unpacks: false, trees: '' },
  arm64: { command: 'booti', kernel: '0x00080000', unpacks: true, trees: 'broadcom' },
});

/**
 * @typedef {object} Slots
 * @property {string} boot image of the boot slot
 * @property {string} choice the block from which U-Boot chooses a system
 */

/**
 * Makes the image of a boot slot: kernel, initrd and device trees, with the names that U-Boot asks for.
 * @param {object} slot
 * @param {string} slot.cpu see Board
 * @param {string} slot.files the files of the card's boot partition; kernel and initrd are moved, device trees copied
 * @param {string} slot.file path of the image
 * @param {string} slot.work an unused path
 * @param {number} slot.epochS time of all files, seconds since 1970
 */
export async function makeBootSlot({ cpu, files, file, work, epochS }) {
  const start = STARTS[cpu];
  const trees = join(work, start.trees);
  await mkdir(trees, { recursive: true });
  for (const name of ['vmlinuz', 'initrd.img']) await rename(join(files, name), join(work, name));
  if (start.unpacks) {
    // U-Boot reads a card slowly and unpacks fast. A kernel that is not unpacked by it, unpacks itself.
    await run('gzip', ['-9n', '-S', '.gz', join(work, 'vmlinuz')]);
    await rename(join(work, 'vmlinuz.gz'), join(work, 'vmlinuz'));
  }
  for (const name of await readdir(files))
    if (name.endsWith('.dtb')) await copyFile(join(files, name), join(trees, name));
  await makeFat({ file, files: work, sizeMib: FILES_MIB, label: 'PITVSYSTEM', epochS });
  await rm(work, { recursive: true });
}

/**
 * Makes U-Boot's script and environment, and the block with the first choice.
 * @param {object} parts
 * @param {string} parts.cpu see Board
 * @param {string} parts.files the files of the card's boot partition: gets boot.scr and uboot.env
 * @param {string} parts.choice path of the block
 * @param {number} parts.epochS
 */
export async function makeBootChoice({ cpu, files, choice, epochS }) {
  const env = { SOURCE_DATE_EPOCH: String(epochS) };
  const paths = [join(BOOT, 'boot.cmd'), join(files, 'boot.scr')];
  await run('mkimage', words`-A ${cpu} -T script -C none -n pitv -d ${paths}`, { env });
  await makeEnvironment(await ubootVariables(cpu), ENVIRONMENT_BYTES, join(files, 'uboot.env'));
  await makeEnvironment(await readFile(join(BOOT, 'choice.txt'), 'utf8'), CHOICE_BYTES, choice);
}

/** Returns U-Boot's variables, one a line. @param {string} cpu see Board */
export async function ubootVariables(cpu) {
  const { command, kernel } = STARTS[cpu];
  const common = await readFile(join(BOOT, 'uboot.txt'), 'utf8');
  return `${common}start=${command}\nkernel=${kernel}\n`;
}

/**
 * Makes variables readable by U-Boot.
 * @param {string} input one a line @param {number} bytes @param {string} file
 */
async function makeEnvironment(input, bytes, file) {
  await run('mkenvimage', words`-s ${bytes} -p 0 -o ${file} -`, { input });
}
