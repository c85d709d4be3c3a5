/** A phone that does not answer is away until it answers again. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { Client, faultyGame, startTv, until } from '../support/tv.js';

test('the player of a phone that does not answer is away, and comes back', async (t) => {
  const tv = await startTv(t, { games: [faultyGame] });
  const screen = await Client.screen(tv);
  const ann = await Client.pad(tv, { name: 'Ann' });
  const ben = await Client.pad(tv, { name: 'Ben' });
  ann.send({ t: 'start', game: 'faulty' });
  await ben.next('match');
  const socket = /** @type {any} */ (ann.socket)._socket;
  socket.pause(); // the network is gone without a word
  const slots = (/** @type {boolean} */ isAway) =>
    screen.next('slots', ({ slots: all }) =>
      all.some(
        (/** @type {any} */ { player }) =>
          player?.name === 'Ann' && (player.away === true) === isAway,
      ),
    );
  await slots(true);
  const [match] = tv.lobby.matches;
  const input = () => match.worker.mailbox?.readInput(0);
  await until(() => input() === 0, 'a bot may play');
  assert.equal(match.players.length, 2, 'the seat is kept');
  ann.input(0, 0, 1); // a phone that does not read may still send
  await slots(false);
  await until(() => (input() ?? 0) & (1 << 16), 'its input counts');
  await slots(true);
  socket.resume();
  await slots(false);
  assert.notEqual(input(), 0, 'the player is present');
  assert.ok(match.players.every(({ connected }) => connected));
});
