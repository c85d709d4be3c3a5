/** Tests the addresses of clients with and without a reverse proxy. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { clientAddresses } from '../../app/server/client-address.js';
import { post } from '../support/http.js';
import { Client, faultyGame, metricsOf, startTv } from '../support/tv.js';

const games = [faultyGame];

/** @param {string | undefined} remoteAddress @param {string} [forwarded] */
const request = (remoteAddress, forwarded) =>
  /** @type {any} */ ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } });

test('X-Forwarded-For of a trusted proxy is used up to the first untrusted address', () => {
  const { of, isProxy } = clientAddresses(['10.0.0.0/8', 'loopback', 'fd00::7']);
  assert.equal(of(request('10.1.2.3', '192.168.1.5')), '192.168.1.5');
  assert.equal(of(request('::ffff:10.1.2.3', '192.168.1.5')), '192.168.1.5');
  assert.equal(of(request('127.0.0.1', 'fe80::1')), 'fe80::1');
  assert.equal(of(request('fd00::7', '1.2.3.4, 192.168.1.5, 10.9.9.9')), '192.168.1.5');
  assert.equal(of(request('192.168.1.6', '192.168.1.5')), '192.168.1.6', 'no proxy');
  assert.equal(of(request('fd00::8', '192.168.1.5')), 'fd00::8', 'no proxy');
  assert.ok(isProxy('10.255.0.1') && !isProxy('11.0.0.1') && !isProxy(''));
});

test('without a trusted proxy the header is ignored', () => {
  const { of, isProxy } = clientAddresses([]);
  assert.equal(of(request('127.0.0.1', '192.168.1.5')), '127.0.0.1');
  assert.ok(!isProxy('127.0.0.1'));
});

test('a header without a valid address is ignored', () => {
  const { of } = clientAddresses(['loopback']);
  for (const forwarded of [
    undefined,
    '',
    'unknown',
    '_hidden',
    '1.2.3.4:80',
    'x'.repeat(8000),
    ',',
  ]) {
    assert.equal(of(request('127.0.0.1', forwarded)), '127.0.0.1', String(forwarded).slice(0, 20));
  }
  assert.equal(of(request(undefined, '1.2.3.4')), '');
});

/** @param {string} address */
const from = (address) => ({ 'X-Forwarded-For': address });

test('limits per address apply to the clients behind a trusted proxy', async (t) => {
  const args = ['--trusted-proxy', 'loopback', '--max-clients-per-address', '1'];
  const tv = await startTv(t, { games, args, code: 'BCDFG' });
  const guesser = await Client.connect(tv, undefined, { headers: from('192.168.1.5') });
  for (let i = 0; i < 10; i++) {
    assert.equal(
      await guesser.refusal({ t: 'hello', role: 'pad', code: `WRON${i}` }),
      'PITV_CODE_WRONG',
    );
  }
  assert.equal(
    await guesser.refusal({ t: 'hello', role: 'pad', code: 'BCDFG' }),
    'PITV_CODE_LOCKED',
  );
  assert.equal((await metricsOf(tv)).get('pitv_wrong_codes'), 10);
  const second = Client.connect(tv, undefined, { headers: from('192.168.1.5') });
  await assert.rejects(second, /429/);
  const start = { game: 'faulty', code: 'BCDFG' };
  assert.equal((await post(tv, start, from('192.168.1.5'))).status, 429, 'the client is locked');
  assert.equal((await post(tv, start, from('192.168.1.6'))).status, 201);
  const other = await Client.connect(tv, undefined, { headers: from('192.168.1.6') });
  await other.ask({ t: 'hello', role: 'pad', code: 'BCDFG' }, 'welcome');
});

test('the connections of a trusted proxy do not count as those of one client', async (t) => {
  const args = ['--trusted-proxy', 'loopback', '--max-clients-per-address', '1'];
  const tv = await startTv(t, { games, args });
  const clients = Array.from({ length: 100 }, (_, i) =>
    Client.connect(tv, undefined, { headers: from(`192.168.1.${i}`) }),
  );
  await Promise.all(clients);
});
