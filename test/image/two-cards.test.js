/**
 * Tests that a board with a second card, in a USB reader, uses only the one in the slot. boot/two-cards.js boots such a
 * board.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder, writeTree } from '../support/folders.js';

const IMAGE = fileURLToPath(new URL('../../image', import.meta.url));
const SLOT = 'devices/platform/soc/mmc_host/mmc0/block/mmcblk0';
const READER = 'devices/platform/soc/3f980000.usb/usb1/1-1/host0/block/sda';
const MOUNTS = `21 26 0:20 / /proc rw - proc proc rw
26 1 179:2 / / ro,relatime - squashfs /dev/root ro
40 26 8:1 / /mnt rw - vfat /dev/sda1 rw
`;

test('udev names the disk that the root is on and its partitions, and none of another disk', () => {
  const board = temporaryFolder();
  const link = join(board, 'sys/dev/block/179:2');
  writeTree(board, {
    'proc/self/mountinfo': MOUNTS,
    [`sys/${SLOT}/mmcblk0p2/partition`]: '2\n',
    [`sys/${SLOT}/mmcblk0p3/partition`]: '3\n',
    [`sys/${READER}/sda3/partition`]: '3\n',
  });
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(`../../${SLOT}/mmcblk0p2`, link);
  const script = join(IMAGE, 'common/root/usr/libexec/pitv/card');
  for (const [path, name] of [
    [SLOT, 'pitv-card\n'],
    [`${SLOT}/mmcblk0p3`, 'pitv-card3\n'],
    [READER, ''],
    [`${READER}/sda3`, ''],
  ]) {
    const env = { ...process.env, PITV_ROOT: board };
    const { status, stdout } = spawnSync('sh', [script, `/${path}`], { env, encoding: 'utf8' });
    assert.deepEqual([stdout, status], [name, name ? 0 : 1], path);
  }
});

test('the initrd detects no disk on USB', () => {
  const modules = readFileSync(join(IMAGE, 'debian/modules.txt'), 'utf8');
  const early = modules.match(/^(initrd|early) .*$/gm) ?? [];
  assert.ok(early.length > 10);
  assert.doesNotMatch(early.join('\n'), /usb|dwc|xhci|\buas\b/);
});
