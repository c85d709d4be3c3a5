import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { stat, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import test from 'node:test';
import { HashQueue } from '../../app/admin/access.js';
import { PASSWORD_FILE, PasswordFile } from '../../app/admin/password-file.js';
import {
  checkNewPassword,
  hashInPool,
  hashPassword,
  PASSWORD_RECORD,
  verifyPassword,
} from '../../app/admin/password.js';
import { Store } from '../../app/storage/store.js';
import { temporaryFolder } from '../support/tv.js';

const PASSWORD = 'correct horse battery';

/** Hashes at the lowest cost. @type {import('../../app/admin/password.js').Hash} */
const hash = (password, { salt }) => hashInPool(password, { N: 2, r: 1, p: 1, salt });

function openFile() {
  const folder = temporaryFolder();
  return { folder, file: new PasswordFile(new Store(folder), { hash }) };
}

test('a password is salted, hashed in the thread pool, and verified', async () => {
  const began = performance.eventLoopUtilization();
  const [one, other] = await Promise.all([hashPassword(PASSWORD), hashPassword(PASSWORD)]);
  const { utilization } = performance.eventLoopUtilization(began);
  assert.ok(utilization < 0.5, `the main thread was busy for ${utilization} of the time`);
  assert.notEqual(one.salt, other.salt);
  assert.notEqual(one.hash, other.hash);
  assert.ok(PASSWORD_RECORD.accepts(JSON.parse(JSON.stringify(one))));
  assert.ok(!JSON.stringify(one).includes('correct'));
  assert.equal(await verifyPassword(PASSWORD, one), true);
  assert.equal(await verifyPassword(`${PASSWORD} `, one), false);
  assert.equal(await verifyPassword('', one), false);
  const composed = await hashPassword('p\u00e4ssword', hash);
  assert.equal(await verifyPassword('pa\u0308ssword', composed, hash), true, 'the same letters');
});

test('hashes are compared in constant time', async (t) => {
  const record = await hashPassword(PASSWORD, hash);
  const compare = t.mock.method(crypto, 'timingSafeEqual');
  syncBuiltinESMExports();
  t.after(() => {
    compare.mock.restore();
    syncBuiltinESMExports();
  });
  await verifyPassword('something else', record, hash);
  assert.equal(compare.mock.callCount(), 1);
  const [given, expected] = compare.mock.calls[0].arguments;
  assert.equal(Buffer.from(/** @type {any} */ (expected)).toString('base64'), record.hash);
  assert.equal(given.byteLength, expected.byteLength);
});

test('a password that is too short, too long or not a string is refused', () => {
  for (const wrong of ['', '1234567', 'x'.repeat(257), 12345678, null, undefined, ['12345678']]) {
    assert.throws(() => checkNewPassword(wrong), { code: 'PITV_PASSWORD_INVALID' });
  }
  assert.equal(checkNewPassword('ä2345678'), 'ä2345678');
});

test('a record with an unknown scheme, a wrong field or an excessive cost is not valid', async () => {
  const good = await hashPassword(PASSWORD, hash);
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
  for (const one of bad) assert.equal(PASSWORD_RECORD.accepts(one), false, JSON.stringify(one));
});

test('only the owner can read the file, and changes by other processes apply at once', async () => {
  const { folder, file } = openFile();
  assert.equal(await file.current(), undefined);
  await file.set(PASSWORD);
  assert.equal((await stat(join(folder, PASSWORD_FILE))).mode & 0o777, 0o600);
  const first = await file.current();
  assert.ok(first && (await verifyPassword(PASSWORD, first, hash)));
  await new PasswordFile(new Store(folder), { hash }).set('another password');
  const second = await file.current();
  assert.ok(second && (await verifyPassword('another password', second, hash)));
  await new PasswordFile(new Store(folder)).clear();
  assert.equal(await file.current(), undefined);
});

test('a broken file counts as no password, and can be replaced; one that cannot be written is an error', async () => {
  const { folder, file } = openFile();
  for (const text of ['', '{', 'null', '[]', '{"password":{"scheme":"scrypt"}}']) {
    await writeFile(join(folder, PASSWORD_FILE), text);
    assert.equal(await file.current(), undefined, text);
    assert.equal(file.store.files.problems.length, 1, text);
  }
  await file.set(PASSWORD);
  assert.ok(await file.current());
  const nowhere = new PasswordFile(new Store('/proc/pitv'));
  await assert.rejects(nowhere.set(PASSWORD), { code: 'PITV_PASSWORD_NOT_KEPT' });
  assert.equal(await nowhere.current(), undefined);
});

test('a password file is imported when it is new, and does not undo a later change', async () => {
  const { folder, file } = openFile();
  const given = join(folder, 'given.txt');
  assert.equal(await file.importFrom(given), false, 'there is no such file');
  await writeFile(given, '\n');
  assert.equal(await file.importFrom(given), false, 'it is empty');
  await writeFile(given, 'short\n');
  await assert.rejects(file.importFrom(given), { code: 'PITV_PASSWORD_INVALID' });
  await writeFile(given, '\uFEFFfrom the card\r\nand more\n');
  assert.equal(await file.importFrom(given), true);
  const record = await file.current();
  assert.ok(record && (await verifyPassword('from the card', record, hash)));
  await file.set('set on the page');
  assert.equal(await file.importFrom(given), false);
  const kept = await file.current();
  assert.ok(kept && (await verifyPassword('set on the page', kept, hash)));
  await writeFile(given, 'a new one on the card');
  assert.equal(await file.importFrom(given), true);
  await file.set('set on the page');
  await writeFile(given, 'a new one on the card');
  const later = new Date(Date.now() + 60_000);
  await utimes(given, later, later);
  assert.equal(await file.importFrom(given), true, 'the same content, written again');
  const before = await file.current();
  assert.equal(await file.importFrom(given), false);
  assert.deepEqual(await file.current(), before, 'the sessions stay valid');
  await assert.rejects(file.importFrom(folder), { code: 'PITV_PASSWORD_FILE' });
});

test('hashes of known clients have places of their own and run before others', async () => {
  const queue = new HashQueue(1);
  /** @type {string[]} */
  const order = [];
  let finish = () => {};
  const running = queue.run(() => new Promise((resolve) => (finish = () => resolve(undefined))));
  const run = (/** @type {string} */ name, isKnown = false) =>
    queue.run(async () => void order.push(name), isKnown);
  const other = run('other');
  await assert.rejects(run('beyond'), { code: 'PITV_LOGIN_BUSY' });
  const known = run('known', true);
  await assert.rejects(run('beyond', true), { code: 'PITV_LOGIN_BUSY' });
  finish();
  await Promise.all([running, other, known]);
  assert.deepEqual(order, ['known', 'other']);
});
