import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import test from 'node:test';
import { LIMITS } from '../../app/limits/table.js';
import { integer, optional } from '../../app/options.js';
import { PLAYER_NAME, SHA256, isObject } from '../../app/storage/checks.js';
import { limitBytes } from '../../app/storage/limit-bytes.js';
import { PeopleFile } from '../../app/storage/people-file.js';
import { codeOf, reasonOf } from '../../app/storage/reason.js';
import {
  SavedFiles,
  canAccess,
  listNames,
  parseFields,
  parseJson,
  readRegularFile,
  unusable,
} from '../../app/storage/saved-files.js';
import { Store } from '../../app/storage/store.js';
import { temporaryFolder } from '../support/tv.js';

async function makeFiles() {
  const folder = temporaryFolder();
  /** @type {string[]} */
  const warnings = [];
  const log = {
    warn: (/** @type {unknown} */ _, /** @type {string} */ text) => warnings.push(text),
  };
  return { folder, warnings, files: new SavedFiles(folder, /** @type {any} */ (log)) };
}

const FORMAT = {
  maxBytes: 100,
  parse(/** @type {Buffer} */ bytes) {
    const value = parseJson(bytes);
    if (typeof value !== 'number') throw unusable('it is not a number');
    return value;
  },
};

/** @type {Record<string, {make: (path: string) => unknown, why: RegExp}>} */
const ODD = {
  garbage: { make: (path) => writeFile(path, Buffer.from([0, 255, 254])), why: /not valid JSON/ },
  empty: { make: (path) => writeFile(path, ''), why: /not valid JSON/ },
  'of a wrong type': { make: (path) => writeFile(path, '"5"'), why: /not a number/ },
  'too large': {
    make: (path) => writeFile(path, '').then(() => truncate(path, 2 ** 40)),
    why: /1099511627776 bytes, and 100 are allowed/,
  },
  'a directory': { make: (path) => mkdir(path), why: /not a regular file/ },
  'a link': { make: (path) => symlink('/etc/hostname', path), why: /: it is a symbolic link\./ },
  'a link to nothing': {
    make: (path) => symlink('nothing', path),
    why: /: it is a symbolic link\./,
  },
  'a pipe': { make: (path) => execFileSync('mkfifo', [path]), why: /not a regular file/ },
};

for (const [name, { make, why }] of Object.entries(ODD)) {
  test(`a saved file that is ${name} is set aside with one line in the log and one sentence`, async () => {
    const { folder, files, warnings } = await makeFiles();
    const path = join(folder, 'file');
    await make(path);
    assert.equal(await files.load(path, FORMAT), undefined);
    assert.deepEqual(await readdir(folder), ['file.bad-1']);
    assert.equal(files.problems.length, 1);
    assert.match(files.problems[0], why);
    assert.match(files.problems[0], /^The saved file file was ignored: .* now called file\.bad-1/);
    assert.deepEqual(warnings, files.problems);
    assert.equal(await files.load(path, FORMAT), undefined, 'the file is missing now');
    assert.equal(warnings.length, 1);
    await writeFile(path, '5');
    assert.equal(await files.load(path, FORMAT), 5);
    assert.deepEqual(files.problems, [], 'a good file ends the problem');
  });
}

test('a saved file that this user may not read is set aside', async (t) => {
  if (process.getuid?.() === 0) return t.skip('root may read every file');
  const { folder, files } = await makeFiles();
  await writeFile(join(folder, 'file'), '5');
  await chmod(join(folder, 'file'), 0);
  assert.equal(await files.load(join(folder, 'file'), FORMAT), undefined);
  assert.deepEqual(await readdir(folder), ['file.bad-1']);
});

test('an error of the machine leaves the file where it is', async () => {
  const { folder, files } = await makeFiles();
  const path = join(folder, 'file');
  await writeFile(path, '5');
  const error = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  await files.reject(path, error);
  assert.deepEqual(await readdir(folder), ['file']);
  assert.match(files.problems[0], /too many files are open\. It stays where it is/);
  for (const name of ['b', 'c']) await files.reject(join(folder, name), error);
  assert.equal(files.problems.length, 3);
  await files.reject(join(folder, 'd'), error);
  assert.match(
    files.problems.join(),
    /^4 saved files were ignored, .* The saved file file was ignored/,
  );
});

