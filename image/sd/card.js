/**
 * Makes the card: a file with a partition table, a FAT partition that any computer can read, the root file
 * system and the data partition. It uses no loop devices, so it does not need root.
 */
import { readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PitvError } from '../../app/errors.js';
import { ubootFile } from '../boards.js';
import { run, words } from './shell.js';

const MIB = 1024 * 1024;
const SECTOR_BYTES = 512;

/** Where a card with two systems has the choice of the system, twice; see image/update/boot/boot.cmd. */
export const CHOICE_OFFSETS = Object.freeze([MIB, 2 * MIB]);

/** "PITV": partitions are found by PARTUUID=50495456-02 and so on, on any bus. */
export const DISK_SIGNATURE = '50495456';
const BOOT_LABEL = 'PITVBOOT';
const DATA_LABEL = 'pitv-data';

/**
 * Positions of the partitions. They are the same in every version, so that the root file system can be
 * replaced without changing the data. The last one is resized to the end of the card at the first start.
 * @type {readonly Partition[]}
 */
export const PARTITIONS = Object.freeze([
  { name: 'boot', type: 'c', startMib: 4, sizeMib: 124 },
  { name: 'root', type: '83', startMib: 128, sizeMib: 320 },
  { name: 'data', type: '83', startMib: 448, sizeMib: 32 },
]);

/**
 * @typedef {object} Partition
 * @property {string} name
 * @property {string} type as in a partition table, hexadecimal
 * @property {number} startMib
 * @property {number} sizeMib
 * @property {number} [number] the next one by default
 */

/**
 * Positions of the partitions on a card with two systems. Those of the systems are logical, because a table has four
 * entries. The MiB before each has its entry in the chain of an extended partition.
 * @type {readonly Partition[]}
 */
export const SLOT_PARTITIONS = Object.freeze([
  { name: 'boot', type: 'c', startMib: 4, sizeMib: 60 },
  { name: 'systems', type: '5', startMib: 64, sizeMib: 808 },
  { name: 'data', type: '83', startMib: 872, sizeMib: 32 },
  { name: 'boot-a', type: 'c', startMib: 65, sizeMib: 80, number: 5 },
  { name: 'root-a', type: '83', startMib: 146, sizeMib: 320 },
  { name: 'boot-b', type: 'c', startMib: 467, sizeMib: 80 },
  { name: 'root-b', type: '83', startMib: 548, sizeMib: 320 },
]);

/** Finds a partition. @param {string} name @param {readonly Partition[]} [partitions] @returns {Partition} */
export function partition(name, partitions = PARTITIONS) {
  const found = partitions.find((each) => each.name === name);
  if (!found) throw new TypeError(`no partition ${name}`);
  return found;
}

/** Returns the partition table as input of sfdisk. @param {readonly Partition[]} [partitions] @returns {string} */
export function formatPartitionTable(partitions = PARTITIONS) {
  let next = 1;
  const lines = partitions.map(({ type, startMib, sizeMib, name, number = next }) => {
    next = number + 1;
    const sectors = (/** @type {number} */ mib) => (mib * MIB) / SECTOR_BYTES;
    const bootable = name === 'boot' ? ', bootable' : '';
    return `card${number} : start=${sectors(startMib)}, size=${sectors(sizeMib)}, type=${type}${bootable}`;
  });
  return `label: dos\nlabel-id: 0x${DISK_SIGNATURE}\nunit: sectors\n\n${lines.join('\n')}\n`;
}

/** Names the root on the kernel's command line. @param {number} number of the partition */
export const rootArgument = (number) =>
  `root=PARTUUID=${DISK_SIGNATURE}-${String(number).padStart(2, '0')}`;

/**
 * Returns the kernel's command line.
 * @param {{hasRoot?: boolean, kiosk?: boolean}} [options] hasRoot: with the root, which U-Boot adds otherwise
 */
export const kernelCommandLine = ({ hasRoot, kiosk } = {}) =>
  [
    ...(hasRoot ? [rootArgument(2)] : []),
    // quiet: output to an unused serial console would slow down the start.
    'ro rootwait console=tty1 consoleblank=0 quiet loglevel=3 net.ifnames=0 panic=5',
    // The kernel's self-tests of ciphers take seconds on a Pi 1.
    'cryptomgr.notests',
    // Contiguous memory for the pictures of a GPU without own memory (vc4): the boards' device trees reserve 64 MB,
    // which three pictures in 1080p and a page's layers fill. Other programs use it while the GPU does not.
    ...(kiosk ? ['cma=192M'] : []),
  ].join(' ');

/**
 * Returns the text of config.txt.
 * @param {string} more additional lines for the board
 * @param {{uboot?: Record<string, string>}} [options] uboot: the firmware starts this variant of U-Boot, by section
 */
export const firmwareConfig = (
  more,
  { uboot } = {},
) => `# What the board's firmware reads. pitv's own settings are in pitv.txt.
${uboot ? listUboots(uboot) : 'kernel=vmlinuz\ninitramfs initrd.img followkernel'}
# A kernel from kernel.org, with its own names for the boards' device trees
upstream_kernel=1
${more}# A console on the pins 8 and 10 (115200 baud): add console=ttyS1,115200 to cmdline.txt as well
enable_uart=1
# The picture is a text console; the rest of the memory is for games.
gpu_mem=32
disable_overscan=1
hdmi_force_hotplug=1
`;

