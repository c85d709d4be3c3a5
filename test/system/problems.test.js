import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { silentLog } from '../../app/log.js';
import { findProblems, isFull } from '../../app/system/problems.js';
import { RuntimeDir, consoleText } from '../../app/system/runtime-dir.js';
import { Status } from '../../app/system/status.js';
import { problemText } from '../../app/web/lib/reports.js';
import { Client, startTv, temporaryFolder } from '../support/tv.js';

test('problems of the system are sorted by file name, without duplicates or control characters', async () => {
  const problemsDir = temporaryFolder({
    settings: 'B is wrong.\n\nB is wrong.\n\x1b[31mred\n',
    data: 'A is wrong.\n',
    'folder/file': 'not read',
  });
  const found = await findProblems({ problemsDir, dataDir: problemsDir });
  assert.deepEqual(found, ['A is wrong.', 'B is wrong.', '?[31mred']);
  const none = await findProblems({ problemsDir: '/nonexistent', dataDir: '/nonexistent' });
  assert.deepEqual(none, []);
});

test('a disk is full when a report would not fit; a small disk with space is not full', () => {
  assert.equal(isFull({ bytes: 1e9, freeBytes: 1e6 }), true);
  assert.equal(isFull({ bytes: 1e9, freeBytes: 20e6 }), false);
  assert.equal(isFull({ bytes: 4e6, freeBytes: 3e6 }), false);
  assert.equal(isFull(undefined), false);
});

test('problems are shown on the screen and on the console', async (t) => {
  const problem = 'pitv.txt, line 3: engine has to be something else.';
  const problemsDir = temporaryFolder({ settings: `${problem}\n` });
  const runtimeDir = temporaryFolder();
  const args = ['--engine', 'thread', '--problems-dir', problemsDir, '--runtime-dir', runtimeDir];
  const tv = await startTv(t, { args });
  const screen = await Client.screen(tv);
  const lobby = await screen.next('lobby');
  assert.deepEqual(lobby.problems, [problem]);
  const file = join(runtimeDir, 'console');
  const text = await readFile(file, 'utf8');
  assert.ok(text.includes(tv.code), text);
  assert.ok(text.includes('! pitv.txt, line 3'), text);
  assert.equal((await stat(file)).mode & 0o777, 0o644, 'the console’s service may read it');
  assert.ok(!text.includes(tv.admin.token), 'the admin token is not on the console');
});

test('the text of the console fits into 80 columns and 30 rows', () => {
  const text = consoleText({
    urls: ['http://192.168.178.123', 'http://pitv.local'],
    joinUrl: 'http://192.168.178.123/p?c=ABCDEFGHJK',
    code: 'ABCDE',
    problems: ['word '.repeat(40).trim()],
    version: '1.2.3',
    hasNetwork: true,
  });
  const lines = text.split('\n');
  assert.ok(lines.length <= 30, String(lines.length));
  assert.ok(Math.max(...lines.map((line) => [...line].length)) <= 80, text);
});

test('without a network, the television says so instead of a QR code that no phone can use', async (t) => {
  const folder = temporaryFolder();
  let hasNetwork = false;
  const wifiSetup = new EventEmitter();
  const status = new Status({
    settings: { host: '0.0.0.0', publicUrl: '', problemsDir: '', dataDir: folder },
    log: silentLog,
    version: '1.2.3',
    joinCode: { code: 'ABCDE', linkCode: 'ABCDEFGHJK' },
    runtimeDir: new RuntimeDir(folder),
    wifiSetup,
    problems: () => ({}),
    hasNetwork: () => hasNetwork,
  });
  t.after(() => status.close());
  const shown = () => readFile(join(folder, 'console'), 'utf8');
  await status.open(80);
  assert.equal(status.qr, '');
  assert.match(await shown(), /This TV has no network\./);
  assert.doesNotMatch(await shown(), /ABCDE|█/);
  assert.match(status.problems.join(), /^This TV has no network, so phones cannot join\./);
  assert.match(problemText(status.problems[0], 'ko'), /네트워크가 없어/);
  hasNetwork = true;
  await status.update();
  assert.deepEqual(status.problems, []);
  assert.match(status.qr, /^<svg/);
  assert.match(await shown(), /█[^]*ABCDE/);
});
