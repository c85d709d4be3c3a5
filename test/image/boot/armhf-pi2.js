/** Tests the card for the Pi 2 on QEMU's Pi 2: the start from its card reader, and the network. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showsInput } from '../../support/decode-frame.js';
import { withDisk } from '../../../image/qemu/disk.js';
import { cardFor, withTv } from './board.js';

const { file, why: skip } = await cardFor('armhf');

test('on the Pi 2: start from its card reader, network, a match, power off', { skip }, () =>
  withDisk(file, (disk) => withTv(disk, { board: 'armhf', machine: 'raspi2b' }, play)),
);

/** @param {import('./board.js').Tv} tv */
async function play(tv) {
  const page = await fetch(tv.url);
  assert.equal(page.status, 200);
  const screen = await tv.screen();
  assert.deepEqual(tv.problems, []);
  const pad = await tv.pad('Ann');
  pad.send({ t: 'start', game: 'bumper' });
  const { match, slot } = await pad.next('match');
  await screen.moreFrames(10);
  pad.input(127, 0);
  await showsInput(screen, slot);
  pad.send({ t: 'stop' });
  const ended = await screen.next('ended', (message) => message.match === match);
  assert.equal(ended.reason, 'stopped');
  for (const client of [screen, pad]) client.socket.close();
  assert.equal(await tv.complaints(), '');
  await tv.machine.powerOff({ timeoutMs: 600_000 });
}
