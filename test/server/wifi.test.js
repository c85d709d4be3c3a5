/** The page of the access point, and its API. */
import assert from 'node:assert/strict';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { problemText } from '../../app/web/lib/reports.js';
import { ACCESS_POINT as AP, RSN, startWithAccessPoint, station } from '../support/access-point.js';
import { ask as askTv } from '../support/http.js';
import { until } from '../support/tv.js';

/** @param {import('node:test').TestContext} t */
async function start(t) {
  const services = await startWithAccessPoint(t);
  const { tv, runtimeDir } = services;
  /** @param {string} path @param {Parameters<typeof askTv>[2]} [options] */
  const ask = async (path, options) => {
    const { status, headers, body } = await askTv(tv, path, options);
    return { status, location: headers.location, text: String(body) };
  };
  const console = () => readFile(join(runtimeDir, 'console'), 'utf8');
  return { ...services, ask, console };
}
const HOME = { name: 'Home "1" ', password: 'home password', country: 'DE' };

test('without an access point there is no page', async (t) => {
  const { ask, wifiDir, report, console } = await start(t);
  const paths = ['/wifi', '/wifi/main.js', '/wifi/index.html', '/api/wifi'];
  for (const path of paths) assert.equal((await ask(path)).status, 404, path);
  assert.equal((await ask('/api/wifi', { body: HOME })).status, 404);
  assert.equal((await ask('/generate_204')).status, 404);
  assert.equal((await ask('/')).status, 200);
  await report({});
  for (const path of paths) assert.equal((await ask(path)).status, 200, path);
  await rm(join(wifiDir, 'state'));
  await until(async () => (await ask('/wifi')).status === 404, 'the end of the page');
  await until(async () => !(await console()).includes(AP.password), 'the console');
});

test('only a client of the access point sees the page', async (t) => {
  const { ask, report, runtimeDir } = await start(t);
  await report({});
  for (const options of [
    { localAddress: '127.0.9.9' }, // from another network
    { hostname: '127.0.0.2' }, // to another address of the TV
  ]) {
    for (const path of ['/wifi', '/wifi/main.js', '/api/wifi', '/generate_204']) {
      assert.equal((await ask(path, options)).status, 404, path);
    }
    assert.equal((await ask('/api/wifi', { ...options, body: HOME })).status, 404);
    assert.equal((await ask('/', options)).status, 200);
  }
  await assert.rejects(stat(join(runtimeDir, 'wifi')), { code: 'ENOENT' });
  await report({ phase: 'joining' });
  assert.equal((await ask('/api/wifi')).status, 404, 'not while it is closed');
});

test('what a phone looks for in the network leads to the page', async (t) => {
  const { ask, report, tv } = await start(t);
  await report({});
  const location = `http://127.0.0.1:${tv.port}/wifi`;
  for (const [host, path] of [
    ['connectivitycheck.gstatic.com', '/generate_204'],
    ['captive.apple.com', '/hotspot-detect.html'],
    ['www.msftconnecttest.com', '/connecttest.txt'],
    ['example.org', '/any/path?x=1'],
    [`127.0.0.1:${tv.port}`, '/generate_204'],
    [`127.0.0.1:${tv.port}`, '/'],
  ]) {
    const answer = await ask(path, { headers: { host } });
    assert.deepEqual([answer.status, answer.location], [302, location], `${host}${path}`);
  }
  assert.equal((await ask('/healthz')).status, 200);
});

test('the API lists networks and takes one, with no password in any answer', async (t) => {
  const { ask, report, runtimeDir, wifiDir } = await start(t);
  await writeFile(join(wifiDir, 'scan'), station('Home', -40, RSN));
  await report({ problem: 'The Wi-Fi does not accept the password.' });
  const { text } = await ask('/api/wifi');
  assert.deepEqual(JSON.parse(text), {
    networks: [{ name: 'Home', secured: true, signalDbm: -40 }],
    problem: 'The Wi-Fi does not accept the password.',
  });
  const open = await ask('/api/wifi', { body: { name: 'Home', password: '' } });
  assert.match(open.text, /PITV_WIFI_PASSWORD/, 'it would join any open network of this name');
  assert.equal((await ask('/api/wifi', { body: HOME })).status, 202);
  const file = join(runtimeDir, 'wifi');
  const lines = ['wifi-name-hex = 486f6d652022312220', 'wifi-password = "home password"'];
  assert.equal(await readFile(file, 'utf8'), [...lines, 'wifi-country = DE', ''].join('\n'));
  assert.equal((await stat(file)).mode & 0o077, 0, 'only the TV and root can read it');
  assert.equal((await ask('/api/wifi', { body: HOME })).status, 409, 'one at a time');
  const problem = async () => JSON.parse((await ask('/api/wifi')).text).problem;
  assert.equal(await problem(), '', 'the answer to this request is not known yet');
  await report({ problem: 'The Wi-Fi does not accept the password.' });
  assert.equal(await problem(), 'The Wi-Fi does not accept the password.', 'the same again');
});

test('a request cannot add settings, and is limited in size', async (t) => {
  const { ask, report, runtimeDir } = await start(t);
  await report({});
  for (const body of [
    { ...HOME, password: '12345678"\nssh-key = evil' },
    { ...HOME, country: 'DE\rhostname = evil' },
    { ...HOME, name: 'x'.repeat(257) },
    { ...HOME, name: 1 },
    { ...HOME, name: '' },
    { ...HOME, password: ['12345678'] },
    null,
    [],
  ]) {
    assert.equal((await ask('/api/wifi', { body })).status, 400, JSON.stringify(body));
  }
  assert.equal((await ask('/api/wifi', { body: { ...HOME, x: 'x'.repeat(1e6) } })).status, 413);
  const evil = { origin: 'http://evil.example' };
  assert.equal((await ask('/api/wifi', { body: HOME, headers: evil })).status, 403);
  await assert.rejects(stat(join(runtimeDir, 'wifi')), { code: 'ENOENT' });
});

test('the browser and the console of the television show how to choose a Wi-Fi', async (t) => {
  const { tv, report, console } = await start(t);
  const { status } = tv.services;
  await report({ problem: 'There is no Wi-Fi with this name in range.' });
  const [sentence] = await until(() => status.problems.length > 0 && status.problems, 'one');
  assert.match(sentence, /pitv-setup \(password: abcdefgh23\), then open http:\/\/127\.0\.0\.1 /);
  assert.match(problemText(sentence, 'ko'), /네트워크가 없어요.*abcdefgh23/);
  const text = await until(async () => {
    const shown = await console();
    return shown.includes(AP.password) && shown;
  }, 'the console');
  assert.match(text, /pitv-setup[^]*abcdefgh23[^]*http:\/\/127\.0\.0\.1\b/);
  assert.match(text, /^ ! There is no Wi-Fi with this name in range\.$/m);
  const lines = text.split('\n');
  assert.ok(lines.length <= 25, `${lines.length} lines`);
  for (const line of lines) assert.ok([...line].length <= 80, line);
  await report({ phase: 'joining' });
  await until(() => status.problems.length === 0, 'the end of the problem');
  await until(async () => /Joining the Wi-Fi/.test(await console()), 'the console');
  assert.ok(!(await console()).includes(AP.password));
});
