/** Tests the served pages and their headers. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ask } from '../support/http.js';
import { games, startTv } from '../support/tv.js';

const APP = fileURLToPath(new URL('../../app', import.meta.url));
const tv = await startTv({ after }, { games });

test('pages are compressed and have an ETag for revalidation', async () => {
  for (const [path, file] of [
    ['/', 'web/screen/index.html'],
    ['/pad', 'web/pad/index.html'],
    ['/admin', 'web/admin/index.html'],
    ['/too-old', 'web/old/index.html'],
    ['/game/frame.js', 'game/frame.js'],
    ['/game/input.js', 'game/input.js'],
    ['/match/player-colors.js', 'match/player-colors.js'],
    ['/lib/connection.js', 'web/lib/connection.js'],
  ]) {
    const answer = await fetch(tv.url + path);
    assert.equal(answer.status, 200, path);
    const text = (await answer.text()).replace('<html data-volume="70" ', '<html ');
    assert.equal(text, await readFile(join(APP, file), 'utf8'), path);
    const etag = String(answer.headers.get('etag'));
    assert.match(etag, /"/);
    assert.equal(answer.headers.get('cache-control'), 'no-cache');
    const headers = { 'if-none-match': etag };
    assert.equal((await ask(tv, path, { headers })).status, 304, path);
  }
  const packed = await ask(tv, '/game/frame.js', { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(packed.headers['content-encoding'], 'gzip');
  assert.ok(packed.body.length < (await stat(join(APP, 'game/frame.js'))).size / 2);
});

const old = fileURLToPath(new URL('../../build/web/pad.js', import.meta.url));
const skip = !existsSync(old) && 'make pages has not been run';

test('the version for old browsers is served with an ETag', { skip }, async () => {
  const answer = await fetch(`${tv.url}/old/pad.js`);
  assert.equal(await answer.text(), await readFile(old, 'utf8'));
  assert.match(answer.headers.get('content-type') ?? '', /javascript; charset=utf-8/);
  const headers = { 'if-none-match': String(answer.headers.get('etag')) };
  assert.equal((await ask(tv, '/old/pad.js', { headers })).status, 304);
});

test('the link in the QR code redirects to the pad with the code and a language', async () => {
  const { status, headers } = await ask(tv, `/p?c=${tv.code}&lang=ko`);
  assert.deepEqual([status, headers.location], [302, `/pad?c=${tv.code}&lang=ko`]);
  for (const odd of ['/p', '/p?c[]=1', '/p?c=%0d%0aX:1', '/p?c=//evil.example']) {
    const answer = await ask(tv, odd);
    assert.match(answer.headers.location, /^\/pad(\?c=[\w.%]*)?$/, odd);
  }
});

test('the Content-Security-Policy restricts pages to this host', async () => {
  const { headers } = await fetch(tv.url);
  const policy = String(headers.get('content-security-policy'));
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'self'(;|$)/);
  assert.match(policy, /style-src 'self'(;|$)/);
  assert.match(policy, /img-src 'self' data: blob:/);
  const sockets = `connect-src 'self' ws://127.0.0.1:${tv.port} wss://127.0.0.1`;
  assert.ok(policy.includes(sockets), policy);
  assert.ok(!/unsafe|\*|https?:/.test(policy), policy);
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('strict-transport-security'), null, 'the TV uses plain HTTP');
  assert.equal(headers.get('x-powered-by'), null);
  const odd = await ask(tv, '/', { headers: { host: 'x; script-src *' } });
  assert.ok(!String(odd.headers['content-security-policy']).includes('*'));
});

test('only files of the pages are served', async () => {
  for (const path of [
    '/../package.json',
    '/%2e%2e/package.json',
    '/lib/../../tv.js',
    '/lib/..%2f..%2ftv.js',
    '/screen/%00',
    '/.git/config',
    '//etc/passwd',
    '/lib',
    '/nothing',
  ]) {
    const { status, headers, body } = await ask(tv, path);
    assert.ok(status >= 400 && status < 500, `${path}: ${status}`);
    assert.match(headers['content-type'], /json/);
    assert.match(JSON.parse(String(body)).error.code, /^PITV_/);
  }
});
