/** Boots two equal cards in one board (PITV_BOARD, on QEMU's `virt`): only the one with the root is used. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDisk } from '../../../image/qemu/disk.js';
import { SLOW_CLOCK } from '../../../image/qemu/machines.js';
import { words } from '../../../image/sd/shell.js';
import { BOARD, cardFor, logOf, withTv } from './board.js';

const { file, why: skip } = await cardFor(BOARD);
const USED = `udevadm settle
for at in / /boot/firmware /data; do findmnt -nr -o SOURCE "$at"; done
for name in card card1 card2 card3; do readlink -f "/dev/pitv-$name"; done
ls -d /sys/class/block/vd?3 | wc -l`;

test('of two equal cards, only the one with the root is used', { skip }, () =>
  withDisk(file, (disk) =>
    withDisk(file, async (other) => {
      const drive = words`-drive file=${other.file},if=none,id=other,format=raw`;
      const qemu = [...SLOW_CLOCK, ...drive, ...words`-device virtio-blk-device,drive=other`];
      const options = { board: BOARD, machine: 'virt', network: false, log: logOf('two-cards') };
      await withTv(disk, { ...options, qemu }, async (tv) => {
        const used = (await tv.sh(USED, { timeoutMs: 900_000 })).trim().split('\n');
        const [card] = used[0].match(/^\/dev\/vd./) ?? [];
        const mounts = [`${card}2`, `${card}1`, `${card}3`];
        assert.deepEqual(used, [...mounts, card, `${card}1`, `${card}2`, `${card}3`, '2']);
      });
    }),
  ),
);