/** Lists the variants of U-Boot; a later section wins. @param {Record<string, string>} uboot */
const listUboots = (uboot) =>
  Object.entries(uboot)
    .map(([section, variant]) => `[${section}]\nkernel=${ubootFile(variant)}\n`)
    .join('') + '[all]';

/**
 * Makes a card.
 * @param {object} parts
 * @param {string} parts.file path of the card
 * @param {string} parts.boot folder with the files of the FAT partition
 * @param {string} parts.root file with the root file system
 * @param {import('../update/slots.js').Slots} [parts.slots] what a card with two systems has in addition
 * @param {string} parts.work folder for temporary files
 * @param {number} parts.epochS time of all files, seconds since 1970
 * @throws {PitvError} PITV_IMAGE_TOO_LARGE
 */
export async function makeCard({ file, boot, root, slots, work, epochS }) {
  const table = slots ? SLOT_PARTITIONS : PARTITIONS;
  const at = (/** @type {string} */ name) => partition(name, table).startMib * MIB;
  const { startMib: dataMib, sizeMib: dataSizeMib } = partition('data', table);
  const rootName = slots ? 'root-a' : 'root';
  const { sizeMib: rootMib } = partition(rootName, table);
  const { size: rootBytes } = await stat(root);
  if (rootBytes > rootMib * MIB) {
    throw new PitvError(
      'PITV_IMAGE_TOO_LARGE',
      `The root file system has ${Math.ceil(rootBytes / MIB)} MiB, its partition only ${rootMib} MiB. Remove files, or enlarge the partition in image/sd/card.js.`,
    );
  }
  await writeFile(file, '');
  await truncate(file, (dataMib + dataSizeMib) * MIB);
  await run('sfdisk', ['--quiet', '--no-tell-kernel', file], {
    input: formatPartitionTable(table),
  });

  const fat = join(work, 'boot.img');
  const { sizeMib } = partition('boot', table);
  await makeFat({ file: fat, files: boot, sizeMib, label: BOOT_LABEL, epochS });
  await copyInto(fat, file, at('boot'));
  await rm(fat);

  await copyInto(root, file, at(rootName));
  if (slots) {
    await copyInto(slots.boot, file, at('boot-a'));
    for (const offset of CHOICE_OFFSETS) await copyInto(slots.choice, file, offset);
  }

  const data = join(work, 'data.img');
  const uuid = '50495456-0000-4000-8000-000000000003';
  // Block size and journal size are fixed, because resizing does not change them. Debian 12 and 13 differ in their
  // default features, and e2fsck of Debian 12 does not know the newer ones.
  await run(
    'mke2fs',
    words`-q -t ext4 -L ${DATA_LABEL} -U ${uuid} -m 1 -b 4096 -J size=8 -O ^orphan_file,^metadata_csum_seed
      -E hash_seed=${uuid},lazy_itable_init=0,nodiscard ${data} ${dataSizeMib}M`,
    { env: timesOf(epochS) },
  );
  await copyInto(data, file, at('data'));
  await rm(data);
}

/** Returns the variables that fix the times in file systems. @param {number} epochS */
const timesOf = (epochS) => ({
  SOURCE_DATE_EPOCH: String(epochS),
  E2FSPROGS_FAKE_TIME: String(epochS),
  TZ: 'UTC',
});

/**
 * Makes a FAT file system.
 * @param {object} fat
 * @param {string} fat.file path of its image, which does not exist yet
 * @param {string} fat.files folder with its files; their times are changed
 * @param {number} fat.sizeMib
 * @param {string} fat.label
 * @param {number} fat.epochS time of all files, seconds since 1970
 */
export async function makeFat({ file, files, sizeMib, label, epochS }) {
  const env = timesOf(epochS);
  const how = words`-F 32 -n ${label} --invariant`;
  await run('mkfs.vfat', [...how, '-C', file, String(sizeMib * 1024)], { env });
  const paths = (await readdir(files)).sort().map((name) => join(files, name));
  await run('find', words`${files} -exec touch -d @${epochS} {} +`);
  await run('mcopy', words`-s -m -i ${file} ${paths} ::`, { env });
}

/**
 * Copies a file into the card, also its zeros. A flasher that follows the map of blocks (bmap) leaves out holes, and a
 * file system would find there what was on the card before.
 * @param {string} from @param {string} to @param {number} offset bytes
 */
export async function copyInto(from, to, offset) {
  const place = words`if=${from} of=${to} bs=256K seek=${offset} oflag=seek_bytes`;
  await run('dd', [...place, 'conv=notrunc', 'status=none']);
}

/**
 * Reads the partition table of a card.
 * @param {string} file
 * @returns {Promise<{number: number, start: number, bytes: number}[]>} start: bytes
 * @throws {PitvError} PITV_IMAGE_NOT_A_CARD
 */
export async function readPartitions(file) {
  const table = await run('sfdisk', ['--json', file]).catch((cause) => {
    throw new PitvError('PITV_IMAGE_NOT_A_CARD', `${file} has no partition table.`, { cause });
  });
  /** @type {{node: string, start: number, size: number}[]} */
  const partitions = JSON.parse(table).partitiontable.partitions;
  return partitions.map(({ node, start, size }) => ({
    number: Number(/\d+$/.exec(node)?.[0]),
    start: start * SECTOR_BYTES,
    bytes: size * SECTOR_BYTES,
  }));
}
