/** The card for the Pi 3 and later, booted on an emulated Pi 3: page and a whole match, played inside. */
import { test } from 'node:test';
import { cardFor } from './board.js';
import { assertPlayed, playInside } from './inside.js';

const { file, why: skip } = await cardFor('arm64');
const machine = process.env.PITV_QEMU_MACHINE;

test(
  'the card for the Pi 3 starts, no unit failed, a whole match is played',
  { skip },
  async () => {
    assertPlayed(await playInside(file, 'arm64', { machine }));
  },
);
