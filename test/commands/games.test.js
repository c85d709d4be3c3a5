import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { entriesOf, packageFiles, writeArchive } from '../support/archives.js';
import { runCommand, runCommands, startCommand } from '../support/cli.js';
import { onlyLong } from '../support/extent.js';
import { temporaryFolder } from '../support/folders.js';
import { listen } from '../support/http.js';
import { NOBODY, nobodyMissing } from '../support/ordinary-user.js';
import { until } from '../support/tv.js';

/**
 * Makes a folder, and a function that runs commands of `pitv games` in it, in one process.
 * @param {import('node:child_process').ExecFileOptions} [options] env: more of the environment
 */
function open({ env: more, ...options } = {}) {
  const cwd = temporaryFolder();
  const env = {
    PITV_DATA_DIR: join(cwd, 'data'),
    PITV_UNTRUSTED_GAMES: 'open', // some machines cannot lock games
    NODE_TEST_CONTEXT: undefined,
    ...more,
  };
  /** @param {string[]} lines */
  const games = (...lines) =>
    runCommands(
      lines.map((line) => `games ${line}`.split(' ')),
      { ...options, cwd, env },
    );
  return { cwd, env, games };
}

test('each subcommand has a help, and wrong usage has the status 2', async () => {
  const { games } = open();
  const names = ['add', 'dev', 'list', 'new', 'pack', 'remove', 'test', 'update'];
  const [{ stdout }, ...helps] = await games('--help', ...names.map((name) => `${name} --help`));
  for (const [i, help] of helps.entries()) {
    assert.equal(help.status, 0);
    assert.match(help.stdout, new RegExp(`^Usage: pitv games ${names[i]}`));
    assert.ok(stdout.includes(help.stdout), names[i]);
  }
  const wrong = [
    'nonsense',
    'list --nonsense',
    'list a',
    'add',
    'add a b',
    'add /nowhere/at/all',
    'add nowhere.tgz',
    'add -- --ignore-scripts=false',
    'remove',
    'new My_Game',
    'new bad.name',
    'test',
    'test . --ticks 59',
    'test . --seed -1',
    'test . --board pi9',
  ];
  for (const [i, { status, stderr }] of (await games(...wrong)).entries()) {
    assert.equal(status, 2, wrong[i]);
    assert.match(stderr, /^pitv: [^\n]+\n$/);
  }
});

