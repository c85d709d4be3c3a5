/** Tests the API of matches and games, and that every other route is for the admin only. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import test from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { hashToken } from '../../app/lobby/tokens.js';
import { BUNDLED } from '../../app/packages/catalog.js';
import { askAdmin, post, refusalOf } from '../support/http.js';
import { OPEN_ROUTES, listAdminRoutes, listRoutes } from '../support/routes.js';
import { Client, games, startTv, temporaryFolder } from '../support/tv.js';

test('GET /api/games lists all games with the fields that pages need', async (t) => {
  const tv = await startTv(t);
  const list = await (await fetch(`${tv.url}/api/games`)).json();
  const files = (await readdir(BUNDLED)).filter((name) => name.endsWith('.js'));
  assert.deepEqual(list.map((/** @type {any} */ game) => `${game.id}.js`).sort(), files.sort());
  for (const game of list) {
    assert.ok(game.title && Array.isArray(game.rules) && game.view.kinds.length > 0);
    assert.ok(game.players.max >= game.players.min);
  }
});

test('a match is started with the code, listed, and stopped only with its token or by the admin', async (t) => {
  const tv = await startTv(t);
  const answer = await post(tv, {
    game: 'collide',
    code: tv.code,
    options: { bodies: 50, seed: 3 },
  });
  assert.equal(answer.status, 201);
  const { id, token } = await answer.json();
  assert.equal(answer.headers.get('location'), `/api/matches/${id}`);
  const { matches, capacity } = await (await fetch(`${tv.url}/api/matches`)).json();
  assert.equal(matches.length, 1);
  const [{ id: listed, game, players, spectators, restarts, ticks, phase }] = matches;
  assert.deepEqual([listed, game, players, spectators, restarts], [id, 'collide', 0, 0, 0]);
  assert.ok(ticks >= 0 && typeof phase === 'string');
  const why = '--max-matches 8';
  assert.deepEqual(capacity, { max: 8, running: 1, limit: 'setting', why });
  const stop = (/** @type {string} */ authorization) =>
    fetch(`${tv.url}/api/matches/${id}`, { method: 'DELETE', headers: { authorization } });
  const strange = ['', 'x', tv.code, 'x'.repeat(200)].map((other) => `Bearer ${other}`);
  for (const other of ['', `Basic ${tv.admin.token}`, ...strange]) {
    assert.deepEqual(await refusalOf(await stop(other)), [403, 'PITV_NOT_YOURS'], other);
  }
  assert.equal((await stop(`Bearer ${token}`)).status, 204);
  assert.equal((await stop(`Bearer ${token}`)).status, 404);
  const ofAdmin = await askAdmin(tv, '/matches', { method: 'POST', json: { game: 'collide' } });
  const path = `/matches/${(await ofAdmin.json()).id}`;
  assert.equal((await askAdmin(tv, path, { method: 'DELETE' })).status, 204, 'without a code');
  assert.deepEqual(tv.engine.workers, []);
});

test('a match that is stopped while it starts is a conflict, not a failure of the TV', async (t) => {
  const tv = await startTv(t, { games });
  let ends = 0;
  tv.lobby.on('ended', () => ends++);
  const begun = once(tv.lobby, 'change');
  const starting = post(tv, { game: 'faulty', code: tv.code });
  await begun;
  await tv.lobby.matches[0].stop();
  assert.deepEqual(await refusalOf(await starting), [409, 'PITV_WORKER_STOPPED']);
  assert.deepEqual([ends, tv.engine.workers], [1, []]);
});

test('a phone of an earlier day gets its name and colour, until the admin erases the memory', async (t) => {
  const dataDir = temporaryFolder();
  const tv = await startTv(t, { games, dataDir });
  const phone = { name: 'Zoe', color: '#ff7ac6', hash: hashToken('zoe').toString('hex') };
  const saved = { format: 1, bests: [], phones: [{ ...phone, wins: 1, losses: 0 }] };
  await writeFile(resolve(dataDir, 'records.json'), JSON.stringify(saved));
  await tv.services.records.load();
  const join = async () =>
    (await (await Client.pad(tv, { name: '', token: 'zoe' })).next('lobby')).me;
  assert.deepEqual(await join(), { match: null, name: phone.name, color: phone.color });
  assert.deepEqual((await (await askAdmin(tv, '/records')).json()).phones.length, 1);
  assert.equal((await askAdmin(tv, '/records', { method: 'DELETE' })).status, 204);
  tv.lobby.players.remove(tv.lobby.players.all[0]);
  assert.notEqual((await join()).name, phone.name);
  assert.ok(!(await readFile(resolve(dataDir, 'records.json'), 'utf8')).includes('Zoe'));
});

