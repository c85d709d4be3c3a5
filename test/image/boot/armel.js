/**
 * Boots the card for the Pi 1 and the Zero on an emulated board with their ARMv6 processor and one core, with
 * counted instructions. The clients run in the board.
 */
import { test } from 'node:test';
import { cardFor } from './board.js';
import { assertPlayed, playInside } from './inside.js';

const BOARD = 'armel';
const { file, why: skip } = await cardFor(BOARD);

test('the card for the Pi 1 starts without failed units and plays a match', { skip }, async () => {
  assertPlayed(await playInside(file, BOARD, { deterministic: true }));
});
