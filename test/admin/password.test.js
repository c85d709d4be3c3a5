import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { chmod, stat, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import test from 'node:test';
import { PASSWORD_FILE, PasswordFile } from '../../app/admin/password-file.js';
import { checkNewPassword, isRecord, makeRecord, matches } from '../../app/admin/password.js';
import { Store } from '../../app/storage/store.js';
import { temporaryFolder } from '../support/tv.js';

const PASSWORD = 'correct horse battery';

/** @param {import('node:test').TestContext} t */
async function openFile(t) {
  const folder = await temporaryFolder(t);
  return { folder, file: new PasswordFile(new Store(folder)) };
}

test('a password is hashed by the thread pool, salted, and known again', async () => {
  const began = performance.eventLoopUtilization();
  const [one, other] = await Promise.all([makeRecord(PASSWORD), makeRecord(PASSWORD)]);
  const { utilization } = performance.eventLoopUtilization(began);
  assert.ok(utilization < 0.5, `the main thread was busy for ${utilization} of the time`);
  assert.notEqual(one.salt, other.salt);
  assert.notEqual(one.hash, other.hash);
  assert.ok(isRecord(JSON.parse(JSON.stringify(one))));
  assert.ok(!JSON.stringify(one).includes('correct'));
  assert.equal(await matches(PASSWORD, one), true);
  assert.equal(await matches(`${PASSWORD} `, one), false);
  assert.equal(await matches('', one), false);
});

test('letters that look the same are the same, however they were typed', async () => {
  const record = await makeRecord('p\u00e4ssword');
  assert.equal(await matches('pa\u0308ssword', record), true);
});

test('hashes are compared in constant time', async (t) => {
  const record = await makeRecord(PASSWORD);
  const compare = t.mock.method(crypto, 'timingSafeEqual');
  syncBuiltinESMExports();
  t.after(() => {
    compare.mock.restore();
    syncBuiltinESMExports();
  });
  await matches('something else', record);
  assert.equal(compare.mock.callCount(), 1);
  const [given, expected] = compare.mock.calls[0].arguments;
  assert.equal(Buffer.from(/** @type {any} */ (expected)).toString('base64'), record.hash);
  assert.equal(given.byteLength, expected.byteLength);
});

test('too short, too long, and what is no text are refused', () => {
  for (const wrong of ['', '1234567', 'x'.repeat(257), 12345678, null, undefined, ['12345678']]) {
    assert.throws(() => checkNewPassword(wrong), { code: 'PITV_PASSWORD_INVALID' });
  }
  assert.equal(checkNewPassword('ä2345678'), 'ä2345678');
});

test('a record of unknown form or absurd cost is no record', async () => {
  const good = await makeRecord(PASSWORD);
  const bad = [
    null,
    'x',
    {},
    { ...good, scheme: 'md5' },
    { ...good, N: 1000 },
    { ...good, N: 2 ** 30 },
    { ...good, r: 0 },
    { ...good, p: 1e9 },
    { ...good, salt: '' },
    { ...good, hash: 'AAAA' },
    { ...good, hash: 5 },
  ];
  for (const one of bad) assert.equal(isRecord(one), false, JSON.stringify(one));
});

test('the file is for the owner only, and what another process writes counts at once', async (t) => {
  const { folder, file } = await openFile(t);
  assert.equal(await file.current(), undefined);
  await file.set(PASSWORD);
  assert.equal((await stat(join(folder, PASSWORD_FILE))).mode & 0o777, 0o600);
  const first = await file.current();
  assert.ok(first && (await matches(PASSWORD, first)));
  await new PasswordFile(new Store(folder)).set('another password');
  const second = await file.current();
  assert.ok(second && (await matches('another password', second)));
  await new PasswordFile(new Store(folder)).clear();
  assert.equal(await file.current(), undefined);
});

test('a broken file is no password, and can be replaced', async (t) => {
  const { folder, file } = await openFile(t);
  for (const text of ['', '{', 'null', '[]', '{"password":{"scheme":"scrypt"}}']) {
    await writeFile(join(folder, PASSWORD_FILE), text);
    assert.equal(await file.current(), undefined, text);
  }
  await file.set(PASSWORD);
  assert.ok(await file.current());
});

test('where nothing can be written, setting a password says so', async () => {
  const file = new PasswordFile(new Store('/proc/pitv'));
  await assert.rejects(file.set(PASSWORD), { code: 'PITV_PASSWORD_NOT_KEPT' });
  assert.equal(await file.current(), undefined);
});

test('the password of a settings file is taken over when it is written; a later one stays', async (t) => {
  const { folder, file } = await openFile(t);
  const given = join(folder, 'given.txt');
  assert.equal(await file.takeOver(given), false, 'there is no such file');
  await writeFile(given, '\n');
  assert.equal(await file.takeOver(given), false, 'it is empty');
  await writeFile(given, 'short\n');
  await assert.rejects(file.takeOver(given), { code: 'PITV_PASSWORD_INVALID' });
  await writeFile(given, '\uFEFFfrom the card\r\nand more\n');
  assert.equal(await file.takeOver(given), true);
  const record = await file.current();
  assert.ok(record && (await matches('from the card', record)));
  await file.set('set on the page');
  assert.equal(await file.takeOver(given), false);
  const kept = await file.current();
  assert.ok(kept && (await matches('set on the page', kept)));
  await writeFile(given, 'a new one on the card');
  assert.equal(await file.takeOver(given), true);
  await file.set('set on the page');
  await writeFile(given, 'a new one on the card');
  const later = new Date(Date.now() + 60_000);
  await utimes(given, later, later);
  assert.equal(await file.takeOver(given), true, 'the same as before, but written anew');
  const before = await file.current();
  assert.equal(await file.takeOver(given), false);
  assert.deepEqual(await file.current(), before, 'nobody has to log in again');
  await assert.rejects(file.takeOver(folder), { code: 'PITV_PASSWORD_FILE' });
});

test('what root writes belongs to the owner of the directory', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('needs root');
  const { folder, file } = await openFile(t);
  const { chown } = await import('node:fs/promises');
  await chown(folder, 12345, 12345);
  await chmod(folder, 0o700);
  await file.set(PASSWORD);
  assert.equal((await stat(join(folder, PASSWORD_FILE))).uid, 12345);
});
