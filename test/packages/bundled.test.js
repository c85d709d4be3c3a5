import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { installBundled } from '../../app/packages/bundled.js';
import { BUNDLED } from '../../app/packages/catalog.js';
import { Packages } from '../../app/packages/packages.js';
import { Store } from '../../app/storage/store.js';
import { packageFiles } from '../support/archives.js';
import { writeTree } from '../support/folders.js';
import { Client, startTv, temporaryFolder, until } from '../support/tv.js';

async function open() {
  const folder = temporaryFolder();
  const bundled = join(folder, 'bundled');
  const packages = new Packages(new Store(join(folder, 'data')), ['bumper']);
  await packages.open();
  return {
    packages,
    bundled,
    install: () => installBundled(packages, bundled),
    /** @param {string} name @param {Parameters<typeof packageFiles>[1]} [parts] @param {string} [at] folder */
    write(name, parts, at = bundled) {
      writeTree(join(at, name), packageFiles(name, parts));
      return join(at, name);
    },
    listed: async () => (await packages.list()).map(({ id, version }) => `${id} ${version}`),
  };
}

test('each version of a game that comes with pitv is installed once', async () => {
  const { packages, write, install, listed } = await open();
  write('gather');
  assert.deepEqual(await install(), []);
  assert.deepEqual(await listed(), ['gather 1.0.0']);
  const [first] = await packages.list();
  assert.deepEqual(first.source, { kind: 'bundled' });
  await install();
  assert.deepEqual(await packages.list(), [first], 'nothing is installed again');
  write('gather', { version: '1.1.0' });
  write('catch');
  await install();
  assert.deepEqual(await listed(), ['catch 1.0.0', 'gather 1.1.0']);
});

test('a game that was removed stays away, also in a newer version', async () => {
  const { packages, write, install, listed } = await open();
  write('gather');
  await install();
  await packages.remove('gather');
  await install();
  write('gather', { version: '1.1.0' });
  await install();
  assert.deepEqual(await listed(), []);
});

test('a package from elsewhere is not replaced', async () => {
  const { packages, bundled, write, install, listed } = await open();
  const from = write('gather', { version: '9.0.0' }, join(bundled, '../own'));
  await packages.install({ kind: 'folder', from });
  write('gather');
  await install();
  write('gather', { version: '1.1.0' });
  assert.deepEqual(await install(), []);
  assert.deepEqual(await listed(), ['gather 9.0.0']);
});

test('a package that cannot be installed is reported, and tried again; the others are installed', async () => {
  const { write, install, listed } = await open();
  write('bumper');
  write('gather');
  const problems = await install();
  assert.equal(problems.length, 1);
  assert.match(problems[0], /bumper is a game of pitv itself/);
  assert.deepEqual(await listed(), ['gather 1.0.0']);
  assert.equal((await install()).length, 1);
});

test('a TV offers Kick-off and plays it locked', async (t) => {
  const args = ['--engine', 'process', '--untrusted-games', 'locked'];
  const tv = await startTv(t, { args, bundled: BUNDLED });
  const { lobby, installed } = tv.services;
  await installed.opened;
  const game = lobby.game('kick-off');
  assert.ok(game.lock, 'as the game of a stranger');
  const names = game.teams?.map(({ name }) => name);
  assert.deepEqual(names, ['Tigers', 'Sharks']);
  const pads = [await Client.pad(tv), await Client.pad(tv)];
  pads[0].send({ t: 'start', game: 'kick-off' });
  for (const pad of pads) await pad.next('match');
  const huds = await Promise.all(pads.map((pad) => pad.next('hud', ({ team }) => team >= 0)));
  assert.deepEqual(huds.map(({ team }) => team).sort(), [0, 1], 'in different teams');
  assert.deepEqual(huds[0].teamScores, [0, 0]);
  const [match] = lobby.matches;
  await until(() => match.ticks > 30, 'the match runs');
  await match.stop();
  const { teams } = await pads[0].next('ended');
  const scores = teams.map((/** @type {any} */ { name, score }) => `${name} ${score}`);
  assert.deepEqual(scores, ['Tigers 0', 'Sharks 0']);
});
