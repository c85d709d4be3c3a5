/** Boots the card for the Pi 3 and later on an emulated Pi 3, and plays a match with clients in the board. */
import { test } from 'node:test';
import { cardFor } from './board.js';
import { assertPlayed, playInside } from './inside.js';

const { file, why: skip } = await cardFor('arm64');
const machine = process.env.PITV_QEMU_MACHINE;

test('the card for the Pi 3 starts without failed units and plays a match', { skip }, async () => {
  assertPlayed(await playInside(file, 'arm64', { machine }));
});
