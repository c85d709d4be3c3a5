/** Tests HTTPS: `--tls-cert` and `--tls-key`. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { connect as connectTls } from 'node:tls';
import { readCertificate } from '../../app/server/certificate.js';
import { makeCertificate } from '../support/certificate.js';
import { ask } from '../support/http.js';
import { startServe } from '../support/serve.js';
import { closed, openSocket } from '../support/wire.js';
import { Client, games, startTv, temporaryFolder, until } from '../support/tv.js';
import { refusedStatus } from './refusals.js';

/** @typedef {Awaited<ReturnType<typeof makeCertificate>>} Certificate */

/** @param {Certificate} certificate */
const optionsOf = ({ cert, key }) => ['--tls-cert', cert, '--tls-key', key];

/** Starts a TV with a certificate. @param {import('node:test').TestContext} t */
async function startSecure(t) {
  const certificate = await makeCertificate(temporaryFolder(), 'tv');
  const tv = await startTv(t, { games, args: optionsOf(certificate) });
  return { tv, ca: certificate.pem };
}

test('pages, websockets and addresses use HTTPS, and a page that was loaded over plain HTTP is another origin', async (t) => {
  const { tv, ca } = await startSecure(t);
  assert.match(tv.url, /^https:/);
  for (const url of [...tv.join.urls, tv.join.joinUrl]) assert.match(url, /^https:/);
  assert.equal((await ask(tv, '/healthz', { ca })).status, 200);
  const options = { ca, origin: tv.url };
  const screen = await Client.connect(tv, { t: 'hello', role: 'screen' }, options);
  const { joinUrl } = await screen.next('lobby');
  assert.equal(joinUrl, tv.join.joinUrl);
  const pad = await Client.connect(tv, { t: 'hello', role: 'pad', code: tv.code }, options);
  pad.send({ t: 'start', game: 'faulty' });
  await screen.moreFrames(3);
  assert.equal(await refusedStatus(tv, { ca, origin: tv.url.replace('https', 'http') }), 403);
});

/** Suites of TLS 1.2 by the type of the certificate's key, and whether the TV accepts them. */
const SUITES = /** @type {const} */ ([
  ['ec', 'ECDHE-ECDSA-AES128-GCM-SHA256', true],
  ['ec', 'ECDHE-ECDSA-CHACHA20-POLY1305', true],
  ['ec', 'ECDHE-ECDSA-AES128-SHA', false],
  ['ec', 'ECDHE-ECDSA-AES256-SHA384', false],
  ['rsa', 'ECDHE-RSA-AES128-GCM-SHA256', true],
  ['rsa', 'ECDHE-RSA-AES256-GCM-SHA384', true],
  ['rsa', 'ECDHE-RSA-AES256-SHA384', false],
  ['rsa', 'AES128-GCM-SHA256', false],
  ['rsa', 'AES256-SHA', false],
]);

test('TLS 1.2 is accepted with forward secrecy and authenticated encryption only', async (t) => {
  const folder = temporaryFolder();
  const open = async (/** @type {string} */ name, /** @type {string[]} */ ...type) => {
    const certificate = await makeCertificate(folder, name, type.length > 0 ? type : undefined);
    const { port } = await startTv(t, { games, args: optionsOf(certificate) });
    return { port, ca: certificate.pem };
  };
  const tvs = { ec: await open('ec'), rsa: await open('rsa', '-newkey', 'rsa:2048') };
  /** @param {import('node:tls').ConnectionOptions} options @returns {Promise<string>} the suite, or an error's code */
  const handshake = (options) =>
    new Promise((resolve) => {
      const socket = connectTls({ host: '127.0.0.1', ...options }, () => {
        resolve(socket.getCipher().name);
        socket.destroy();
      });
      socket.on('error', ({ code = '' }) => resolve(code));
    });
  for (const [type, ciphers, isAccepted] of SUITES) {
    const result = await handshake({ ...tvs[type], ciphers, maxVersion: 'TLSv1.2' });
    const refused = 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE';
    const expected = isAccepted ? [ciphers] : [refused, refused.replace('SSLV3', 'SSL/TLS')];
    assert.ok(expected.includes(result), `${ciphers}: ${result}`);
  }
  assert.match(await handshake(tvs.ec), /^TLS_/, 'TLS 1.3');
  const old = { ciphers: 'DEFAULT@SECLEVEL=0', minVersion: 'TLSv1', maxVersion: 'TLSv1.1' };
  assert.match(
    await handshake({ ...tvs.ec, .../** @type {import('node:tls').SecureContextOptions} */ (old) }),
    /^ERR_SSL_/,
  );
});

