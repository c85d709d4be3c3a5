import assert from 'node:assert/strict';
import test from 'node:test';
import { clientKey, networkKey } from '../../app/limits/client-key.js';

test('a /64 of global IPv6 is one client', () => {
  const key = clientKey('2001:db8:1:2::1');
  for (const address of ['2001:db8:1:2:aaaa::9', '2001:DB8:1:2:0:0:0:3', '2001:0db8:0001:0002::']) {
    assert.equal(clientKey(address), key, address);
  }
  for (const address of ['2001:db8:1:3::1', '2001:db8::1', '::1']) {
    assert.notEqual(clientKey(address), key, address);
  }
});

test('each link-local and unique local address is a client', () => {
  const addresses = [
    'fe80::1%wlan0',
    'fe80::1%eth0',
    'fe80::2%wlan0',
    'febf::1',
    'fc00::1',
    'fd00::1',
  ];
  const keys = [...addresses, 'fd00::2'].map(clientKey);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(clientKey('fe80:0:0::0001%wlan0'), clientKey('fe80::1%wlan0'));
  assert.equal(clientKey('fec0::1'), clientKey('fec0::2'), 'fec0::/10 is not link-local');
});

test('an IPv4 address is a client, also mapped into IPv6', () => {
  const addresses = ['10.0.0.1', '::ffff:10.0.0.1', '::FFFF:10.0.0.1', '::ffff:a00:1'];
  for (const address of addresses) assert.equal(clientKey(address), '10.0.0.1', address);
  assert.equal(clientKey('::ffff:192.168.100.200'), '192.168.100.200');
  assert.equal(clientKey('2001:db8::ffff:10.0.0.1'), '2001:db8:0:0::/64');
});

test('a key has all groups that count, and the zone of a link', () => {
  for (const [address, client, network] of [
    ['fe80::1', 'fe80:0:0:0:0:0:0:1', 'fe80:0:0:0::/64'],
    ['fe80::1%wlan0', 'fe80:0:0:0:0:0:0:1%wlan0', 'fe80:0:0:0::/64%wlan0'],
    ['fd00:1::a%eth0', 'fd00:1:0:0:0:0:0:a', 'fd00:1:0:0::/64'],
    ['fd00:1', 'fd00:1:0:0:0:0:0:0', 'fd00:1:0:0::/64'],
    ['fd00:1:2:3:4:5:6:7:8', 'fd00:1:2:3:4:5:6:7', 'fd00:1:2:3::/64'],
    ['10.0.0.1', '10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1', '10.0.0.1'],
    ['::1', '0:0:0:0::/64', '0:0:0:0::/64'],
  ]) {
    assert.deepEqual([clientKey(address), networkKey(address)], [client, network], address);
  }
});

test('any text has a key', () => {
  for (const text of [
    '',
    ':',
    '::',
    ':::::::::::',
    '%',
    'unknown',
    '::ffff:',
    'fe80::%',
    '1:2:3',
  ]) {
    assert.equal(typeof clientKey(text), 'string', text);
  }
});