test('only the newest files that were set aside are kept', async () => {
  const { folder, files } = await makeFiles();
  const path = join(folder, 'file');
  const most = LIMITS.badFiles.value;
  for (let number = 1; number <= most + 3; number++) {
    await writeFile(path, `bad ${number}`);
    await files.load(path, FORMAT);
  }
  const names = await readdir(folder);
  assert.equal(names.length, most);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const numbers = texts.map((text) => Number(text.slice(4))).sort((a, b) => a - b);
  const newest = Array.from({ length: most }, (_, index) => index + 4);
  assert.deepEqual(numbers, newest);
});

test('a file with the name of a folder is set aside; a folder and a link to one are left alone', async () => {
  const { folder, files } = await makeFiles();
  await writeFile(join(folder, 'file'), '');
  await symlink('nothing', join(folder, 'dangling'));
  await mkdir(join(folder, 'folder'));
  await symlink('folder', join(folder, 'link'));
  for (const name of ['file', 'dangling', 'folder', 'link', 'missing']) {
    await files.checkFolder(join(folder, name));
  }
  assert.deepEqual(
    [await canAccess(folder), await canAccess(join(folder, 'missing'))],
    [true, false],
  );
  assert.equal(files.problems.length, 2);
  const names = await readdir(folder);
  assert.deepEqual(names.sort(), ['dangling.bad-1', 'file.bad-1', 'folder', 'link']);
});

test('the number of files that are read in a folder is limited', async () => {
  const folder = temporaryFolder();
  const most = LIMITS.savedFiles.value;
  await Promise.all(
    Array.from({ length: most + 10 }, (_, index) => writeFile(join(folder, `${index}.x`), '')),
  );
  const names = await listNames(folder, /\.x$/);
  assert.deepEqual([names.length, names], [most, [...names].sort()]);
  assert.deepEqual(await listNames(join(folder, 'missing'), /./), []);
  assert.deepEqual(await listNames(join(folder, '1.x'), /./), []);
});

test('a link is followed on request', async () => {
  const folder = temporaryFolder();
  await writeFile(join(folder, 'file'), 'text');
  await symlink('file', join(folder, 'link'));
  const options = { followLinks: true };
  assert.equal(String(await readRegularFile(join(folder, 'link'), 100, options)), 'text');
});

const PLAYER = { id: 1, name: 'Ann', color: '#ff4d4d', tokenHash: 'ab'.repeat(32) };
const SCREEN = 'cd'.repeat(32);

const PARTY = {
  phase: /** @type {const} */ ('playing'),
  plan: ['bumper', 'swarm'],
  played: 1,
  owner: 'screen:x',
  match: 3,
  table: [{ player: 1, name: 'Ann', color: '#ff4d4d', points: 5 }],
};

test('people are loaded as they were saved', async () => {
  const file = new PeopleFile(new Store(temporaryFolder()));
  const people = { savedAt: 5, players: [PLAYER], screens: [SCREEN] };
  const more = {
    ...people,
    party: PARTY,
    code: 'BCDFGHJKMN',
    botStrength: 2,
    volume: 0,
    lastPlayer: 7,
  };
  for (const saved of [people, more]) {
    await file.save(saved);
    assert.deepEqual(await file.load(), saved);
  }
});

test('a file that cannot be used counts as empty', async () => {
  const store = new Store(temporaryFolder());
  for (const wrong of [
    { players: 5 },
    { savedAt: '5' },
    { players: [{ ...PLAYER, tokenHash: 'x' }] },
    { screens: ['x'] },
    { format: 2 },
    { party: 5 },
    { code: 5 },
    { botStrength: 3 },
    { lastPlayer: -1 },
    { volume: 101 },
    { party: { ...PARTY, phase: 'none' } },
    { party: { ...PARTY, played: 3 } },
    { party: { ...PARTY, plan: ['bumper', 5] } },
    { party: { ...PARTY, match: '3' } },
    { party: { ...PARTY, table: [{ ...PARTY.table[0], points: -1 }] } },
  ]) {
    const people = { format: 1, savedAt: 5, players: [], screens: [], ...wrong };
    await store.write('people.json', JSON.stringify(people));
    const loaded = await new PeopleFile(store).load();
    assert.deepEqual(loaded, { savedAt: 0, players: [], screens: [] }, JSON.stringify(wrong));
  }
});

