import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PasswordFile } from '../../app/admin/password-file.js';
import { isSetting, sharePassword } from '../../app/fleet/fleet-password.js';
import { SharedMap } from '../../app/fleet/shared-map.js';
import { silentLog } from '../../app/log.js';
import { Store } from '../../app/storage/store.js';
import { temporaryFolder, until } from '../support/tv.js';

const KEY = 'admin-password';

/** Makes the table that a fleet shares, without other nodes. */
const makeTable = () =>
  new SharedMap({
    node: 'a',
    bucket: /** @type {any} */ ({ get() {}, put() {} }),
    send() {},
    isValid: isSetting,
    log: silentLog,
  });

async function makeFile() {
  const store = new Store(temporaryFolder());
  await store.open();
  return new PasswordFile(store, { hash: async (password) => Buffer.alloc(32, password) });
}

/** @param {import('node:test').TestContext} t @param {PasswordFile} file @param {SharedMap} shared */
async function join(t, file, shared) {
  const leave = await sharePassword({ file, log: silentLog, shared });
  t.after(leave);
  return leave;
}

test('a TV that joins takes the password of the fleet, and gives its own if there is none', async (t) => {
  const [first, second] = [await makeFile(), await makeFile()];
  const shared = makeTable();
  await first.set('correct horse');
  await second.set('battery staple');
  await join(t, first, shared);
  assert.deepEqual(shared.get(KEY), await first.current());
  assert.ok(isSetting(KEY, shared.get(KEY)));
  await join(t, second, shared);
  assert.deepEqual(await second.current(), await first.current());
});

test('a password that was set while the TV was away from its fleet is that of all', async (t) => {
  const file = await makeFile();
  const shared = makeTable();
  await file.set('correct horse');
  const leave = await join(t, file, shared);
  leave();
  await file.set('battery staple');
  await join(t, file, shared);
  assert.deepEqual(shared.get(KEY), await file.current());
});

test('changes by a command here and at another TV are followed', async (t) => {
  const [file, other] = [await makeFile(), await makeFile()];
  const shared = makeTable();
  await join(t, file, shared);
  await file.set('correct horse');
  const here = await file.current();
  await until(() => shared.get(KEY)?.hash === here?.hash, 'it tells the others');
  await other.set('battery staple');
  const there = await other.current();
  shared.receive({ key: KEY, version: 9, node: 'b', value: there });
  await until(async () => (await file.current())?.hash === there?.hash, 'it is taken');
});

test('a value that is no password is no setting', () => {
  assert.equal(isSetting(KEY, { scheme: 'scrypt' }), false);
  assert.equal(isSetting('other', {}), false);
});
