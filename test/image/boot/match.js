/**
 * Boots the card of a board (PITV_BOARD, by default the Pi 1's) on QEMU's emulation of that board, without a network,
 * and runs a match in it. The boards for 32 bits count instructions, so the load of this machine does not matter.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BOARDS } from '../../../image/boards.js';
import { withDisk } from '../../../image/qemu/disk.js';
import { runJob } from '../../../bench/board/job.js';
import { nodeVersion } from '../../../image/sd/app.js';
import { cardFor, logOf } from './board.js';
import { runMatch } from './requests.js';

const BOARD = process.env.PITV_BOARD ?? 'armel';
const { arch, nodePackage } = BOARDS[BOARD];
const { file, why: skip } = await cardFor(BOARD);

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

test(`the card of ${BOARD} starts without failed units and runs a match`, { skip }, () =>
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
