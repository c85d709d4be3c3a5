import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { PasswordFile } from '../../app/admin/password-file.js';
import { verifyPassword } from '../../app/admin/password.js';
import { readSecret } from '../../app/admin/secret-input.js';
import { Store } from '../../app/storage/store.js';
import { temporaryFolder } from '../support/tv.js';

const CLI = fileURLToPath(new URL('../../app/cli.js', import.meta.url));

/** @param {string[]} args @param {string} [input] */
async function passwd(args, input = '') {
  const child = spawn(process.execPath, [CLI, 'passwd', ...args]);
  let out = '';
  let error = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (error += text));
  child.stdin.on('error', () => {}).end(input);
  const [status] = await once(child, 'close');
  return { status, out, error };
}

test('pitv passwd reads the password from the first line of stdin', async (t) => {
  const folder = await temporaryFolder(t);
  const file = new PasswordFile(new Store(folder));
  const args = ['--data-dir', folder];
  for (const [input, password] of [
    ['correct horse\n', 'correct horse'],
    [' two words \r\nsecond line\n', ' two words '],
    ['no newline', 'no newline'],
  ]) {
    const { status, out, error } = await passwd(args, input);
    assert.equal(status, 0, error);
    assert.match(out, /No TV has used /);
    assert.ok(!`${out}${error}`.includes(password), 'it is not shown');
    const record = await file.current();
    assert.ok(record && (await verifyPassword(password, record)), password);
  }
  assert.equal((await passwd([...args, '--clear'])).status, 0);
  assert.equal(await file.current(), undefined);
});

test('an invalid password or an unwritable directory is an error of one line', async (t) => {
  const folder = await temporaryFolder(t);
  for (const input of ['', '\n', 'short\n', 'x'.repeat(300), 'x'.repeat(100_000)]) {
    const { status, error } = await passwd(['--data-dir', folder], input);
    assert.equal(status, 1);
    assert.match(error, /^pitv: [^\n]+\n$/);
  }
  assert.equal(await new PasswordFile(new Store(folder)).current(), undefined);
  const denied = await passwd(['--data-dir', '/proc/pitv'], 'correct horse\n');
  assert.equal(denied.status, 1);
  assert.match(denied.error, /^pitv: The password cannot be saved in \/proc\/pitv: [^\n]+\n$/);
  assert.equal((await passwd(['--nonsense'])).status, 2);
  assert.equal((await passwd(['--data-dir', join(CLI)], 'correct horse')).status, 2);
  assert.match((await passwd(['--help'])).out, /^Usage: pitv passwd/);
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
