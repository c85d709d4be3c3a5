import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import test from 'node:test';
import { PasswordFile } from '../../app/admin/password-file.js';
import { verifyPassword } from '../../app/admin/password.js';
import { askPassword, readLine } from '../../app/commands/passwd.js';
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
  /** Answers both prompts. @param {...string} answers with the Enter key */
  const type = async (...answers) => {
    const raw = /** @type {boolean[]} */ ([]);
    const input = /** @type {any} */ (new PassThrough());
    input.setRawMode = (/** @type {boolean} */ on) => raw.push(on);
    const output = new PassThrough({ encoding: 'utf8' });
    const password = askPassword({ input, output });
    input.write(answers.join(''));
    try {
      return await password;
    } finally {
      assert.deepEqual(raw, [true, false], 'the terminal is restored');
      const prompts = ['New admin password (at least 8 characters): ', 'Repeat it: '];
      assert.equal(output.read(), `${prompts.slice(0, answers.length).join('\n')}\n`);
    }
  };
  assert.equal(await type('pässword\r', 'pässword\r'), 'pässword');
  assert.equal(await type('passwert\x7f\x7f\x7ford\n', 'wrong\x15password\x1b[C\r'), 'password');
  const invalid = { code: 'PITV_PASSWORD_INVALID' };
  await assert.rejects(type('short\r'), invalid);
  await assert.rejects(type('password\r', 'Password\r'), invalid);
  for (const keys of ['password\x03', '\x04'])
    await assert.rejects(type(keys), { code: 'PITV_CANCELLED' });
});
