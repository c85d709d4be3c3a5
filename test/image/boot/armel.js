/**
 * The card for the Pi 1 and the Zero, booted on an emulated board with their ARMv6 processor and one
 * core, its instructions counted. Nothing comes from outside: the clients run in the board.
 */
import { test } from 'node:test';
import { cardFor } from './board.js';
import { assertPlayed, playInside } from './inside.js';

const BOARD = 'armel';
const { file, why: skip } = await cardFor(BOARD);

test(
  'the card for the Pi 1 starts, no unit failed, a whole match is played',
  { skip },
  async () => {
    assertPlayed(await playInside(file, BOARD, { deterministic: true }));
  },
);
