/** One lobby for all TVs: what it has besides matches survives a TV, too. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readReplay } from '../../app/game/replay-file.js';
import { Client } from '../../bench/harness/client.js';
import { MEDIA, mediaParts, writePackage } from '../support/archives.js';
import { temporaryFolder, until } from '../support/tv.js';
import { GIVE_UP_MS, startFleet, startMatch, test } from './play.js';

const QUICK_TV = fileURLToPath(new URL('quick-tv.js', import.meta.url));
/** Several times the time of an unwatched match in quick-tv.js. */
const SHOWN_MS = 5000;

/** @typedef {(lobby: any) => boolean} Test */

/** Waits for a lobby message that comes from now on, or is the newest one. @param {Client} client @param {Test} test */
const lobbyOf = (client, test) => {
  const from = client.messages.findLastIndex(({ t }) => t === 'lobby');
  return client.wait('lobby', test, Math.max(0, from), GIVE_UP_MS);
};

test('a party goes on when the TV that runs it loses power', async (t) => {
  const { fleet, screens, code } = await startFleet(t, { program: QUICK_TV });
  const [, second, third] = screens;
  const [ann, ben] = [
    await Client.pad(fleet.nodes[1], { code, name: 'Ann' }),
    await Client.pad(fleet.nodes[2], { code, name: 'Ben' }),
  ];
  t.after(() => [ann, ben].forEach((pad) => pad.vanish()));
  for (const screen of screens) await lobbyOf(screen, ({ players }) => players.length === 2);

  third.send({ t: 'party', games: 3 });
  const resting =
    (/** @type {number} */ played) =>
    (/** @type {any} */ { party }) =>
      party?.phase === 'resting' && party.played === played;
  const tables = await Promise.all(
    screens.map(async (screen) => (await lobbyOf(screen, resting(1))).party.table),
  );
  assert.equal(tables[0].length, 2);
  assert.deepEqual(tables[1], tables[0]);
  assert.deepEqual(tables[2], tables[0]);
  second.send({ t: 'party', games: 2 });
  assert.equal((await second.wait('error')).code, 'PITV_PARTY_RUNNING', 'one party at a time');
  ben.send({ t: 'end-party' });
  await ben.wait('error', ({ code: error }) => error === 'PITV_NOT_YOURS');

  assert.equal((await fleet.state(2)).party, 'node-0', 'the first node runs the party');
  fleet.kill(0, { server: true });
  const isOver = (/** @type {any} */ { party }) => party?.phase === 'over';
  const [{ party }, { party: same }] = await Promise.all(
    [second, third].map((screen) => lobbyOf(screen, isOver)),
  );
  assert.equal(party.played, 3);
  assert.deepEqual(party, same);
  const points = (/** @type {string} */ name) =>
    party.table.find((/** @type {any} */ line) => line.name === name)?.points;
  assert.equal(points('Ann') + points('Ben'), 3 * (5 + 3), 'each game counts once');
  const isTold = (/** @type {any} */ { party: own }) =>
    own?.phase === 'over' && own.points === points('Ann');
  await lobbyOf(ann, isTold);

  await third.connect(fleet.nodes[1]); // the screen that has started it, at another TV
  third.send({ t: 'end-party' });
  await Promise.all([second, ben].map((client) => lobbyOf(client, (each) => each.party === null)));
});

test('a match without players runs as long as a screen of any TV shows it, and only its own stops it', async (t) => {
  const { fleet, screens } = await startFleet(t, { program: QUICK_TV });
  screens[0].send({ t: 'start', game: 'collide', options: { bodies: 50 } });
  const { match } = await screens[0].wait('watch', ({ match: id }) => id !== null);
  for (const screen of screens) await screen.wait('watch', (message) => message.match === match);
  screens[1].send({ t: 'stop', match });
  assert.equal((await screens[1].wait('error')).code, 'PITV_NOT_YOURS');
  const owner = await fleet.ownerOf(match, 0);
  const [first, last] = [0, 1, 2].filter((i) => i !== owner).map((i) => screens[i]);
  const isShown = async () => {
    await sleep(SHOWN_MS);
    await last.nextFrame(performance.now());
  };

  for (const screen of [screens[owner], first]) {
    screen.send({ t: 'watch', match: null });
    await isShown();
  }
  last.send({ t: 'watch', match: null });
  await until(async () => (await fleet.state(0)).matches.length === 0, 'its end');
});

