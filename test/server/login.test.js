/** Tests the admin's login over HTTP. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { PasswordFile } from '../../app/admin/password-file.js';
import { Store } from '../../app/storage/store.js';
import { startTv, temporaryFolder } from '../support/tv.js';
import { quickHash } from './refusals.js';

const PASSWORD = 'correct horse';
const login = { hash: quickHash };

/** Makes a client that sends its origin and keeps the cookie. @param {import('../../app/tv.js').Tv} tv */
function browser(tv) {
  return {
    cookie: '',
    /** @param {string} path @param {object} [body] @param {Record<string, string>} [headers] */
    async post(path, body, headers = {}) {
      const answer = await fetch(`${tv.url}${path}`, {
        method: 'POST',
        headers: {
          origin: tv.url,
          ...(this.cookie && { cookie: this.cookie }),
          ...(body && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body && JSON.stringify(body),
      });
      const set = answer.headers.get('set-cookie');
      if (set) this.cookie = set.split(';')[0];
      const { code = '' } = answer.ok ? {} : (await answer.json()).error;
      return { status: answer.status, code, set, retry: answer.headers.get('retry-after') };
    },
    /** @param {string} [password] @param {Record<string, string>} [headers] */
    logIn(password = PASSWORD, headers) {
      return this.post('/api/admin/login', { password }, headers);
    },
    /** @returns {Promise<any>} */
    async session() {
      const headers = { cookie: this.cookie };
      return (await fetch(`${tv.url}/api/admin/session`, { headers })).json();
    },
    /** @param {string} [given] */
    async measurements(given) {
      const cookie = given ?? this.cookie;
      return (await fetch(`${tv.url}/api/measurements`, { headers: { cookie } })).status;
    },
  };
}

/** @param {import('../../app/tv.js').Tv} tv @param {string} [password] */
async function setPassword(tv, password = PASSWORD) {
  const authorization = `Bearer ${tv.admin.token}`;
  const owner = browser(tv);
  const { status } = await owner.post('/api/admin/password', { password }, { authorization });
  assert.equal(status, 204);
  return owner;
}

const tv = await startTv({ after }, { login });
const admin = await setPassword(tv);

test('the first password is set with the token, and then the admin can log in with it', async (t) => {
  const tv = await startTv(t); // with scrypt
  const user = browser(tv);
  assert.deepEqual(await user.session(), { admin: false, by: null, passwordSet: false });
  const unset = await user.logIn();
  assert.deepEqual([unset.status, unset.code], [409, 'PITV_PASSWORD_UNSET']);
  const stranger = await user.post('/api/admin/password', { password: PASSWORD });
  assert.deepEqual([stranger.status, stranger.code], [401, 'PITV_ADMIN_ONLY']);
  const wrongToken = { authorization: `Bearer ${tv.admin.token}x` };
  const guess = await user.post('/api/admin/password', { password: PASSWORD }, wrongToken);
  assert.equal(guess.status, 401);

  const owner = await setPassword(tv);
  assert.deepEqual(await owner.session(), { admin: true, by: 'session', passwordSet: true });
  const wrong = await user.logIn('wrong horse');
  assert.deepEqual([wrong.status, wrong.code], [403, 'PITV_PASSWORD_WRONG']);
  assert.equal(await user.measurements(), 401);
  const right = await user.logIn();
  assert.equal(right.status, 204);
  assert.match(String(right.set), /^pitv_[0-9a-f]{8}=[^;]+; Max-Age=604800; Path=\/;/);
  for (const attribute of ['HttpOnly', 'SameSite=Strict']) {
    assert.ok(String(right.set).includes(attribute), `${attribute} in ${right.set}`);
  }
  assert.equal(await user.measurements(), 200);
});

test('a session gives access to the same requests as the token', async () => {
  const started = await admin.post('/api/matches', { game: 'collide', options: { bodies: 20 } });
  assert.equal(started.status, 201);
  const { matches } = await (await fetch(`${tv.url}/api/matches`)).json();
  const stop = (/** @type {Record<string, string>} */ headers) =>
    fetch(`${tv.url}/api/matches/${matches[0].id}`, { method: 'DELETE', headers });
  assert.equal((await stop({})).status, 403);
  const noOrigin = await stop({ cookie: admin.cookie });
  assert.deepEqual([noOrigin.status, (await noOrigin.json()).error.code], [403, 'PITV_ORIGIN']);
  const foreign = await stop({ cookie: admin.cookie, origin: 'http://127.0.0.1:1' });
  assert.equal(foreign.status, 403, 'another port is another origin');
  assert.equal((await stop({ cookie: admin.cookie, origin: tv.url })).status, 204);
});

test('a login without an Origin or from another origin is refused', async () => {
  const body = JSON.stringify({ password: PASSWORD });
  const headers = { 'content-type': 'application/json' };
  const url = `${tv.url}/api/admin/login`;
  const plain = await fetch(url, { method: 'POST', headers, body });
  assert.equal(plain.status, 403);
  assert.equal(plain.headers.get('set-cookie'), null);
  const foreign = await browser(tv).logIn(PASSWORD, { origin: 'http://evil.example' });
  assert.deepEqual([foreign.status, foreign.set], [403, null]);
});

test('a cookie is not valid after logout', async () => {
  const user = browser(tv);
  await user.logIn();
  const stolen = user.cookie;
  const out = await user.post('/api/admin/logout');
  assert.equal(out.status, 204);
  assert.match(String(out.set), /=; Path=\/; Expires=Thu, 01 Jan 1970/);
  assert.equal(await user.measurements(stolen), 401);
  assert.equal(await admin.measurements(), 200, 'another browser stays logged in');
});

test('forged cookies are refused, also many of them', async () => {
  const [name, value] = admin.cookie.split('=');
  const forged = [
    `${name}=`,
    `${name}x=${value}`,
    `x${name}=${value}`,
    `${name}=${value}x`,
    `${name}=%00; ${name}`,
    `${name}=x; ${name}=${value}`.replace(value, 'y'),
    ';'.repeat(4000),
  ];
  for (const cookie of forged) assert.equal(await admin.measurements(cookie), 401, cookie);
  assert.equal(await admin.measurements(`a=b; ${admin.cookie}; c`), 200);
});

test('a change of the password needs the current one and ends all other sessions', async (t) => {
  const dataDir = temporaryFolder();
  const tv = await startTv(t, { dataDir, login });
  const owner = await setPassword(tv);
  const other = browser(tv);
  await other.logIn();
  const change = (/** @type {object} */ body) => owner.post('/api/admin/password', body);
  assert.equal((await change({ password: 'another horse' })).code, 'PITV_BODY_INVALID');
  const wrong = await change({ password: 'another horse', current: 'wrong horse' });
  assert.deepEqual([wrong.status, wrong.code], [403, 'PITV_PASSWORD_WRONG']);
  const weak = await change({ password: 'short', current: PASSWORD });
  assert.deepEqual([weak.status, weak.code], [400, 'PITV_PASSWORD_INVALID']);
  assert.equal(await other.measurements(), 200);
  const before = owner.cookie;
  assert.equal((await change({ password: 'another horse', current: PASSWORD })).status, 204);
  assert.equal(await owner.measurements(), 200, 'the browser that changed it stays logged in');
  assert.equal(await owner.measurements(before), 401);
  assert.equal(await other.measurements(), 401);
  assert.equal((await other.logIn()).status, 403);

  // Like `pitv passwd` while the TV is running.
  await new PasswordFile(new Store(dataDir), { hash: quickHash }).set('from the shell');
  assert.equal(await owner.measurements(), 401);
  assert.equal((await other.logIn('from the shell')).status, 204);
});

test('bodies with other types are refused', async () => {
  const user = browser(tv);
  for (const body of [{}, { password: 5 }, { password: null }, { password: ['x'] }, []]) {
    assert.equal((await user.post('/api/admin/login', body)).code, 'PITV_BODY_INVALID');
  }
  const long = await user.post('/api/admin/login', { password: 'x'.repeat(5000) });
  assert.equal(long.status, 413);
  assert.equal((await user.post('/api/admin/login', undefined)).status, 400);
});

test('after wrong passwords the right one is locked, too, and the token still works', async (t) => {
  const one = { perSecond: 0.001, burst: 3 };
  const tv = await startTv(t, { login: { ...login, attempts: { one } } });
  await setPassword(tv);
  const user = browser(tv);
  for (let i = 0; i < 5; i++) {
    assert.equal((await user.logIn()).status, 204);
  }
  for (let i = 0; i < 3; i++) {
    assert.equal((await user.logIn(`guess ${i}`)).status, 403);
  }
  const locked = await user.logIn();
  assert.deepEqual([locked.status, locked.code], [429, 'PITV_LOGIN_LOCKED']);
  assert.ok(Number(locked.retry) > 0);
  assert.equal(await user.measurements(), 200, 'the session stays valid');
  await setPassword(tv, 'set by the token');
});

test('passwords are hashed one at a time, and a login that finds no place to wait is refused', async (t) => {
  let pause = Promise.resolve();
  /** @type {import('../../app/admin/password.js').Hash} */
  const hash = (password, record) => pause.then(() => quickHash(password, record));
  const tv = await startTv(t, { login: { hash, maxWaiting: 0 } });
  await setPassword(tv);
  let goOn = () => {};
  pause = new Promise((resolve) => (goOn = resolve));
  const both = [1, 2].map(() => browser(tv).logIn());
  const { status, code, retry } = await Promise.race(both);
  assert.deepEqual([status, code], [503, 'PITV_LOGIN_BUSY']);
  assert.ok(Number(retry) > 0);
  goOn();
  const statuses = (await Promise.all(both)).map((answer) => answer.status);
  assert.deepEqual(statuses.sort(), [204, 503]);
});

test('the password of --admin-password-file is imported, and a cookie that is set over TLS is secure', async (t) => {
  const given = join(temporaryFolder(), 'password.txt');
  await writeFile(given, `${PASSWORD}\n`);
  const args = ['--admin-password-file', given, '--public-url', 'https://tv.example'];
  const tv = await startTv(t, { args, login });
  const { status, set } = await browser(tv).logIn(PASSWORD, { origin: 'https://tv.example' });
  assert.equal(status, 204);
  assert.match(String(set), /; Secure/);
});
