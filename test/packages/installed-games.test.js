import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { silentLog } from '../../app/log.js';
import { InstalledGames } from '../../app/packages/installed-games.js';
import { Packages } from '../../app/packages/packages.js';
import { Store } from '../../app/storage/store.js';
import { writePackage } from '../support/archives.js';
import { runCommand } from '../support/cli.js';
import { all } from '../support/extent.js';
import { Client, startTv, temporaryFolder, until } from '../support/tv.js';

const ENGINES = all ? ['zygote', 'process'] : ['process'];

/** Runs `pitv games`. @param {string} dataDir @param {string[]} args */
async function games(dataDir, ...args) {
  const { status, stderr } = await runCommand(['games', ...args, '--data-dir', dataDir]);
  assert.equal(status, 0, stderr);
}

/** Installs a game without a process of its own. @param {string} dataDir @param {string} from an archive */
const install = (dataDir, from) => new Packages(new Store(dataDir)).install({ kind: 'file', from });

/** @param {{id: string}[]} list @param {string} wanted */
const has = (list, wanted) => list.some(({ id }) => id === wanted);

/** @param {string} folder @param {string} id @param {Parameters<typeof writePackage>[2]} [parts] */
const archive = (folder, id, parts) => writePackage(join(folder, `${id}.tgz`), id, parts);

for (const engine of ENGINES) {
  test(`${engine}: a running TV plays a game that is added, and matches keep their version`, async (t) => {
    const dataDir = temporaryFolder();
    const tv = await startTv(t, { dataDir, args: ['--engine', engine] });
    const { lobby } = tv;
    const screen = await Client.screen(tv);
    const pad = await Client.pad(tv);
    const { games: before } = await screen.next('lobby');

    await games(dataDir, 'add', archive(dataDir, 'gather'));
    await screen.next('lobby', (message) => message.games !== before);
    await pad.next('lobby', (message) => has(message.games, 'gather'));
    const { match: id, version } = await pad.start('gather');
    const match = lobby.match(id);
    await until(() => match.ticks > 10, 'the match runs');

    const fields = "title: 'The second edition',";
    await games(dataDir, 'add', archive(dataDir, 'gather', { version: '2.0.0', game: { fields } }));
    await until(() => lobby.game('gather').title === 'The second edition', 'the update');
    const game = await (await fetch(`${tv.url}/api/matches/${id}/game`)).json();
    assert.deepEqual([game.title, game.version], ['The game gather', version]);
    assert.notEqual(lobby.game('gather').hash, version);
    const second = (await lobby.start('gather', { owner: 'test' })).match;
    await until(() => second.ticks > 10, 'the new version runs');

    await games(dataDir, 'remove', 'gather');
    await until(() => !has(lobby.games, 'gather'), 'the removal');
    const folders = join(dataDir, 'games/packages');
    assert.equal(readdirSync(folders).length, 2, 'both versions are in use');
    process.kill(match.pid, 'SIGKILL');
    await until(() => match.restarts === 1 && match.running, 'the old version runs again');
    const { ticks } = match;
    await until(() => match.ticks > ticks + 10, 'it goes on');
    await match.stop();
    await until(() => readdirSync(folders).length === 1, 'the files of the first version');
    await second.stop();
    await until(() => readdirSync(folders).length === 0, 'the files of the second version');
  });
}

test('a broken game is left out with its reason, and can be replaced', async (t) => {
  const dataDir = temporaryFolder();
  const tv = await startTv(t, { dataDir });
  const { installed, lobby } = tv.services;
  const [file, other] = [archive(dataDir, 'gather'), archive(dataDir, 'catch')];
  const source = (/** @type {string} */ from) => ({ kind: /** @type {const} */ ('file'), from });
  const record = await installed.packages.install(source(file));
  await until(() => has(lobby.games, 'gather'), 'the game');

  const files = { 'game.js': 'throw new Error("no luck")' };
  archive(dataDir, 'gather', { version: '1.0.1', files });
  await installed.packages.install(source(file)); // not checked, as if Node.js had changed
  await until(() => !has(lobby.games, 'gather'), 'it is left out');
  const { problems } = await tv.services.system.facts();
  assert.match(problems.join('\n'), /game\.js.*no luck \(game\.js:1\)/);
  const folder = installed.packages.folderOf(record);
  await until(() => !existsSync(folder), 'the files of the first version are deleted');

  archive(dataDir, 'gather', { version: '1.0.2' });
  await installed.packages.install(source(file));
  await installed.packages.install(source(other));
  await until(() => installed.games.length === 2, 'both games');
  assert.deepEqual(installed.problems, []);
  const ids = lobby.games.map(({ id }) => id);
  assert.deepEqual(ids, ['bumper', 'catch', 'gather', 'swarm', 'collide']);
});

