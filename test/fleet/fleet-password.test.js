import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PasswordFile } from '../../app/admin/password-file.js';
import { isSetting, sharePassword } from '../../app/fleet/fleet-password.js';
import { Tables } from '../../app/fleet/tables.js';
import { silentLog } from '../../app/log.js';
import { Store } from '../../app/storage/store.js';
import { temporaryFolder, until } from '../support/tv.js';

const KEY = 'admin-password';

async function makeFile() {
  const store = new Store(temporaryFolder());
  await store.open();
  return new PasswordFile(store, { hash: async (password) => Buffer.alloc(32, password) });
}

test('the password that was set last is that of all TVs', async () => {
  const bucket = /** @type {any} */ ({ get() {}, put() {} });
  const tables = new Tables({
    node: 'a',
    bucket,
    members: bucket,
    connection: /** @type {any} */ ({ publish() {}, log: silentLog }),
    isValid: ({ key, value }) => isSetting(key, value),
  });
  const sharedHash = () => tables.get('settings', KEY).hash;
  const receive = (/** @type {unknown} */ value) =>
    tables.receive({ json: () => ({ table: 'settings', key: KEY, version: 9, node: 'b', value }) });
  const hashOf = async (/** @type {PasswordFile} */ each) => (await each.current())?.hash;
  const [file, other] = [await makeFile(), await makeFile()];
  /** @type {NodeJS.Timeout[]} */
  const timers = [];
  const every = (/** @type {number} */ ms, /** @type {() => unknown} */ action) =>
    void timers.push(setInterval(action, ms).unref());
  const fleet = { tables, log: silentLog, every };
  await file.set('correct horse');
  await sharePassword(fleet, file);
  assert.equal(sharedHash(), await hashOf(file), 'that of the first TV');
  await other.set('battery staple');
  await sharePassword(fleet, other);
  assert.equal(await hashOf(other), await hashOf(file), 'that of the fleet which a TV joins');

  timers.forEach((timer) => clearInterval(timer));
  await file.set('set while the TV was away');
  await sharePassword(fleet, file);
  assert.equal(sharedHash(), await hashOf(file));
  await file.set('set by a command');
  const here = await hashOf(file);
  await until(() => sharedHash() === here, 'the others learn it');

  await other.set('set at another TV');
  const there = await other.current();
  receive({ scheme: 'scrypt' });
  receive(there);
  await until(async () => (await hashOf(file)) === there?.hash, 'it is taken');
});