test('only changes are written, and an unchanged file every five minutes while there are players', async (t) => {
  const store = new Store(temporaryFolder());
  const write = t.mock.method(store, 'write');
  const file = new PeopleFile(store);
  const minute = 60_000;
  const start = Date.now();
  /** @type {[number, any[], number][]} minutes, players, writes so far */
  const steps = [
    [0, [], 1],
    [6, [], 1],
    [7, [PLAYER], 2],
    [8, [PLAYER], 2],
    [13, [PLAYER], 3],
    [14, [], 4],
  ];
  for (const [minutes, players, writes] of steps) {
    await file.saveChanges({ savedAt: start + minutes * minute, players, screens: [] });
    assert.equal(write.mock.callCount(), writes, `minute ${minutes}`);
  }
});

test('of too many screens the newest are saved', async () => {
  const file = new PeopleFile(new Store(temporaryFolder()));
  const screens = Array.from({ length: 1030 }, (_, n) => n.toString(16).padStart(64, '0'));
  await file.save({ savedAt: 5, players: [], screens });
  assert.deepEqual((await file.load()).screens, screens.slice(-1024));
});

const SHA = 'ab'.repeat(32);
/** @type {Record<string, [(value: any) => boolean, unknown[], unknown[]]>} check, good and bad values */
const CHECKS = {
  object: [isObject, [{}], [null, [], 'x', undefined]],
  name: [PLAYER_NAME.accepts, ['', 'x'.repeat(1024)], ['x'.repeat(1025), 5]],
  hash: [SHA256.accepts, [SHA], [`${SHA}0`, `0${SHA}`, SHA.toUpperCase(), [SHA]]],
};

test('the checks of saved values have exact limits', () => {
  for (const [name, [check, good, bad]] of Object.entries(CHECKS)) {
    for (const value of good) assert.ok(check(value), `${name} ${JSON.stringify(value)}`);
    for (const value of bad) assert.ok(!check(value), `${name} ${JSON.stringify(value)}`);
  }
});

test('a saved file of fields is an object of the format; what is no field is left out', () => {
  const parse = (/** @type {string} */ json) =>
    parseFields(Buffer.from(json), 1, { count: integer(1), more: optional(integer(1)) });
  assert.deepEqual(parse('{"format":1,"count":2,"other":3}'), { count: 2 });
  for (const [json, message] of /** @type {[string, RegExp][]} */ ([
    ['null', /it is not an object/],
    ['[]', /it is not an object/],
    ['{"format":2,"count":2}', /its format is not 1/],
    ['{"format":1,"count":0}', /its field "count" is wrong/],
  ])) {
    assert.throws(() => parse(json), { code: 'PITV_SAVED_INVALID', message });
  }
});

test('a stream passes a number of bytes, and fails at the next one', async () => {
  const tooLong = new Error('too long');
  const pass = (/** @type {number} */ max) =>
    text(Readable.from(['abc', 'def']).pipe(limitBytes(max, () => tooLong)));
  assert.equal(await pass(6), 'abcdef');
  await assert.rejects(pass(5), tooLong);
});

test('errors of the file system are described in a few words', () => {
  const codes = 'ENOSPC EDQUOT EROFS EFBIG EIO ENOENT ENOTDIR EACCES EPERM EMFILE ENFILE'.split(
    ' ',
  );
  for (const code of codes) assert.match(reasonOf({ code }), /^[a-z][a-z -]+$/, code);
  assert.equal(reasonOf(new Error('It is odd. It broke.')), 'It is odd. It broke');
  assert.deepEqual([undefined, null, 'x', new Error('x')].map(codeOf), ['', '', '', '']);
});