test('installed games are there after a restart, and a damaged or deleted directory is no fault', async (t) => {
  const dataDir = temporaryFolder();
  await install(dataDir, archive(dataDir, 'gather'));
  const tv = await startTv(t, { dataDir });
  const { lobby, installed } = tv.services;
  await installed.opened;
  assert.ok(has(lobby.games, 'gather'));
  writeFileSync(join(dataDir, 'games/other.json'), '{');
  await until(() => existsSync(join(dataDir, 'games/other.json.bad-1')), 'it is set aside');
  assert.equal(installed.entries.length, 1);

  rmSync(join(dataDir, 'games'), { recursive: true });
  await install(dataDir, archive(dataDir, 'catch'));
  await until(() => installed.entries[0]?.installed.id === 'catch', 'a directory in its place');
  await install(dataDir, archive(dataDir, 'gather'));
  await until(() => installed.entries.length === 2, 'that directory is watched, too');

  rmSync(join(dataDir, 'games'), { recursive: true });
  await until(() => installed.entries.length === 0, 'the games are gone');
  await install(dataDir, archive(dataDir, 'gather'));
  await until(() => installed.entries.length === 1, 'the game is back');
});

test('a saved match of an installed game is resumed', async (t) => {
  const dataDir = temporaryFolder();
  await install(dataDir, archive(dataDir, 'gather'));
  const args = ['--engine', 'process'];
  const before = await startTv(t, { dataDir, args });
  await before.services.installed.opened;
  const { match } = await before.lobby.start('gather', { owner: 'test' });
  await until(() => match.ticks > 20, 'the match runs');
  await before.stop();
  const after = await startTv(t, { dataDir, args });
  const [resumed] = after.lobby.matches;
  assert.equal(resumed.id, match.id);
  await until(() => resumed.ticks > match.ticks, 'it goes on');
});

test('a start takes the description of the last one, unless files or description have changed', async (t) => {
  const dataDir = temporaryFolder();
  await install(dataDir, archive(dataDir, 'gather'));
  const state = async () => {
    const tv = await startTv(t, { dataDir });
    const { installed } = tv.services;
    await installed.opened;
    const [{ game, problem }] = installed.entries;
    await tv.stop();
    return { game, problem };
  };
  const first = await state();
  const [folder] = readdirSync(join(dataDir, 'games/packages'));
  const module = join(dataDir, 'games/packages', folder, 'game.js');
  writeFileSync(module, "throw new Error('it is imported');");
  const second = await state();
  assert.equal(second.game?.title, first.game?.title);
  assert.deepEqual(second.game?.sizes(), first.game?.sizes());
  assert.deepEqual([second.game?.url, second.game?.lock], [first.game?.url, first.game?.lock]);

  const path = join(dataDir, 'games/gather.description');
  const saved = JSON.parse(readFileSync(path, 'utf8'));
  const wrong = [
    { ...saved, hash: '0'.repeat(64) },
    { ...saved, game: { ...saved.game, title: 7 } },
    { ...saved, dimensions: { ...saved.dimensions, decor: 1e9 } },
  ];
  for (const text of [...wrong.map((each) => JSON.stringify(each)), '', 'null']) {
    writeFileSync(path, text);
    assert.match((await state()).problem ?? '', /it is imported/, text.slice(0, 80));
  }
});

/** @param {Packages} packages */
const openGames = (packages) =>
  new InstalledGames({ packages, log: silentLog, untrusted: 'open', reserved: [] });

test('games with a description of the last start are there before one that has to be read', async (t) => {
  const dataDir = temporaryFolder();
  const packages = new Packages(new Store(dataDir));
  const open = async () => {
    const installed = openGames(packages);
    const first = once(installed, 'change').then(() => installed.games.map(({ id }) => id));
    await installed.open({ readOnly: false });
    await installed.close();
    return first;
  };
  await install(dataDir, archive(dataDir, 'gather'));
  assert.deepEqual(await open(), ['gather']);
  // For example because they are of root.
  t.mock.method(packages, 'collect', () => Promise.reject(new Error('permission denied')));
  assert.deepEqual(await open(), ['gather'], 'files that cannot be deleted do no harm');
  const game = { top: "throw new Error('as one that loops');" };
  await install(dataDir, archive(dataDir, 'broken', { game }));
  assert.deepEqual(await open(), ['gather']);
});

test('the process that reads a game ends with the TV', async (t) => {
  const { nodeTiming: timing } = /** @type {any} */ (performance);
  t.mock.getter(timing, 'bootstrapComplete', () => 60_000); // a machine that gives it minutes
  const dataDir = temporaryFolder();
  await install(dataDir, archive(dataDir, 'endless', { game: { top: 'for (;;);' } }));
  const installed = openGames(new Packages(new Store(dataDir)));
  const opened = installed.open({ readOnly: false });
  const isReading = () => process.getActiveResourcesInfo().includes('ProcessWrap');
  await until(isReading, 'the game is read');
  await installed.close();
  await until(() => !isReading(), 'the process has ended');
  await opened;
  assert.deepEqual(installed.entries, []);
});
