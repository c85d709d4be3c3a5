import assert from 'node:assert/strict';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { findProblems, isFull } from '../../app/system/problems.js';
import { RuntimeDir, consoleText } from '../../app/system/runtime-dir.js';
import { Client, startTv, temporaryFolder } from '../support/tv.js';

test('what the system found is told in the order of its files, each sentence once, fit to be shown', async (t) => {
  const problemsDir = await temporaryFolder(t);
  await writeFile(join(problemsDir, 'settings'), 'B is wrong.\n\nB is wrong.\n\x1b[31mred\n');
  await writeFile(join(problemsDir, 'data'), 'A is wrong.\n');
  await mkdir(join(problemsDir, 'folder'));
  const found = await findProblems({ problemsDir, dataDir: problemsDir });
  assert.deepEqual(found, ['A is wrong.', 'B is wrong.', '?[31mred']);
  const none = await findProblems({ problemsDir: '/nonexistent', dataDir: '/nonexistent' });
  assert.deepEqual(none, []);
});

test('a disk is full when a report would not fit; a small one is not full by being small', () => {
  assert.equal(isFull({ bytes: 1e9, freeBytes: 1e6 }), true);
  assert.equal(isFull({ bytes: 1e9, freeBytes: 20e6 }), false);
  assert.equal(isFull({ bytes: 4e6, freeBytes: 3e6 }), false);
  assert.equal(isFull(undefined), false);
});

test('problems are on the screen, on the console and gone when they are gone', async (t) => {
  const problemsDir = await temporaryFolder(t);
  const runtimeDir = await temporaryFolder(t);
  await writeFile(
    join(problemsDir, 'settings'),
    'pitv.txt, line 3: engine has to be something else.\n',
  );
  const args = ['--engine', 'thread', '--problems-dir', problemsDir, '--runtime-dir', runtimeDir];
  const tv = await startTv(t, { args });
  const screen = await Client.screen(tv);
  const lobby = await screen.next('lobby');
  assert.deepEqual(lobby.problems, ['pitv.txt, line 3: engine has to be something else.']);
  const file = join(runtimeDir, 'console');
  const text = await readFile(file, 'utf8');
  assert.ok(text.includes(tv.code), text);
  assert.ok(text.includes('! pitv.txt, line 3'), text);
  assert.equal((await stat(file)).mode & 0o777, 0o644, 'who draws the console may read it');
  assert.ok(!text.includes(tv.admin.token), 'the admin token is nobody else’s');
});

test('the console fits 80 columns and 30 rows', async () => {
  const text = await consoleText({
    urls: ['http://192.168.178.123', 'http://pitv.local'],
    joinUrl: 'http://192.168.178.123/p?c=ABCDE',
    code: 'ABCDE',
    problems: ['word '.repeat(40).trim()],
    version: '1.2.3',
  });
  const lines = text.split('\n');
  assert.ok(lines.length <= 30, String(lines.length));
  assert.ok(Math.max(...lines.map((line) => [...line].length)) <= 80, text);
});

test('without a runtime directory there is nothing to wish for', async () => {
  const none = new RuntimeDir('');
  assert.equal(await none.grants(), false);
  await assert.rejects(none.wish('reboot'), { code: 'PITV_SYSTEM_NOT_OURS' });
  await assert.rejects(new RuntimeDir('/nonexistent').wish('reboot'), {
    code: 'PITV_SYSTEM_NOT_OURS',
  });
});
