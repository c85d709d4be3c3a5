/**
 * Boots the card of a board (PITV_BOARD, by default the Pi 1's) on QEMU's emulation of that board, without a network,
 * and runs a match in it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BOARDS } from '../../../image/boards.js';
import { withDisk } from '../../../image/qemu/disk.js';
import { nodeVersion } from '../../../image/sd/app.js';
import { askMatch, cardFor, eventually, withTv } from './board.js';

const BOARD = process.env.PITV_BOARD ?? 'armel';
const { nodePackage } = BOARDS[BOARD];
const { file, why } = await cardFor(BOARD);

test(`the card of ${BOARD} starts without failed units and runs a match`, { skip: why }, () =>
  withDisk(file, async (disk) => {
    await withTv(disk, { board: BOARD, network: false }, async (tv) => {
      await tv.sh('systemctl is-system-running --wait || true');
      assert.equal(await tv.complaints(), '');
      const version = nodePackage ? await nodeVersion(nodePackage) : '20';
      assert.match(await tv.sh('node --version'), new RegExp(`^v${version}\\b`));
      await askMatch(tv, { starts: true });
      // It is installed after the first start, and runs locked. Debian's Node.js plays it in armhf.js.
      const isPlayed = () => askMatch(tv, { starts: true, game: 'kick-off' }).catch(() => false);
      if (nodePackage) await eventually(isPlayed, 'the locked match');
    });
  }),
);