test('the name of --public-url is for HTTPS only, other names and addresses are not, nor is HTTP behind a proxy', async (t) => {
  const args = ['--public-url', 'https://tv.example:8443', '--trusted-proxy', 'loopback'];
  const tv = await startTv(t, { games, args });
  const policy = async (/** @type {string} */ host, protocol = 'https') => {
    const headers = { host, 'x-forwarded-proto': protocol };
    return (await ask(tv, '/healthz', { headers })).headers['strict-transport-security'];
  };
  for (const host of ['tv.example', 'TV.example:8443']) {
    assert.equal(await policy(host), 'max-age=2592000', host);
  }
  const others = [`127.0.0.1:${tv.port}`, 'localhost', 'tv.local', 'tv'];
  for (const host of others) assert.equal(await policy(host), undefined, host);
  assert.equal(await policy('tv.example', 'http'), undefined);
});

test('a connection without TLS or with an unfinished handshake is closed', async (t) => {
  const { tv } = await startSecure(t);
  const plain = await openSocket(t, tv);
  plain.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  plain.resume();
  await closed(plain);
  await until(() => tv.server.sockets === 0, 'the connection to be ended');
  await openSocket(t, tv);
  await until(() => tv.server.sockets === 1, 'the silent connection');
  await tv.stop(); // does not wait for the handshake
});

test('an unusable certificate or key is an error that names the option', async (t) => {
  const folder = temporaryFolder();
  const one = await makeCertificate(folder, 'one');
  const two = await makeCertificate(folder, 'two');
  const rubbish = join(folder, 'rubbish');
  await writeFile(rubbish, 'rubbish');
  for (const [tlsCert, tlsKey, code] of [
    [join(folder, 'missing'), one.key, 'PITV_TLS_FILE'],
    [one.cert, join(folder, 'missing'), 'PITV_TLS_FILE'],
    [folder, one.key, 'PITV_TLS_FILE'],
    [rubbish, one.key, 'PITV_TLS_INVALID'],
    [one.cert, rubbish, 'PITV_TLS_INVALID'],
    [one.key, one.cert, 'PITV_TLS_INVALID'],
    [one.cert, two.key, 'PITV_TLS_MISMATCH'],
  ]) {
    await assert.rejects(readCertificate({ tlsCert, tlsKey }), { code, message: /^[^\n]+\.$/ });
  }
  const started = startTv(t, { games, args: ['--tls-cert', one.cert, '--tls-key', two.key] });
  await assert.rejects(started, { code: 'PITV_TLS_MISMATCH' });
});

test('SIGHUP reloads the certificate, and keeps the current one if the file is unusable', async (t) => {
  const folder = temporaryFolder();
  const one = await makeCertificate(folder, 'one');
  const two = await makeCertificate(folder, 'two');
  const used = { cert: join(folder, 'used.crt'), key: join(folder, 'used.key'), pem: '' };
  /** @param {Certificate} certificate */
  const install = async ({ cert, key }) => {
    await copyFile(cert, used.cert);
    await copyFile(key, used.key);
  };
  await install(one);
  const tv = await startServe(t, '--engine', 'thread', ...optionsOf(used));
  const subject = async () => {
    const socket = connectTls({ port: tv.port, host: tv.host, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return CN;
  };
  assert.equal(await subject(), 'one');
  await install(two);
  tv.signal(tv.pid, 'SIGHUP');
  await until(async () => (await subject()) === 'two', 'the new certificate');
  await writeFile(used.cert, 'rubbish');
  tv.signal(tv.pid, 'SIGHUP');
  await until(() => tv.log.includes('the current one stays in use'), 'the failure in the log');
  assert.equal(await subject(), 'two');
});
