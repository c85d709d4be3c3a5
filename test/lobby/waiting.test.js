/**
 * A phone without a seat waits in line, one that does not answer is away until it answers again, and phones know which
 * matches a screen shows. A game that a phone starts for several is announced before, and can be held.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Client, faultyGame, games, openRoom, startTv, until } from '../support/tv.js';

/** @param {Client} pad @param {(match: any) => unknown} test */
const matchOf = async (pad, test) =>
  (await pad.next('lobby', ({ matches }) => matches[0] && test(matches[0]))).matches[0];

test('who finds no seat is in the line, and the first one gets the next seat', async (t) => {
  const names = ['Ann', 'Ben', 'Carl', 'Dora', 'Eve'];
  const [tv, , ann, ben, carl, dora, eve] = await openRoom(t, names);
  ann.send({ t: 'start', game: 'faulty' });
  const { open, names: players } = await matchOf(carl, ({ place }) => place === 1);
  assert.deepEqual([open, players], [false, ['Ann', 'Ben']]);
  await matchOf(dora, ({ place }) => place === 2);
  await matchOf(eve, ({ place }) => place === 3);
  carl.send({ t: 'wait', match: null });
  await matchOf(dora, ({ place }) => place === 1);
  carl.send({ t: 'wait', match: tv.lobby.matches[0].id });
  await matchOf(carl, ({ place }) => place === 3);
  dora.vanish(); // her place stays hers, but the seat goes to the next one who is there
  await until(() => tv.lobby.players.all.some(({ connected }) => !connected), 'Dora is away');
  ben.send({ t: 'leave' });
  await eve.next('match');
  await matchOf(carl, ({ place }) => place === 2);
  await dora.connect(tv);
  ann.send({ t: 'leave' });
  await dora.next('match');
  assert.deepEqual(tv.lobby.matches[0].players.map(({ name }) => name).sort(), ['Dora', 'Eve']);
});

test('a line ends with its match, and who plays elsewhere is not in it', async (t) => {
  const [tv, , ann, ben, carl, dora] = await openRoom(t, ['Ann', 'Ben', 'Carl', 'Dora']);
  ann.send({ t: 'start', game: 'faulty' });
  const { id } = await matchOf(carl, ({ place }) => place === 1);
  await ann.next('match');
  await matchOf(dora, ({ place }) => place === 2);
  dora.vanish(); // so that she does not play with Carl
  await until(() => tv.lobby.players.all.some(({ connected }) => !connected), 'Dora is away');
  await carl.start('faulty');
  const [, , { match: other }, away] = tv.lobby.players.all;
  assert.equal(tv.lobby.waiting.placeOf(away, tv.lobby.match(id)), 1);
  ben.send({ t: 'leave' });
  await ben.settle();
  assert.equal(tv.lobby.match(id).players.length, 1, 'nobody is taken away from another match');
  assert.equal(other?.players.length, 1);
  await tv.lobby.match(id).stop();
  await ann.next('ended');
  assert.equal(await ann.refusal({ t: 'wait', match: id }), 'PITV_MATCH_UNKNOWN');
});

test('who found no seat in a match is one of the first in the next one', async (t) => {
  const { lobby } = await startTv(t, { games });
  const [ann, ben, carl, dora] = ['Ann', 'Ben', 'Carl', 'Dora'].map(
    (name) => lobby.players.add(name).player,
  );
  const play = async (/** @type {import('../../app/match/seats.js').Player} */ first) => {
    const { match } = await lobby.start('faulty', { owner: 'x', first });
    const { players } = match;
    await match.stop();
    return players.map(({ name }) => name).sort();
  };
  assert.deepEqual(await play(ann), ['Ann', 'Ben']);
  assert.deepEqual(await play(ann), ['Ann', 'Carl']);
  assert.deepEqual(await play(ann), ['Ann', 'Dora']);
  lobby.waiting.leave(ben);
  assert.deepEqual(await play(dora), ['Carl', 'Dora']);
  assert.deepEqual([...lobby.waiting.missed], [ann, ben]);
  assert.equal(carl.match, undefined);
});

test('who finds the seat taken keeps the place in the line', async (t) => {
  const { lobby } = await startTv(t, { games });
  const [ann, ben, carl, dora] = ['Ann', 'Ben', 'Carl', 'Dora'].map(
    (name) => lobby.players.add(name).player,
  );
  const { match } = await lobby.start('faulty', { owner: 'x' });
  const places = () => [carl, dora].map((player) => lobby.waiting.placeOf(player, match));
  assert.deepEqual(places(), [1, 2]);
  // In a fleet, the TV of the match may give the seat to somebody who waits at another TV.
  const refused = t.mock.method(lobby, 'move', () => Promise.reject(new Error('it is taken')));
  await lobby.leave(ann);
  await nextTurn();
  assert.deepEqual(places(), [1, 2]);
  refused.mock.restore();
  await lobby.leave(ben); // both seats are free by now
  assert.deepEqual(match.players.map(({ name }) => name).sort(), ['Carl', 'Dora']);
  await match.stop();
});

