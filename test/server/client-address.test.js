/** Tests the addresses of clients with and without a reverse proxy. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { clientAddresses } from '../../app/server/origins.js';
import { post } from '../support/http.js';
import { Client, games, metricsOf, startTv } from '../support/tv.js';

/** @param {string | undefined} remoteAddress @param {string} [forwarded] */
const request = (remoteAddress, forwarded) =>
  /** @type {any} */ ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } });

test('the last address that no trusted proxy has is that of the client', () => {
  const { of, isProxy } = clientAddresses(['10.0.0.0/8', 'loopback', 'fd00::7']);
  for (const [remote, forwarded, client] of [
    ['10.1.2.3', '192.168.1.5', '192.168.1.5'],
    ['::ffff:10.1.2.3', '192.168.1.5', '192.168.1.5'],
    ['127.0.0.1', 'fe80::1', 'fe80::1'],
    ['fd00::7', '1.2.3.4, 192.168.1.5, 10.9.9.9', '192.168.1.5'],
    ['192.168.1.6', '192.168.1.5', '192.168.1.6'], // no proxy
    ['fd00::8', '192.168.1.5', 'fd00::8'],
    [undefined, '1.2.3.4', ''],
    ...[undefined, '', 'unknown', '_hidden', '1.2.3.4:80', 'x'.repeat(8000), ','].map((invalid) => [
      '127.0.0.1',
      invalid,
      '127.0.0.1',
    ]),
  ]) {
    assert.equal(of(request(remote, forwarded)), client, `${remote} ${forwarded?.slice(0, 20)}`);
  }
  assert.ok(isProxy('10.255.0.1') && !isProxy('11.0.0.1') && !isProxy(''));
  const none = clientAddresses([]);
  assert.equal(none.of(request('127.0.0.1', '192.168.1.5')), '127.0.0.1');
  assert.ok(!none.isProxy('127.0.0.1'));
});

/** @param {string} address */
const from = (address) => ({ 'X-Forwarded-For': address });

test('limits per address apply to the clients behind a trusted proxy', async (t) => {
  const args = ['--trusted-proxy', 'loopback', '--max-clients-per-address', '1'];
  const tv = await startTv(t, { games, args });
  const many = Array.from({ length: 100 }, (_, i) =>
    Client.connect(tv, undefined, { headers: from(`192.168.2.${i}`) }),
  );
  await Promise.all(many); // those of the proxy do not count as one client
  const { code } = tv;
  const hello = { t: 'hello', role: 'pad', code };
  const guesser = await Client.connect(tv, undefined, { headers: from('192.168.1.5') });
  for (let i = 0; i < 10; i++) {
    assert.equal(await guesser.refusal({ ...hello, code: `WRON${i}` }), 'PITV_CODE_WRONG');
  }
  assert.equal(await guesser.refusal(hello), 'PITV_CODE_LOCKED');
  assert.equal((await metricsOf(tv)).get('pitv_wrong_codes'), 10);
  const second = Client.connect(tv, undefined, { headers: from('192.168.1.5') });
  await assert.rejects(second, /429/);
  const start = { game: 'faulty', code };
  assert.equal((await post(tv, start, from('192.168.1.5'))).status, 429, 'the client is locked');
  assert.equal((await post(tv, start, from('192.168.1.6'))).status, 201);
  const other = await Client.connect(tv, undefined, { headers: from('192.168.1.6') });
  await other.ask(hello, 'welcome');
});
