/** Tests /api/packages, and the pictures and sounds of packages. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { PitvError } from '../../app/errors.js';
import { LIMITS } from '../../app/limits/table.js';
import { checkPackage } from '../../app/packages/foreign-games.js';
import { MEDIA, mediaParts, writePackage } from '../support/archives.js';
import { askAdmin } from '../support/http.js';
import { games, startTv, temporaryFolder, until } from '../support/tv.js';

/** @param {import('node:test').TestContext} t @param {Parameters<typeof startTv>[1]} [options] */
async function open(t, options) {
  const dataDir = temporaryFolder();
  const tv = await startTv(t, { dataDir, ...options });
  /** @param {string} path @param {RequestInit} [how] */
  const call = async (path, how) => {
    const response = await askAdmin(tv, `/packages${path}`, how);
    /** @type {any} */
    const body = await response.json().catch(() => null);
    return { status: response.status, body };
  };
  /** @param {string} id @param {Parameters<typeof writePackage>[2]} [parts] */
  const archive = (id, parts) => readFileSync(writePackage(join(dataDir, 'served.tgz'), id, parts));
  const upload = (/** @type {Buffer | ReadableStream} */ body) =>
    call('', /** @type {any} */ ({ method: 'POST', body, duplex: 'half' }));
  const leftOvers = () =>
    ['games', 'games/packages']
      .flatMap((folder) => readdirSync(join(dataDir, folder)))
      .filter((name) => name.startsWith('.'));
  return { tv, call, archive, upload, leftOvers };
}

test('the admin uploads a game, which can be played at once, and removes it', async (t) => {
  const args = ['--engine', 'process'];
  const { tv, call, archive, upload, leftOvers } = await open(t, { args });
  const { status, body } = await upload(archive('gather'));
  assert.equal(status, 201);
  assert.equal(body.version, '1.0.0');
  const { match } = await tv.lobby.start('gather', { owner: 'test' });
  await until(() => match.ticks > 5, 'the match runs');
  const { games } = (await call('')).body;
  const [own, game] = ['bumper', 'gather'].map((id) =>
    games.find((/** @type {any} */ each) => each.id === id),
  );
  const { title, ...rest } = own;
  const unplayed = { installed: null, problem: null, matches: 0, crashes: 0 };
  assert.deepEqual([title, rest], ['Bumper', { id: 'bumper', ...unplayed }]);
  assert.equal(game.title, 'The game gather');
  assert.deepEqual([game.matches, game.crashes, game.problem], [1, 0, null]);
  assert.deepEqual(game.installed, { ...body, source: 'upload' });
  assert.equal((await call('/gather', { method: 'DELETE' })).status, 204);
  assert.equal((await call('/gather', { method: 'DELETE' })).status, 404);
  assert.equal((await call('/bumper', { method: 'DELETE' })).status, 404);
  assert.ok(!tv.lobby.games.some(({ id }) => id === 'gather'));
  assert.ok(match.running, 'its match plays on');
  assert.deepEqual(leftOvers(), []);
});

test('broken games and archives that are no packages are refused', async (t) => {
  const { tv, archive, upload, leftOvers } = await open(t);
  const good = archive('gather');
  const large = Buffer.alloc(LIMITS.packageArchiveBytes.value + 1);
  /** @type {[Buffer | ReadableStream, number, string][]} */
  const bad = [
    [Buffer.alloc(0), 400, 'PITV_PACKAGE_ARCHIVE'],
    [good.subarray(0, 300), 400, 'PITV_PACKAGE_ARCHIVE'],
    [archive('gather', { manifest: { keywords: [] } }), 400, 'PITV_PACKAGE_INVALID'],
    [archive('bumper'), 409, 'PITV_PACKAGE_CLASH'],
    [archive('gather', { files: { 'game.js': 'x' } }), 422, 'PITV_GAME_INVALID'],
    [large, 413, 'PITV_PACKAGE_SIZE'],
    [new Blob([large]).stream(), 413, 'PITV_PACKAGE_SIZE'], // its length is not known before
  ];
  for (const [body, status, code] of bad) {
    const refused = await upload(body);
    assert.deepEqual([refused.status, refused.body?.error.code], [status, code]);
  }
  assert.deepEqual(tv.services.installed.entries, []);
  assert.deepEqual(leftOvers(), []);
  assert.equal((await upload(good)).status, 201);
});