test('a phone knows whether a screen shows its match', async (t) => {
  const tv = await startTv(t, { games });
  const ann = await Client.pad(tv, { name: 'Ann' });
  ann.send({ t: 'start', game: 'faulty' });
  await matchOf(ann, ({ shown }) => !shown);
  const screen = await Client.screen(tv);
  screen.send({ t: 'watch', match: tv.lobby.matches[0].id });
  await matchOf(ann, ({ shown }) => shown);
  screen.vanish();
  await matchOf(ann, ({ shown }) => !shown);
});

test('the player of a phone that does not answer is away, and comes back', async (t) => {
  const [tv, screen, ann, ben] = await openRoom(t, ['Ann', 'Ben']);
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

/** A phone's start of a game is announced for longer than a test. */
const times = { readyMs: 600_000 };

/** @param {Client} pad @param {(starting: any) => unknown} test */
const startingOf = async (pad, test) =>
  (await pad.next('lobby', ({ starting }) => Boolean(test(starting)))).starting;

test('all see a game that is about to start, and it starts', async (t) => {
  const [tv, screen, ann, ben] = await openRoom(t, ['Ann', 'Ben'], { times: { readyMs: 300 } });
  ann.send({ t: 'start', game: 'faulty' });
  for (const client of [ann, ben, screen]) {
    assert.deepEqual(await startingOf(client, Boolean), { game: 'faulty', by: 'Ann' });
  }
  await Promise.all([ann, ben].map((pad) => pad.next('match')));
  await startingOf(ben, (starting) => !starting);
  assert.equal(tv.lobby.matches.length, 1);
});

test('a second tap starts nothing else, and anybody can hold the start', async (t) => {
  const [tv, , ann, ben] = await openRoom(t, ['Ann', 'Ben'], { times });
  ann.send({ t: 'start', game: 'faulty' });
  await startingOf(ben, Boolean);
  ben.send({ t: 'start', game: 'faulty' });
  await ben.settle();
  assert.equal(tv.lobby.matches.length, 0);
  ben.send({ t: 'hold' });
  const { code, message } = await ann.next('error');
  assert.deepEqual([code, message], ['PITV_START_HELD', 'Ben asks to wait.']);
  await startingOf(ben, (starting) => !starting);
  assert.equal(tv.lobby.matches.length, 0);
  ben.send({ t: 'hold' }); // there is nothing to hold
  ann.messages.length = 0;
  ben.vanish();
  await ann.next('lobby', ({ players }) => players === 1);
  await ann.start('faulty'); // who is alone does not wait
});

test('a start is given up when its player is gone, or plays elsewhere', async (t) => {
  const [tv, screen, ann, ben, carl] = await openRoom(t, ['Ann', 'Ben', 'Carl'], { times });
  ann.send({ t: 'start', game: 'faulty' });
  await startingOf(carl, Boolean);
  const gone = tv.lobby.players.all.find(({ name }) => name === 'Ann');
  if (gone) tv.lobby.players.remove(gone);
  await startingOf(carl, (starting) => !starting);
  ben.send({ t: 'start', game: 'faulty' });
  assert.equal((await startingOf(carl, Boolean)).by, 'Ben');
  screen.send({ t: 'start', game: 'faulty' });
  await ben.next('match');
  await startingOf(screen, (starting) => !starting);
  assert.equal(tv.lobby.matches.length, 1);
});

test('the earlier one of two players keeps their colour, and nobody sits down who was removed, or plays elsewhere', async (t) => {
  const [{ lobby }] = await openRoom(t, ['Ann', 'Ben']);
  const [ann, ben] = lobby.players.all;
  const { color } = ann;
  ben.color = color; // as one of nine
  const { match: both } = await lobby.start('faulty', { owner: 'x', first: ben });
  assert.deepEqual([ann.color, ben.color === color], [color, false]);
  await both.stop();
  lobby.games[0] = { ...faultyGame, prepare: async () => lobby.players.remove(ann) };
  const { match } = await lobby.start('faulty', { owner: 'x', first: ann });
  assert.deepEqual(match.players, [ben]);
  lobby.games[0] = { ...faultyGame };
  const { match: empty } = await lobby.start('faulty', { owner: 'x', first: ben });
  assert.deepEqual([match.players, empty.players], [[ben], []]);
});

test('all see a party that a phone starts, and can hold it', async (t) => {
  const [tv, , ann, ben] = await openRoom(t, ['Ann', 'Ben'], { times });
  assert.equal(await ann.refusal({ t: 'party', games: 99 }), 'PITV_OPTION_INVALID');
  ann.send({ t: 'party', games: 3 });
  assert.deepEqual(await startingOf(ben, Boolean), { game: 'faulty', by: 'Ann' });
  ben.send({ t: 'hold' });
  assert.equal((await ann.next('error')).code, 'PITV_START_HELD');
  assert.equal(tv.services.party.state, null);
  ben.vanish();
  await until(() => tv.lobby.players.all.some(({ connected }) => !connected), 'Ben is away');
  await ann.start('faulty');
  ann.send({ t: 'party', games: 3 });
  await ann.settle();
  assert.equal(tv.services.party.state, null, 'who plays a match starts no party');
});
