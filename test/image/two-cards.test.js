/**
 * Tests that a board with a second card, in a USB reader, uses one of them only: the scripts run with a /sys and a /dev
 * in which both have the same signature.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { DISK_SIGNATURE } from '../../image/sd/card.js';
import { temporaryFolder, writeTree } from '../support/folders.js';

const IMAGE = fileURLToPath(new URL('../../image', import.meta.url));
const SCRIPTS = join(IMAGE, 'common/root/usr/libexec/pitv');
const SLOT = 'devices/platform/soc/mmc_host/mmc0/block/mmcblk0';
const READER = 'devices/platform/soc/3f980000.usb/usb1/1-1/host0/block/sda';

const MOUNTS = `21 26 0:20 / /proc rw - proc proc rw
26 1 179:2 / / ro,relatime - squashfs /dev/root ro
40 26 8:1 / /mnt rw - vfat /dev/sda1 rw
`;

/** Makes /sys, /dev and /proc of a board whose root is on the card in the slot. @returns {string} their folder */
function makeBoard() {
  const board = temporaryFolder();
  const sector = Buffer.alloc(512);
  sector.writeUInt32LE(Number(`0x${DISK_SIGNATURE}`), 440);
  for (const folder of ['class', 'dev'])
    mkdirSync(join(board, 'sys', folder, 'block'), { recursive: true });
  for (const [disk, device, prefix] of [
    [SLOT, '179', 'mmcblk0p'],
    [READER, '8', 'sda'],
  ]) {
    for (const number of [1, 2, 3]) {
      const name = `${prefix}${number}`;
      writeTree(board, { [`sys/${disk}/${name}/partition`]: `${number}\n`, [`dev/${name}`]: '' });
      symlinkSync(`../../${disk}/${name}`, join(board, 'sys/class/block', name));
      symlinkSync(`../../${disk}/${name}`, join(board, `sys/dev/block/${device}:${number}`));
    }
    writeFileSync(join(board, 'dev', basename(disk)), sector);
  }
  writeTree(board, { 'proc/self/mountinfo': MOUNTS });
  return board;
}

/**
 * Runs functions of a script in a board.
 * @param {string} board @param {RegExp} functions @param {string} file @param {string} command
 */
function runIn(board, functions, file, command) {
  const [text] = functions.exec(readFileSync(file, 'utf8')) ?? [''];
  const script = text
    .replace(/\/(sys|dev)\/(?=class|dev\/|\$)/g, `${board}/$1/`)
    .replaceAll('[ -b ', '[ -e ');
  const { stdout, stderr } = spawnSync('sh', ['-c', `${script}\n${command}`], { encoding: 'utf8' });
  assert.equal(stderr, '');
  return stdout.trim().replaceAll(`${board}/`, '/');
}

test('the boot partition is on the disk of the root, and the initrd detects no disk on USB', () => {
  const board = makeBoard();
  const init = join(IMAGE, 'debian/initrd/init');
  const find = `find_device "$device" && echo "$device" && find_boot && echo "$device"`;
  for (const [root, disk] of [
    [`PARTUUID=${DISK_SIGNATURE}-02`, '/dev/mmcblk0p'],
    [`${board}/dev/sda2`, '/dev/sda'],
  ]) {
    const found = runIn(
      board,
      /^signature\(\)[^]*?(?=^tries=0$)/m,
      init,
      `device=${root}; ${find}`,
    );
    assert.equal(found, `${disk}2\n${disk}1`);
  }
  const modules = readFileSync(join(IMAGE, 'debian/modules.txt'), 'utf8');
  const early = modules.match(/^(initrd|early) .*$/gm) ?? [];
  assert.ok(early.length > 10);
  assert.doesNotMatch(early.join('\n'), /usb|dwc|xhci|\buas\b/);
});

test('the data is the third partition of the disk that the root is on', () => {
  const board = makeBoard();
  const functions = /^find_partition\(\)[^]*?^\}$/m;
  const find = (/** @type {string} */ root) =>
    runIn(board, functions, join(SCRIPTS, 'data'), `findmnt() { echo ${root}; }; find_partition`);
  assert.equal(find('179:2'), '/dev/mmcblk0p3');
  assert.equal(find('8:2'), '/dev/sda3');
});

test('udev names the disk that the root is on and its partitions, and none of another disk', () => {
  const board = makeBoard();
  const name = (/** @type {string} */ path) => {
    const env = { ...process.env, PITV_ROOT: board };
    const { status, stdout } = spawnSync('sh', [join(SCRIPTS, 'card'), `/${path}`], { env });
    return status === 0 ? String(stdout).trim() : status;
  };
  assert.equal(name(SLOT), 'pitv-card');
  assert.equal(name(`${SLOT}/mmcblk0p3`), 'pitv-card3');
  assert.equal(name(READER), 1);
  assert.equal(name(`${READER}/sda3`), 1);
});

test('the systems, their choice and the boot files are on the disk that the root is on', () => {
  const read = (/** @type {string} */ name) => readFileSync(join(IMAGE, name), 'utf8');
  const texts = ['update/root/etc/rauc/system.conf', 'update/root/etc/fw_env.config'].map(read);
  const boot = read('common/install.sh').match(/^.* \/boot\/firmware vfat .*$/m) ?? [];
  const devices = [...texts, ...boot].flatMap((text) => text.match(/\/dev\/\S+|LABEL=\S+/g) ?? []);
  assert.equal(devices.length, 6);
  for (const device of devices) assert.match(device, /^\/dev\/pitv-card\d?$/);
});
