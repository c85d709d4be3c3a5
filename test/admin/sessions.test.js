import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { hashPassword } from '../../app/admin/password.js';
import { AdminSessions, SESSIONS_FILE, SESSION_MS } from '../../app/admin/sessions.js';
import { silentLog as log } from '../../app/log.js';
import { Store } from '../../app/storage/store.js';
import { temporaryFolder } from '../support/tv.js';

const cheap = async () => Buffer.alloc(32, 7);
const record = await hashPassword('correct horse', cheap);
const otherRecord = await hashPassword('correct horse', async () => Buffer.alloc(32, 8));

test('a cookie is valid until its session ends', async () => {
  let now = 1_800_000_000_000;
  const store = new Store(temporaryFolder());
  const sessions = await AdminSessions.open(store, { log, clock: () => now });
  const cookie = sessions.start(record);
  const id = sessions.check(cookie, record);
  assert.ok(id);
  now += SESSION_MS - 1;
  assert.equal(sessions.check(cookie, record), id);
  now += 1;
  assert.equal(sessions.check(cookie, record), undefined, 'it has expired');
  await sessions.saved();
});

test('sessions survive a restart, and ended ones stay ended', async () => {
  const folder = temporaryFolder();
  const store = new Store(folder);
  const sessions = await AdminSessions.open(store, { log });
  const [kept, ended] = [sessions.start(record), sessions.start(record)];
  sessions.end(/** @type {string} */ (sessions.check(ended, record)));
  assert.equal(sessions.check(ended, record), undefined);
  await sessions.saved();
  const file = join(folder, SESSIONS_FILE);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.ok(!(await readFile(file, 'utf8')).includes(kept), 'the file gives nobody a session');
  const again = await AdminSessions.open(store, { log });
  assert.equal(again.cookieName, sessions.cookieName);
  assert.ok(again.check(kept, record));
  assert.equal(again.check(ended, record), undefined);
  assert.equal(again.check(kept, otherRecord), undefined, 'a new password ends the session');
  const elsewhere = await AdminSessions.open(new Store(temporaryFolder()), { log });
  assert.notEqual(again.cookieName, elsewhere.cookieName, 'two TVs may be on one host');
});

test('a broken file ends the sessions, and new ones can be started', async () => {
  const store = new Store(temporaryFolder());
  const session = { hash: 'a'.repeat(64), end: 1, salt: '' };
  const wrong = [{ hash: 'a' }, { end: -1 }, { salt: 5 }].map((field) => ({
    ...session,
    ...field,
  }));
  const lists = [5, [5], ...wrong.map((each) => [each]), Array(33).fill(session)];
  const texts = lists.map((sessions) => JSON.stringify({ name: '01234567', sessions }));
  for (const text of ['', '{', 'null', '{"name":"AAAA","sessions":[]}', ...texts]) {
    await store.write(SESSIONS_FILE, text);
    const sessions = await AdminSessions.open(store, { log });
    assert.ok(sessions.check(sessions.start(record), record));
    await sessions.saved();
  }
});

test('beyond the limit, the oldest session is ended, and a clock that jumps ends none', async (t) => {
  const sessions = await AdminSessions.open(new Store(temporaryFolder()), { log });
  const cookies = Array.from({ length: 40 }, () => sessions.start(record));
  const valid = cookies.filter((cookie) => sessions.check(cookie, record));
  assert.deepEqual(valid, cookies.slice(-32));
  const later = Date.now() + 400 * 24 * 3600 * 1000;
  t.mock.method(Date, 'now', () => later);
  assert.ok(sessions.check(valid[0], record));
  await sessions.saved();
});
