import assert from 'node:assert/strict';
import test from 'node:test';
import { clientKey, isThisMachine, networkKey } from '../../app/limits/client-key.js';

const [GLOBAL, UNSPECIFIED] = ['2001:db8:1:2::/64', '0:0:0:0::/64'];
/** Addresses, and the keys of their client and their network. */
const KEYS = [
  // A /64 of global IPv6 is one client.
  ['2001:db8:1:2::1', GLOBAL, GLOBAL],
  ['2001:db8:1:2:aaaa::9', GLOBAL, GLOBAL],
  ['2001:DB8:1:2:0:0:0:3', GLOBAL, GLOBAL],
  ['2001:0db8:0001:0002::', GLOBAL, GLOBAL],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64', '2001:db8:1:3::/64'],
  ['2001:db8::ffff:10.0.0.1', '2001:db8:0:0::/64', '2001:db8:0:0::/64'],
  ['fec0::1', 'fec0:0:0:0::/64', 'fec0:0:0:0::/64'], // not link-local
  ['::1', '0:0:0:0:0:0:0:1', UNSPECIFIED],
  ['::2', UNSPECIFIED, UNSPECIFIED],
  ['::127.0.0.1', UNSPECIFIED, UNSPECIFIED],
  // Each link-local and unique local address is one, by its link.
  ['fe80::1', 'fe80:0:0:0:0:0:0:1', 'fe80:0:0:0::/64'],
  ['fe80::1%wlan0', 'fe80:0:0:0:0:0:0:1%wlan0', 'fe80:0:0:0::/64%wlan0'],
  ['fe80:0:0::0001%wlan0', 'fe80:0:0:0:0:0:0:1%wlan0', 'fe80:0:0:0::/64%wlan0'],
  ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1%eth0', 'fe80:0:0:0::/64%eth0'],
  ['febf::1', 'febf:0:0:0:0:0:0:1', 'febf:0:0:0::/64'],
  ['fc00::1', 'fc00:0:0:0:0:0:0:1', 'fc00:0:0:0::/64'],
  ['fd00:1::a%eth0', 'fd00:1:0:0:0:0:0:a', 'fd00:1:0:0::/64'],
  ['fd00:1', 'fd00:1:0:0:0:0:0:0', 'fd00:1:0:0::/64'],
  ['fd00:1:2:3:4:5:6:7:8', 'fd00:1:2:3:4:5:6:7', 'fd00:1:2:3::/64'],
  // An IPv4 address is one, also mapped into IPv6.
  ['10.0.0.1', '10.0.0.1', '10.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1', '10.0.0.1'],
  ['::FFFF:10.0.0.1', '10.0.0.1', '10.0.0.1'],
  ['::ffff:a00:1', '10.0.0.1', '10.0.0.1'],
  ['::ffff:192.168.100.200', '192.168.100.200', '192.168.100.200'],
];

test('the keys of an address have all groups that count, and the zone of a link', () => {
  for (const [address, client, network] of KEYS) {
    assert.deepEqual([clientKey(address), networkKey(address)], [client, network], address);
  }
});

test('this machine has two addresses, and no other host has its keys', () => {
  const addresses = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '0:0::0001'];
  for (const address of addresses) assert.ok(isThisMachine(clientKey(address)), address);
  for (const [address] of [['127.0.0.2'], ...KEYS].filter(([each]) => !addresses.includes(each))) {
    assert.ok(!isThisMachine(clientKey(address)), address);
  }
});

test('any text has a key', () => {
  const texts = ['', ':', '::', ':::::::::::', '%', 'unknown', '::ffff:', 'fe80::%', '1:2:3'];
  for (const text of texts) assert.equal(typeof clientKey(text), 'string', text);
});