test('a new game has a test that passes; it is installed, packed, updated and removed', async () => {
  const { cwd, env, games } = open();
  const [made, again] = await games('new star-rush', 'new star-rush');
  assert.deepEqual([made.status, again.status], [0, 2], 'the second time it is not empty');
  const source = join(cwd, 'star-rush', 'game.js');
  assert.match(readFileSync(source, 'utf8'), /id: 'star-rush',\n {2}title: 'Star rush'/);
  const program = ['--test', '--test-reporter=tap', 'star-rush/game.test.js'];
  const options = { cwd, env: { ...process.env, ...env } };
  const tested = await promisify(execFile)(process.execPath, program, options);
  assert.match(tested.stdout, /^# pass 2$/m);

  const [added, same] = await games('add star-rush', 'update star-rush');
  assert.equal(added.stderr, '');
  assert.match(added.stdout, /^Installed star-rush \(star-rush 0\.1\.0, 5 files, \d\.\d kB\)\.\n$/);
  assert.equal(same.stdout, 'star-rush 0.1.0 is up to date.\n');
  const file = join(cwd, 'star-rush', 'package.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('0.1.0', '0.2.0'));
  const archive = 'star-rush-0.2.0.tgz';
  const lines = ['update', 'pack star-rush', `add ${archive}`, 'list --json', 'list'];
  const [updated, packed, , json, table] = await games(...lines);
  assert.equal(updated.stdout, 'Updated star-rush from 0.1.0 to 0.2.0.\n');
  assert.equal(packed.stdout, `${archive}\n`);
  const [listed] = JSON.parse(json.stdout);
  assert.deepEqual(listed.source, { kind: 'file', from: join(cwd, archive) });
  assert.equal(listed.version, '0.2.0');
  assert.match(table.stdout, /^star-rush {2}0\.2\.0 {2}\d\.\d kB {2}star-rush {2}\//);

  writeFileSync(source, '\nthrow new Error("no luck");');
  const last = ['pack star-rush', 'remove star-rush', 'remove star-rush', 'list', 'update'];
  const [broken, removed, missing, none, nothing] = await games(...last);
  assert.match(broken.stderr, /^pitv: game\.js cannot be loaded: Error: no luck \(game\.js:2\)\n$/);
  assert.deepEqual([broken.status, removed.status, missing.status], [1, 0, 1]);
  assert.match(none.stdout, /^No game is installed\./);
  assert.equal(nothing.stdout, '');
  for (const { stderr } of await games(`pack ${source}`, `dev ${source}`))
    assert.match(stderr, /game\.js cannot be read: it is not a folder/);
  writeFileSync(join(cwd, 'data', 'games', 'star-rush.json'), '{');
  const [damaged] = await games('list');
  assert.match(damaged.stderr, /star-rush\.json was ignored: .* star-rush\.json\.bad-1/);
});

test('a folder that cannot be made is an error of one line, and what has its name stays', async () => {
  const { cwd, games } = open();
  writeFileSync(join(cwd, 'star-rush'), 'precious');
  for (const { status, stderr } of await games('new star-rush', 'new /proc/star-rush')) {
    assert.equal(status, 1);
    assert.match(stderr, /^pitv: .*star-rush cannot be written: [^\n]+\n$/);
  }
  assert.equal(readFileSync(join(cwd, 'star-rush'), 'utf8'), 'precious');
});

test('without a place for temporary files, the error has one line', async () => {
  const { games } = open({ env: { TMPDIR: '/proc/none' } });
  const [, ...results] = await games('new star-rush', 'pack star-rush', 'dev star-rush');
  for (const { status, stderr } of results) {
    assert.equal(status, 1);
    assert.match(stderr, /^pitv: No folder can be made in \/proc\/none: [^\n]+\n$/);
  }
});

test('an error text of a game is shown as text, in lines of its own', async () => {
  const { cwd, games } = open();
  await games('new evil');
  const text = 'no \u001b[2J\u202e luck\nInstalled evil';
  writeFileSync(join(cwd, 'evil', 'game.js'), `throw new Error(${JSON.stringify(text)});`);
  const [{ status, stderr }] = await games('add evil');
  assert.equal(status, 1);
  const shown = 'no \\u001b[2J\\u202e luck\n  Installed evil';
  assert.equal(stderr, `pitv: game.js cannot be loaded: Error: ${shown} (game.js:1)\n`);
});

test('a new game passes its test, and one with a fault fails it', { skip: onlyLong }, async () => {
  const { cwd, games } = open();
  const flags = '--ticks 240 --seed 5';
  const [, good] = await games('new star-rush', `test star-rush ${flags}`);
  assert.equal(good.status, 0, good.stdout + good.stderr);
  const [head, ...lines] = good.stdout.trimEnd().split('\n');
  assert.equal(head, 'star-rush 0.1.0, 240 ticks of seed 5:');
  assert.equal(lines.length, 8);
  assert.match(lines[0], /^skip {2}plays +.* no match ended within 240 ticks,/);
  for (const line of lines.slice(1)) assert.match(line, /^pass {2}[a-z]+ +\S.*\.$/);

  const source = join(cwd, 'star-rush', 'game.js');
  const code = readFileSync(source, 'utf8');
  const faulty = '$& flow.score[0] += Math.random();';
  writeFileSync(source, code.replace('function settle(flow) {', faulty));
  const [bad] = await games(`test star-rush --json ${flags}`);
  assert.equal(bad.status, 1);
  const { id, version, passed, ticks, verdicts } = JSON.parse(bad.stdout);
  assert.deepEqual([id, version, passed, ticks], ['star-rush', '0.1.0', false, 240]);
  const failed = verdicts.filter((/** @type {any} */ { verdict }) => verdict === 'fail');
  const [{ name, seed, sentence }] = failed;
  assert.deepEqual([failed.length, name, seed], [1, 'deterministic', 5]);
  assert.match(sentence, /^Math\.random\(\) is called at seed 5, tick \d+ \(game\.js:\d+\)/);

  writeFileSync(source, 'throw new Error("no luck");');
  const [broken] = await games(`test star-rush ${flags}`);
  assert.equal(broken.status, 1);
  assert.match(broken.stderr, /^pitv: game\.js cannot be loaded: Error: no luck \(game\.js:1\)\n$/);

  writeFileSync(source, '\nfor (;;);');
  const [loop, missing] = await games(`test star-rush ${flags}`, `test nowhere ${flags}`);
  assert.match(loop.stderr, /^pitv: game\.js cannot be loaded: .* loop\? \(game\.js:2\)\n$/);
  assert.equal(missing.status, 1);
});

test('an archive takes the place of a link in the folder of the game', async () => {
  const { cwd, env, games } = open();
  await games('new evil');
  const folder = join(cwd, 'evil');
  writeFileSync(join(cwd, 'precious'), 'mine');
  symlinkSync('../precious', join(folder, 'evil-0.1.0.tgz'));
  const { stdout } = await runCommand(['games', 'pack', '.'], { cwd: folder, env });
  assert.equal(stdout, 'evil-0.1.0.tgz\n');
  assert.equal(readFileSync(join(cwd, 'precious'), 'utf8'), 'mine');
  assert.equal((await games('add evil/evil-0.1.0.tgz'))[0].status, 0);
});

test(
  'a game that is tested reads no folder to which a link of its own leads',
  { skip: onlyLong },
  async () => {
    const { cwd, games } = open();
    mkdirSync(join(cwd, 'private'));
    writeFileSync(join(cwd, 'private', 'secret'), 'hunter2');
    await games('new evil');
    const modules = join(cwd, 'evil', 'node_modules');
    rmSync(join(modules, 'pitv'));
    symlinkSync('../../private', join(modules, 'pitv'));
    writeFileSync(
      join(cwd, 'evil', 'game.js'),
      `import { readFileSync, writeSync } from 'node:fs';
    const folder = new URL('.', import.meta.url).href;
    try {
      const secret = readFileSync(new URL('node_modules/pitv/secret', folder), 'utf8');
      const text = JSON.stringify({ url: folder + secret, line: 1 });
      writeSync(3, Buffer.from([1 + text.length, 0, 0, 0, 7, ...Buffer.from(text)]));
    } catch {}
    for (;;);`,
    );
    const [{ stderr }] = await games('test evil');
    assert.match(stderr, /loop\? \(game\.js:8\)\n$/);
  },
);

test('Ctrl-C while a game is tested leaves no files', async () => {
  const { cwd, env, games } = open();
  await games('new slow');
  writeFileSync(join(cwd, 'slow', 'game.js'), 'for (;;);');
  const TMPDIR = temporaryFolder();
  const { child, ended } = startCommand(['games', 'test', 'slow'], {
    cwd,
    env: { ...env, TMPDIR },
  });
  await until(() => readdirSync(TMPDIR).length > 0, 'its folder');
  child.kill('SIGINT');
  assert.equal((await ended).signal, 'SIGINT');
  assert.deepEqual(readdirSync(TMPDIR), []);
});

test("another user's data directory is an error of one line", { skip: nobodyMissing }, async () => {
  const { cwd, games } = open({ uid: NOBODY, gid: NOBODY });
  mkdirSync(join(cwd, 'data/games'), { recursive: true, mode: 0o700 });
  for (const { status, stderr } of await games('list', 'remove a')) {
    assert.equal(status, 1);
    assert.match(stderr, /^pitv: .*permission denied.* Run this command as the user.+\n$/i);
  }
});

const npmTitle = 'npm fetches a package by its name, and does not run its scripts';
test(npmTitle, { skip: onlyLong }, async (t) => {
  const folder = temporaryFolder();
  const ran = join(folder, 'ran');
  const hooks = ['prepack', 'prepare', 'preinstall', 'install', 'postinstall'];
  const scripts = Object.fromEntries(hooks.map((name) => [name, `touch ${ran}`]));
  const files = packageFiles('gather', { manifest: { name: '@me/gather', scripts } });
  const archive = readFileSync(writeArchive(join(folder, 'served'), entriesOf(files)));
  const registry = createServer((request, response) => {
    if (request.url?.endsWith('.tgz')) return response.end(archive);
    if (request.url !== '/@me%2fgather') return response.writeHead(404).end('{}');
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
    const dist = { tarball: `${url}/gather.tgz`, integrity };
    const versions = { '1.0.0': { ...JSON.parse(String(files['package.json'])), dist } };
    const about = { name: '@me/gather', 'dist-tags': { latest: '1.0.0' }, versions };
    return response.end(JSON.stringify(about));
  });
  const url = `http://127.0.0.1:${await listen(t, registry)}`;
  const npm = { npm_config_registry: url, npm_config_cache: join(folder, 'cache') };
  const { cwd, env, games } = open({ env: npm });
  const lines = ['add @me/gather@^1.0.0', 'update', 'list --json', 'add @me/nothing'];
  const [added, same, listed, missing] = await games(...lines);
  assert.match(added.stdout, /^Installed gather \(@me\/gather 1\.0\.0,/, added.stderr);
  assert.equal(existsSync(ran), false);
  assert.match(same.stdout, /is up to date/);
  const [{ source }] = JSON.parse(listed.stdout);
  assert.deepEqual(source, { kind: 'npm', from: '@me/gather@^1.0.0' });
  assert.equal(missing.status, 1);
  assert.match(missing.stderr, /^pitv: npm cannot fetch @me\/nothing: [^\n]*404[^\n]*\n$/);
  const kept = readdirSync(join(cwd, 'data/games/packages'));
  const unfinished = kept.filter((name) => name[0] === '.');
  assert.deepEqual(unfinished, []);

  const without = await runCommand(['games', 'add', 'gather'], { cwd, env: { ...env, PATH: cwd } });
  assert.equal(without.status, 1);
  assert.match(without.stderr, /^pitv: npm is not installed\./);
});