test('one package is installed at a time, and one that cannot be saved is an error', async (t) => {
  const { tv, archive, upload } = await open(t);
  const { packages } = tv.services.installed;
  let goOn = () => {};
  const install = t.mock.method(packages, 'install', async () => {
    await new Promise((resolve) => (goOn = () => resolve(undefined)));
    throw new PitvError('PITV_PACKAGE_INVALID', 'It is none.');
  });
  const first = upload(archive('gather'));
  await until(() => install.mock.callCount() === 1, 'the first one');
  assert.equal((await upload(archive('gather'))).body.error.code, 'PITV_PACKAGE_BUSY');
  goOn();
  assert.equal((await first).status, 400);
  install.mock.restore();

  const folder = join(tv.settings.dataDir, 'games/packages');
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'a file in the way');
  const { status, body } = await upload(archive('gather'));
  assert.deepEqual([status, body.error.code], [503, 'PITV_PACKAGE_NOT_KEPT']);
  assert.match(body.error.message, /^The package cannot be saved in .*: .+\.$/);
});

test('crashes of a game are counted', async (t) => {
  const { tv, call } = await open(t, { games });
  await tv.lobby.start('faulty', { owner: 'test', options: { throwAt: 10 } });
  await until(async () => (await call('')).body.games[0].crashes > 1, 'crashes');
});

test('a named picture or sound is served as data, for as long as a match has it', async (t) => {
  const dataDir = temporaryFolder();
  const tv = await startTv(t, { dataDir, args: ['--engine', 'process'] });
  const { installed, lobby } = tv.services;
  /** @param {string} picture @param {string} [sound] */
  const install = async (picture, sound) => {
    const from = writePackage(join(dataDir, 'gather.tgz'), 'gather', mediaParts(picture, sound));
    await installed.packages.install({ kind: 'file', from }, { check: checkPackage });
    await installed.refresh();
    return lobby.game('gather').hash;
  };
  const version = await install('art/ball.png');
  const get = (/** @type {string} */ path) => fetch(`${tv.url}/${path}`);

  const own = `art/gather/${version}`;
  const response = await get(`${own}/ball.png`);
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), MEDIA['art/ball.png']);
  const { headers } = response;
  assert.equal(headers.get('content-type'), 'image/png');
  assert.equal(headers.get('content-security-policy'), "sandbox; default-src 'none'");
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  const sound = await get(`sounds/gather/${version}/kick.wav`);
  assert.deepEqual(Buffer.from(await sound.arrayBuffer()), MEDIA['sounds/kick.wav']);
  assert.equal(sound.headers.get('content-type'), 'audio/wav');
  assert.equal(sound.headers.get('content-security-policy'), "sandbox; default-src 'none'");
  for (const path of [
    `${own}/kick.wav`,
    `sounds/gather/${version}/other.wav`,
    `${own}/other.png`,
    `${own}/..%2fgame.js`,
    `${own}/..%2f..%2f..%2f..%2fadmin.token`,
    `art/gather/${'0'.repeat(64)}/ball.png`,
    `art/bumper/${lobby.game('bumper').hash}/ball.png`,
    `${own}/`,
  ]) {
    assert.equal((await get(path)).status, 404, path);
  }

  const { match } = await lobby.start('gather', { owner: 'test' });
  await install('art/other.png');
  assert.equal((await get(`${own}/ball.png`)).status, 200);
  await match.stop();
  assert.equal((await get(`${own}/ball.png`)).status, 404);
  await assert.rejects(install('art/missing.png'), {
    code: 'PITV_GAME_INVALID',
    message: 'gather: view.kinds[0].picture: art/missing.png is not in the package.',
  });
  await assert.rejects(install('art/ball.png', 'sounds/missing.wav'), {
    message: 'gather: view.events[0].sound: sounds/missing.wav is not in the package.',
  });
});