test('each TV whose screen shows a match has its replay', async (t) => {
  const parts = await startFleet(t);
  const { fleet, screens } = parts;
  const { id } = await startMatch(t, parts, 0);
  for (const [i, screen] of screens.entries()) {
    await screen.moreFrames(10);
    const url = `${fleet.nodes[i].url}/api/matches/${id}/replay`;
    const answer = await fetch(url);
    assert.equal(answer.status, 200);
    const replay = readReplay(await answer.arrayBuffer());
    assert.deepEqual([replay.match, replay.game.id], [id, 'bumper']);
    // Before a page of another TV sends its token, the browser asks whether it may.
    const origin = fleet.nodes[(i + 1) % 3].url;
    const { status, headers } = await fetch(url, { method: 'OPTIONS', headers: { origin } });
    const allowed = headers.get('access-control-allow-headers');
    assert.deepEqual([status, allowed], [204, 'authorization']);
  }
});

/**
 * Installs a game with a picture and a sound on one TV.
 * @param {import('../../bench/harness/local-fleet.js').LocalFleet} fleet @param {number} i
 */
async function install(fleet, i) {
  const file = writePackage(join(temporaryFolder(), 'gather.tgz'), 'gather', mediaParts());
  const response = await fetch(`${fleet.nodes[i].url}/api/packages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fleet.adminToken(i)}` },
    body: await readFile(file),
  });
  assert.equal(response.status, 201, await response.text());
}

test('a TV plays a game that only another one has', async (t) => {
  const parts = await startFleet(t, { flags: ['--untrusted-games', 'open'] });
  const { fleet, screens } = parts;
  await install(fleet, 1);
  const { url } = fleet.nodes[0];
  const listed = async () => {
    const games = await (await fetch(`${url}/api/games`)).json();
    return games.find((/** @type {any} */ { id }) => id === 'gather');
  };
  const game = await until(listed, 'the game at another TV');
  const file = async (/** @type {string} */ path) => {
    const response = await fetch(`${url}/${path}`);
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  assert.deepEqual(
    (await file(`art/gather/${game.version}/ball.png`)).bytes,
    MEDIA['art/ball.png'],
  );
  assert.deepEqual(
    (await file(`sounds/gather/${game.version}/kick.wav`)).bytes,
    MEDIA['sounds/kick.wav'],
  );
  assert.equal((await file(`art/gather/${game.version}/other.png`)).status, 404, 'no such picture');
  // Until the other TV, if it is busy, has made it.
  await until(async () => (await file('api/games/gather/preview')).status === 200, 'the preview');

  const what = { game: 'gather', options: { balls: 9 } };
  const { id: match, owner, pad } = await startMatch(t, parts, 0, what);
  assert.equal(owner, 1, 'the TV that has the game runs it');

  fleet.kill(1);
  await until(async () => !(await listed()), 'the list without the game', GIVE_UP_MS);
  screens[0].send({ t: 'start', game: 'gather' });
  await screens[0].wait('error', (error) => error.code === 'PITV_GAME_UNKNOWN');
  await fleet.startTv(1);
  const back = performance.now();
  await screens[2].nextFrame(back, GIVE_UP_MS);
  assert.equal(await fleet.ownerOf(match, 0), 1, 'no other TV has taken it over');

  screens[0].send({ t: 'stop', match });
  const isStopped = (/** @type {any} */ message) =>
    message.match === match && message.reason === 'stopped';
  await Promise.all([pad, screens[2]].map((client) => client.wait('ended', isStopped)));
});