test('an invalid start is refused with an error code', async (t) => {
  const tv = await startTv(t, { games, args: ['--max-matches', '1'] });
  const code = tv.code;
  const refusals = /** @type {[unknown, number, string][]} */ ([
    [{ game: 'faulty' }, 403, 'PITV_CODE_WRONG'],
    [{ game: 'none', code }, 404, 'PITV_GAME_UNKNOWN'],
    [{ code }, 404, 'PITV_GAME_UNKNOWN'],
    [{ game: 'faulty', code, options: { speed: 1 } }, 400, 'PITV_OPTION_INVALID'],
    [{ game: 'faulty', code, options: { seed: -1 } }, 400, 'PITV_OPTION_INVALID'],
    [{ game: 'faulty', code, options: 'x' }, 400, 'PITV_OPTION_INVALID'],
    ['{', 400, 'PITV_REQUEST_INVALID'],
    ['[]', 400, 'PITV_BODY_INVALID'],
    [{ code: 'x'.repeat(10_000) }, 413, 'PITV_BODY_TOO_LARGE'],
  ]);
  for (const [body, status, expected] of refusals) {
    const answer = await post(tv, body);
    const { error } = await answer.json();
    assert.deepEqual([answer.status, error.code], [status, expected]);
    assert.ok(error.message.length > 10);
  }
  assert.equal((await post(tv, { game: 'faulty', code })).status, 201);
  const full = await post(tv, { game: 'faulty', code });
  const { error } = await full.json();
  assert.deepEqual([full.status, error.code], [503, 'PITV_CAPACITY']);
  assert.match(error.message, /1 of 1.*--max-matches 1/);
  const how = { method: 'POST', body: JSON.stringify({ game: 'faulty', code }) };
  const typeless = await refusalOf(await fetch(`${tv.url}/api/matches`, how));
  assert.deepEqual(typeless, [400, 'PITV_REQUEST_INVALID']);
  const empty = await refusalOf(await fetch(`${tv.url}/api/matches`, { method: 'POST' }));
  assert.deepEqual(empty, [400, 'PITV_BODY_INVALID']);
  const headers = { 'content-type': 'application/json', 'content-encoding': 'br' };
  const packed = { method: 'POST', headers, body: brotliCompressSync(how.body) };
  const compressed = await refusalOf(await fetch(`${tv.url}/api/matches`, packed));
  assert.deepEqual(compressed, [415, 'PITV_REQUEST_INVALID'], 'it is not decompressed');
});

/** @type {Record<string, string>[]} */
const CLAIMS = [
  {},
  { authorization: 'Bearer x' },
  { authorization: 'Basic YWRtaW46YWRtaW4=' },
  { cookie: 'pitv=1; pitv-admin=1; session=1' },
  { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' },
];
const BODY = JSON.stringify({ target: 'main', kind: 'heap', password: 'new password', on: true });

test('the routes that need no admin exist, and each other one answers 401 without the admin', async (t) => {
  const tv = await startTv(t, { games });
  const names = new Set(listRoutes().map(({ name }) => name));
  for (const name of OPEN_ROUTES) assert.ok(names.has(name), name);
  const routes = listAdminRoutes();
  const needed = ['packages', 'players', 'profiles', 'system', 'fleet/nodes/none/drain'];
  for (const part of needed) {
    assert.ok(
      routes.some((route) => route.path.startsWith(`/api/${part}`)),
      part,
    );
  }
  for (const { name, method, path } of routes) {
    const body = ['POST', 'PUT'].includes(method) ? BODY : undefined;
    for (const claim of CLAIMS) {
      const headers = { 'content-type': 'application/json', origin: tv.url, ...claim };
      const answer = await fetch(`${tv.url}${path}`, { method, headers, body });
      assert.equal(answer.status, 401, `${name} with ${JSON.stringify(claim)}`);
      if (method !== 'HEAD') assert.equal((await refusalOf(answer))[1], 'PITV_ADMIN_ONLY', name);
    }
  }
  for (const { name, path } of routes.filter(({ method }) => method === 'GET')) {
    const { status } = await askAdmin(tv, path.replace(/^\/api/, ''));
    assert.notEqual(status, 401, name);
  }
});
