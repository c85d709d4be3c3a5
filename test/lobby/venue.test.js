import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Venue } from '../../app/lobby/venue.js';
import { Client, faultyGame, startTv, until } from '../support/tv.js';

const OTHER = { ...faultyGame, id: 'other', title: 'Other' };
/** Nobody plays it, so it has no end. */
const SHOW = { ...faultyGame, id: 'show', players: { min: 0, max: 0 } };
const HOURS = { from: 17 * 60, to: 2 * 60 + 30 };

/**
 * Starts a TV whose venue has a clock of its own.
 * @param {import('node:test').TestContext} t @param {ConstructorParameters<typeof Venue>[0]} [options]
 */
async function startVenue(t, options) {
  const tv = await startTv(t, { games: [SHOW, faultyGame, OTHER] });
  const { lobby, services } = tv;
  const place = { now: 0, hasScreen: true };
  const venue = new Venue({ attractMinutes: 1, clock: () => place.now, ...options });
  venue.open({ lobby, party: services.party, hasScreen: () => place.hasScreen });
  t.after(() => venue.close());
  lobby.venue = venue;
  return { tv, lobby, venue, place };
}

test('opening hours may end on the next day', () => {
  for (const [time, hours, until] of /** @type {const} */ ([
    ['16:59', HOURS, '17:00'],
    ['17:00', HOURS, undefined],
    ['23:59', HOURS, undefined],
    ['02:29', HOURS, undefined],
    ['02:30', HOURS, '17:00'],
    ['08:59', { from: 9 * 60 + 5, to: 18 * 60 }, '09:05'],
    ['09:05', { from: 9 * 60 + 5, to: 18 * 60 }, undefined],
    ['18:00', { from: 9 * 60 + 5, to: 18 * 60 }, '09:05'],
    ['03:00', undefined, undefined],
  ])) {
    const now = () => new Date(`2026-11-28T${time}`);
    const venue = new Venue({ openingHours: hours, now });
    assert.equal(venue.closedUntil, until, time);
    assert.deepEqual(venue.notices([]), until ? [`No games until ${until}.`] : []);
  }
});

test('outside of the opening hours only the admin starts matches', async (t) => {
  const { tv, lobby } = await startVenue(t);
  let now = new Date('2026-11-28T16:00');
  lobby.venue = new Venue({ openingHours: HOURS, now: () => now });
  const screen = await Client.screen(tv);
  assert.equal(await screen.refusal({ t: 'start', game: 'faulty' }), 'PITV_CLOSED');
  const { match } = await lobby.start('faulty', { owner: 'admin' });
  await match.stop();
  now = new Date('2026-11-28T17:00');
  screen.send({ t: 'start', game: 'faulty' });
  await screen.next('watch', (message) => message.game === 'faulty' && message.match !== match.id);
});

test('only the pinned game is offered, if there is one', async (t) => {
  const tv = await startTv(t, { games: [faultyGame, OTHER], args: ['--pinned-game', 'other'] });
  const pad = await Client.pad(tv);
  const { games } = await pad.next('lobby', (message) => message.games.length > 0);
  const listed = await (await fetch(`${tv.url}/api/games`)).json();
  for (const [game, ...others] of [games, listed]) {
    assert.deepEqual([game.id, others], ['other', []]);
  }
  assert.equal(await pad.refusal({ t: 'start', game: 'faulty' }), 'PITV_GAME_UNKNOWN');
  assert.equal((await pad.ask({ t: 'again' }, 'match')).game, 'other');
  await tv.lobby.start('faulty', { owner: 'admin' });
});

test('a pinned game that the TV does not have is named, and all games are offered', async (t) => {
  const tv = await startTv(t, { games: [faultyGame, OTHER], args: ['--pinned-game', 'gone'] });
  assert.equal(tv.lobby.offered.length, 2);
  const { status } = tv.services;
  await tv.services.installed.opened;
  await until(() => {
    void status.update();
    return status.problems.includes('The pinned game gone is not installed.');
  }, 'the problem');
});

test('nobody waits for a match that cannot start', async (t) => {
  const { tv, lobby } = await startVenue(t);
  const pads = [await Client.pad(tv), await Client.pad(tv)];
  lobby.venue = new Venue({ pinnedGame: 'other' });
  assert.equal(await pads[0].refusal({ t: 'start', game: 'faulty' }), 'PITV_GAME_UNKNOWN');
  assert.equal(lobby.ready.pending, undefined);
});

test('demos are played in turn while nobody is there, and end when a phone comes', async (t) => {
  const { tv, lobby, venue, place } = await startVenue(t);
  const matchOf = async (/** @type {string} */ game) => {
    await until(() => lobby.matches.some((match) => match.game.id === game && match.running), game);
    return lobby.matches[0];
  };
  place.now = 59_999;
  venue.check();
  assert.equal(lobby.matches.length, 0);
  place.now = 60_000;
  place.hasScreen = false;
  venue.check();
  assert.equal(lobby.matches.length, 0, 'nobody would see it');
  place.hasScreen = true;
  venue.check();
  venue.check();
  const first = await matchOf('faulty');
  assert.deepEqual([lobby.matches.length, first.players.length], [1, 0]);
  await first.stop();
  venue.check();
  const second = await matchOf('other');

  const pad = await Client.pad(tv);
  await until(() => second.end !== undefined, 'the demo to end');
  place.now += 600_000;
  venue.check();
  assert.equal(lobby.matches.length, 0, 'a phone is there');
  pad.vanish();
  await until(() => lobby.players.all.every(({ connected }) => !connected), 'it is gone');
  venue.check();
  assert.equal(lobby.matches.length, 0, 'it was there a moment ago');
  place.now += 60_000;
  venue.check();
  await matchOf('faulty');
});

test('a screen starts a match instead of the demo, also where only one may run', async (t) => {
  const { tv, lobby, venue, place } = await startVenue(t);
  const [screen, other] = [await Client.screen(tv), await Client.screen(tv)];
  place.now = 60_000;
  venue.check();
  const demo = await screen.next('watch', (message) => message.match !== null);
  assert.equal((await other.next('watch')).mayStop, true);
  screen.send({ t: 'start', game: 'other' });
  await screen.next('ended', (message) => message.match === demo.match);
  const { match } = await screen.next('watch', (message) => message.game === 'other');
  const ids = lobby.matches.map(({ id }) => id);
  assert.deepEqual(ids, [match]);
});

test('a match of somebody is no demo, and counts as a visit', async (t) => {
  const { lobby, venue, place } = await startVenue(t);
  const { match } = await lobby.start('faulty', { owner: 'admin' });
  place.now = 600_000;
  venue.check();
  await match.stop();
  place.now += 59_999;
  venue.check();
  assert.equal(lobby.matches.length, 0);
  place.now++;
  venue.check();
  await until(() => lobby.matches.length > 0, 'a demo');
});

test('a demo ends with the opening hours', async (t) => {
  let now = new Date('2026-11-28T17:00');
  const options = { openingHours: HOURS, now: () => now };
  const { lobby, venue, place } = await startVenue(t, options);
  place.now = 60_000;
  venue.check();
  await until(() => lobby.matches[0]?.running, 'a demo');
  now = new Date('2026-11-29T02:30');
  venue.check();
  await until(() => lobby.matches.length === 0, 'its end');
  venue.check();
  assert.equal(lobby.matches.length, 0);
});
