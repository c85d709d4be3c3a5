/** Tests who gets the replay of a match. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { readReplay } from '../../app/game/replay-file.js';
import { Client, faultyGame, startTv } from '../support/tv.js';

/** @param {import('../../app/tv.js').Tv} tv @param {string | number} match @param {string} [token] */
const get = (tv, match, token) =>
  fetch(`${tv.url}/api/matches/${match}/replay`, {
    headers: token ? { authorization: `Bearer ${token}` } : {},
  });

test('a replay has the frames that the screen has got, and is there after the end', async (t) => {
  const tv = await startTv(t, { games: [faultyGame] });
  const screen = await Client.screen(tv);
  const pad = await Client.pad(tv, { name: 'Ann' });
  pad.send({ t: 'start', game: 'faulty' });
  const { match } = await pad.next('match');
  await screen.moreFrames(5);
  const answer = await get(tv, match);
  assert.equal(answer.status, 200);
  assert.match(String(answer.headers.get('content-disposition')), /pitv-faulty-.*\.replay/);
  const { frames } = readReplay(await answer.arrayBuffer());
  assert.ok(frames.length >= 4, `${frames.length} frames`);
  assert.ok(frames[0].slots.some(({ player }) => player?.name === 'Ann'));
  await tv.lobby.match(match).stop();
  assert.equal((await get(tv, match)).status, 200);
  const unknown = await get(tv, 60000);
  assert.equal((await unknown.json()).error.code, 'PITV_MATCH_UNKNOWN');
});

test('a match that no screen shows has no replay', async (t) => {
  const tv = await startTv(t, { games: [faultyGame] });
  const pad = await Client.pad(tv);
  pad.send({ t: 'start', game: 'faulty' });
  const { match } = await pad.next('match');
  assert.equal((await (await get(tv, match)).json()).error.code, 'PITV_REPLAY_EMPTY');
});

test('with --screen-access code, only screens, players and the admin get a replay', async (t) => {
  const tv = await startTv(t, { games: [faultyGame], args: ['--screen-access', 'code'] });
  const screen = await Client.connect(tv, { t: 'hello', role: 'screen', code: tv.code });
  const { token } = await screen.next('welcome');
  const pad = await Client.connect(tv, { t: 'hello', role: 'pad', code: tv.code });
  const { token: padToken } = await pad.next('welcome');
  pad.send({ t: 'start', game: 'faulty' });
  const { match } = await pad.next('match');
  await screen.moreFrames(3);
  for (const allowed of [token, padToken, tv.admin.token]) {
    assert.equal((await get(tv, match, allowed)).status, 200);
  }
  for (const refused of [undefined, 'x', token.slice(1)]) {
    const answer = await get(tv, match, refused);
    assert.equal((await answer.json()).error.code, 'PITV_NOT_YOURS');
  }
});
