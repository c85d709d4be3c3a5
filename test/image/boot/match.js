/**
 * Boots the card of a board (PITV_BOARD, by default the Pi 1's) on QEMU's emulation of that board, without a network,
 * and runs a match in it. The boards for 32 bits count instructions, so the load of this machine does not matter. On
 * QEMU's `virt`, a board has two equal cards, too.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BOARDS } from '../../../image/boards.js';
import { withDisk } from '../../../image/qemu/disk.js';
import { MACHINES, SLOW_CLOCK } from '../../../image/qemu/machines.js';
import { runJob } from '../../../bench/board/job.js';
import { nodeVersion } from '../../../image/sd/app.js';
import { words } from '../../../image/sd/shell.js';
import { cardFor, logOf, runMatch, withTv } from './board.js';

const BOARD = process.env.PITV_BOARD ?? 'armel';
const { arch, nodePackage } = BOARDS[BOARD];
const { file, why } = await cardFor(BOARD);

/** It is installed after the first start, and runs locked. Debian's Node.js plays it in armhf.js. */
const KICK_OFF = `for try in $(seq 20); do
  node -e '${runMatch({ starts: true, game: 'kick-off' })}' >kick-off.json && break
  sleep 5
done
`;

/** Waits for the end of the start, then checks the units and plays. */
const SCRIPT = `systemctl is-system-running --wait
systemctl --failed --no-legend --plain --no-pager >failed
node --version >node
node -e '${runMatch({ starts: true })}' >match.json
${nodePackage ? KICK_OFF : ''}`;

test(`the card of ${BOARD} starts without failed units and runs a match`, { skip: why }, () =>
  withDisk(file, async (disk) => {
    const machine = process.env.PITV_QEMU_MACHINE;
    const options = { board: BOARD, machine, network: false, log: logOf(BOARD) };
    const how = { deterministic: arch !== 'arm64' };
    const { files, elapsedMs } = await runJob(disk, options, SCRIPT, how);
    console.log(`# started and played in ${(elapsedMs / 1000).toFixed(0)} s`);
    assert.equal(files.get('failed'), '', files.get('output'));
    const version = nodePackage ? await nodeVersion(nodePackage) : '20';
    assert.match(files.get('node') ?? '', new RegExp(`^v${version}\\b`));
    for (const name of ['match.json', ...(nodePackage ? ['kick-off.json'] : [])])
      assert.match(files.get(name) ?? '', /"ticks":\d+/, files.get('output'));
  }),
);

const USED = `udevadm settle
for at in / /boot/firmware /data; do findmnt -nr -o SOURCE "$at"; done
for name in card card1 card2 card3; do readlink -f "/dev/pitv-$name"; done
ls -d /sys/class/block/vd?3 | wc -l`;
const skip = why ?? (MACHINES[BOARD].virt ? undefined : 'QEMU gives this board one card only');

test('of two equal cards, only the one with the root is used', { skip }, () =>
  withDisk(file, (disk) =>
    withDisk(file, async (other) => {
      const drive = words`-drive file=${other.file},if=none,id=other,format=raw`;
      const qemu = [...SLOW_CLOCK, ...drive, ...words`-device virtio-blk-device,drive=other`];
      const options = { board: BOARD, machine: 'virt', network: false, log: logOf('two-cards') };
      await withTv(disk, { ...options, qemu }, async (tv) => {
        const used = (await tv.sh(USED)).trim().split('\n');
        const [card] = used[0].match(/^\/dev\/vd./) ?? [];
        const mounts = [`${card}2`, `${card}1`, `${card}3`];
        assert.deepEqual(used, [...mounts, card, `${card}1`, `${card}2`, `${card}3`, '2']);
      });
    }),
  ),
);
