/** Tests what the access point of a board without a network does: its DNS, and the list of networks. */
import assert from 'node:assert/strict';
import { Resolver } from 'node:dns/promises';
import test from 'node:test';
import { silentLog } from '../../app/log.js';
import { answerDns, CaptiveDns } from '../../app/system/captive-dns.js';
import { parseScan } from '../../app/system/wifi-setup.js';
import { RSN, station } from '../support/access-point.js';

const ADDRESS = '192.168.4.1';
/** A request for the address of a.b. */
const REQUEST = Buffer.from(
  '123401000001000000000000' + '0161' + '0162' + '00' + '00010001',
  'hex',
);

test('every name has the address of the TV, and nothing else', async (t) => {
  const dns = new CaptiveDns(silentLog);
  t.after(() => dns.close());
  // The address that is answered is also the one that is listened on.
  const port = await dns.open('127.0.0.1', 0);
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  resolver.setServers([`127.0.0.1:${port}`]);
  assert.deepEqual(await resolver.resolve4('connectivitycheck.gstatic.com', { ttl: true }), [
    { address: '127.0.0.1', ttl: 0 },
  ]);
  assert.deepEqual(await resolver.resolve4('captive.apple.com'), ['127.0.0.1']);
  await assert.rejects(resolver.resolve6('captive.apple.com'), { code: 'ENODATA' });
  await assert.rejects(resolver.resolveMx('example.org'), { code: 'ENODATA' });
});

test('a port that cannot be opened is not fatal', async (t) => {
  const [first, second] = [new CaptiveDns(silentLog), new CaptiveDns(silentLog)];
  t.after(() => [first, second].map((each) => each.close()));
  const port = await first.open('127.0.0.1', 0);
  assert.equal(await second.open('127.0.0.1', port), 0);
});

test('the answer is at most 16 bytes longer than the request', () => {
  const answer = answerDns(REQUEST, ADDRESS);
  assert.equal(answer?.length, REQUEST.length + 16);
  assert.equal(answer?.readUInt16BE(0), 0x1234);
  assert.deepEqual([...(answer ?? []).slice(-4)], [192, 168, 4, 1]);
});

test('malformed requests have no answer', () => {
  const change = (/** @type {number} */ at, /** @type {number} */ value) => {
    const copy = Buffer.from(REQUEST);
    copy[at] = value;
    return copy;
  };
  const malformed = {
    empty: Buffer.alloc(0),
    'cut off': REQUEST.subarray(0, REQUEST.length - 1),
    'an answer': change(2, 0x81),
    'another operation': change(2, 0x28),
    'two questions': change(5, 2),
    'no question': change(5, 0),
    'a pointer': change(12, 0xc0),
    'a label beyond the end': change(12, 63),
    'too long': Buffer.concat([REQUEST, Buffer.alloc(512)]),
    'a name without an end': Buffer.concat([REQUEST.subarray(0, 12), Buffer.alloc(400, 1)]),
  };
  for (const [what, request] of Object.entries(malformed)) {
    assert.equal(answerDns(request, ADDRESS), undefined, what);
  }
});

test('networks are sorted by their signal, and listed once; WEP counts as secured', () => {
  const text = [
    station('far', -80, RSN),
    station('near', -40),
    station('far', -60, RSN),
    station('pitv-setup', -20, RSN),
    station('old', -70).replace('ESS', 'ESS Privacy'),
  ].join('');
  assert.deepEqual(parseScan(text, 'pitv-setup'), [
    { name: 'near', secured: false, signalDbm: -40 },
    { name: 'far', secured: true, signalDbm: -60 },
    { name: 'old', secured: true, signalDbm: -70 },
  ]);
  assert.deepEqual(parseScan('', ''), []);
});

test('names are decoded; those that nobody can enter are left out', () => {
  const text = [
    station('Caf\\xc3\\xa9 \\xed\\x95\\x9c', -10),
    station('\\xff\\xfe', -20),
    station('', -30),
    station('\\x00\\x00\\x00', -40),
    station('a\\x0aBSS b', -50),
    station('<b>\\x5c\\x20', -60),
    station('\\xf0\\x9f\\x91\\xa8\\xe2\\x80\\x8d\\xf0\\x9f\\x92\\xbb\\xef\\xa3\\xbf', -70),
    station('\\xe2\\x80\\xaeb', -80),
  ].join('');
  const names = parseScan(text, '').map(({ name }) => name);
  assert.deepEqual(names, ['Café 한', '<b>\\ ', '\u{1f468}\u200d\u{1f4bb}\uf8ff']);
});

test('the list is limited', () => {
  const text = Array.from({ length: 500 }, (_, n) => station(`n${n}`, -n)).join('');
  assert.equal(parseScan(text, '').length, 40);
});
