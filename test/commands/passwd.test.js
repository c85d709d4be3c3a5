import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import test from 'node:test';
import { PasswordFile } from '../../app/admin/password-file.js';
import { verifyPassword } from '../../app/admin/password.js';
import { readLine, readSecret } from '../../app/admin/secret-input.js';
import { Store } from '../../app/storage/store.js';
import { CLI, runCommand } from '../support/cli.js';
import { temporaryFolder } from '../support/folders.js';

/** @param {string[]} args @param {string} [input] */
const passwd = (args, input) => runCommand(['passwd', ...args], { input });

test('pitv passwd reads the password from the first line of stdin', async () => {
  const folder = temporaryFolder();
  const file = new PasswordFile(new Store(folder));
  const args = ['--data-dir', folder];
  const password = ' two words ';
  const { status, stdout, stderr } = await passwd(args, `${password}\r\nsecond line\n`);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /No TV has used /);
  assert.ok(!`${stdout}${stderr}`.includes(password), 'it is not shown');
  const record = await file.current();
  assert.ok(record && (await verifyPassword(password, record)), password);
  for (const input of ['correct horse\n', 'correct horse']) {
    assert.equal(await readLine(Readable.from([input])), 'correct horse');
  }
  for (const input of ['', '\n']) assert.equal(await readLine(Readable.from([input])), '');
  assert.equal((await passwd([...args, '--clear'])).status, 0);
  assert.equal(await file.current(), undefined);
});

test('an invalid password or an unwritable directory is an error of one line', async () => {
  const folder = temporaryFolder();
  for (const input of ['', 'short\n', 'x'.repeat(100_000)]) {
    const { status, stderr } = await passwd(['--data-dir', folder], input);
    assert.equal(status, 1);
    assert.match(stderr, /^pitv: [^\n]+\n$/);
  }
  assert.equal(await new PasswordFile(new Store(folder)).current(), undefined);
  const denied = await passwd(['--data-dir', '/proc/pitv'], 'correct horse\n');
  assert.equal(denied.status, 1);
  assert.match(denied.stderr, /^pitv: The password cannot be saved in \/proc\/pitv: [^\n]+\n$/);
  assert.equal((await passwd(['--nonsense'])).status, 2);
  assert.equal((await passwd(['--data-dir', CLI], 'correct horse')).status, 2);
  assert.match((await passwd(['--help'])).stdout, /^Usage: pitv passwd/);
});

test('on a terminal the password is not echoed, keys edit it, and Ctrl-C cancels', async () => {
  /** @param {string} keys */
  const type = async (keys) => {
    const raw = /** @type {boolean[]} */ ([]);
    const input = /** @type {any} */ (new PassThrough());
    input.setRawMode = (/** @type {boolean} */ on) => raw.push(on);
    const output = new PassThrough();
    const answer = readSecret('Password: ', { input, output });
    for (const key of keys) input.write(key);
    try {
      return await answer;
    } finally {
      assert.deepEqual(raw, [true, false], 'the terminal is restored');
      assert.equal(String(output.read()), 'Password: \n');
    }
  };
  assert.equal(await type('secret\r'), 'secret');
  assert.equal(await type('secrex\x7ft\n'), 'secret');
  assert.equal(await type('wrong\x15secret\r'), 'secret');
  assert.equal(await type('\x1bpässword\r'), 'pässword');
  await assert.rejects(type('secret\x03'), { code: 'PITV_CANCELLED' });
  await assert.rejects(type('\x04'), { code: 'PITV_CANCELLED' });
});
