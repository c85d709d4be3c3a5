import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import test from 'node:test';
import { hasNetwork, lanAddresses, reachableUrls } from '../../app/system/addresses.js';

/** @param {string} address @param {boolean} [internal] @param {'IPv4' | 'IPv6'} [family] */
const info = (address, internal = false, family = 'IPv4') =>
  /** @type {any} */ ({ address, internal, family });

const WHERE = {
  scheme: /** @type {const} */ ('http'),
  host: '0.0.0.0',
  port: 8080,
  publicUrl: '',
  addresses: ['10.0.0.7'],
};

test('addresses of containers and tunnels come last, and loopback and IPv6 addresses are omitted', () => {
  const addresses = lanAddresses({
    lo: [info('127.0.0.1', true)],
    docker0: [info('172.17.0.1')],
    wlan0: [info('fe80::1', false, 'IPv6'), info('192.168.1.7')],
    eth0: [info('10.0.0.7')],
  });
  assert.deepEqual(addresses, ['192.168.1.7', '10.0.0.7', '172.17.0.1']);
});

test('a machine has a network with any address that is not loopback and not link-local in IPv6', () => {
  const lo = [info('127.0.0.1', true)];
  const local = info('fe80::1', false, 'IPv6');
  assert.equal(hasNetwork({ lo, wlan0: [local] }), false);
  assert.equal(hasNetwork({ lo, wlan0: [local, info('169.254.1.2')] }), true);
  assert.equal(hasNetwork({ lo, eth0: [info('2001:db8::1', false, 'IPv6')] }), true);
});

/** Where a TV listens, and the origins of its pages, the best first. @type {[string, object, string[]][]} */
const ORIGINS = [
  ['its addresses', {}, ['http://10.0.0.7:8080']],
  ['its name, and port 80', { mdns: 'pi.local', port: 80 }, ['http://10.0.0.7', 'http://pi.local']],
  [
    'the public address',
    { publicUrl: 'https://tv.example' },
    ['https://tv.example', 'http://10.0.0.7:8080'],
  ],
  ['one address', { host: '127.0.0.1' }, ['http://127.0.0.1:8080']],
  ['one IPv6 address', { host: 'fd00::1' }, ['http://[fd00::1]:8080']],
  ['no network', { addresses: [] }, ['http://localhost:8080']],
  ['HTTPS', { scheme: 'https', port: 8443 }, ['https://10.0.0.7:8443']],
  ['HTTPS at its port', { scheme: 'https', port: 443 }, ['https://10.0.0.7']],
  ['HTTPS at port 80', { scheme: 'https', port: 80 }, ['https://10.0.0.7:80']],
];
for (const [what, where, urls] of ORIGINS) {
  test(`the addresses of a TV: ${what}`, () => {
    assert.deepEqual(reachableUrls({ ...WHERE, ...where }), urls);
  });
}

test('the last addresses count while the system does not tell them', (t) => {
  const before = lanAddresses();
  t.mock.method(os, 'networkInterfaces', () => {
    throw new Error('uv_interface_addresses returned EMFILE');
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  assert.deepEqual(lanAddresses(), before);
});
