/** pitv.txt on the card: the setup script reads files of random lines. An input is one line. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { parseSettings } from '../../../app/config/parse.js';
import { setUp } from '../../support/setup.js';
import { edited, randomBytes, weighted } from '../support/arbitraries.js';

const CANARY = 'canary';
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHUZBcSQWbPnkJ7Xu0d0 me@home';

/** Values that are right, almost right, or an attempt to escape their place. */
const VALUES = /** @type {Record<string, string[]>} */ ({
  hostname: ['attic', 'attic.local', '-x', 'a;b', 'a\\nb'],
  'wifi-name': ['Home', 'x"\\n}\\nnetwork={', '$(id)', 'Ca\u0000fe'],
  'wifi-password': ['12345678', 'f'.repeat(64), 'a"b\\nc d e f', 'sh'],
  'wifi-country': ['DE', 'de', 'Germany'],
  language: ['en', 'de_AT.utf8', 'xx\\c'],
  timezone: ['Europe/Berlin', '../../etc/shadow', 'a\\nb', 'Mars/Base'],
  'ssh-key': [KEY, `${KEY}\\ncommand="sh" ${KEY}`, `${KEY} \\c`, `command="x" ${KEY}`],
  engine: ['zygote', 'THREAD', 'fast'],
  ksm: ['auto', 'identical', 'on'],
  udp: ['yes', '9999', '80', '00009999'],
  'admin-password': ['a good one', '12345678\\n87654321', '%s%n %d', 'short'],
});

const attempt = fc.constantFrom(
  `$(touch ${CANARY})`,
  `\`touch ${CANARY}\``,
  `; touch ${CANARY}`,
  `'; touch ${CANARY} '`,
  '%n%s',
  '\\0101\\c',
  '-e -n',
  '*',
);
const name = weighted(
  [12, fc.constantFrom(...Object.keys(VALUES))],
  [1, fc.constantFrom('problem', 'wifi-name-hex', 'ssh-password', '', 'a\tb')],
);
const setting = name.chain((each) =>
  fc
    .tuple(
      fc.constantFrom(...(VALUES[each] ?? ['ff'])),
      weighted([6, fc.constant('')], [1, attempt], [1, fc.string({ maxLength: 6 })]),
      fc.constantFrom(' = ', '=', '\t=\t', ' '),
    )
    .map(([value, more, equals]) => Buffer.from(`${each}${equals}${value}${more}`)),
);

const line = weighted([5, setting], [3, edited(setting)], [1, randomBytes(60)]);

/** @typedef {{bytes: Buffer, encoding: 'utf8' | 'utf16le', mark: boolean, end: string}} Line */

/** @param {Line[]} lines the first one says how the file is encoded @returns {Buffer} */
function fileOf(lines) {
  const [{ encoding, mark, end }] = lines;
  if (encoding === 'utf8') {
    const parts = lines.flatMap(({ bytes }) => [bytes, Buffer.from(end)]);
    return Buffer.concat([Buffer.from(mark ? '\ufeff' : ''), ...parts]);
  }
  const text = lines.map(({ bytes }) => bytes.toString('utf8') + end).join('');
  return Buffer.from(`${mark ? '\ufeff' : ''}${text}`, encoding);
}

const TV_VALUES = /** @type {Record<string, RegExp>} */ ({
  TZ: /^Europe\/Berlin$/,
  LANG: /^[a-z]{2,3}(_[A-Z]{2})?\.UTF-8$/,
  PITV_LANGUAGE: /^[a-z]{2,3}(-[a-z]{2})?$/,
  PITV_ENGINE: /^(auto|zygote|process|thread)$/,
  PITV_KSM: /^(auto|off|mark|seeds|identical)$/,
  PITV_UDP: /^(off|\d{4,5})$/,
});
const WIFI = new RegExp(
  '^ctrl_interface=/run/wpa_supplicant\n(country=[A-Z]{2}\n)?network=\\{\n' +
    ' {2}ssid=([0-9a-f]{2}){1,32}\n {2}scan_ssid=1\n' +
    '( {2}key_mgmt=NONE\n| {2}psk=[0-9A-Fa-f]{64}\n' +
    '| {2}psk="[ -~]{8,63}"\n {2}key_mgmt=WPA-PSK WPA-PSK-SHA256 SAE\n {2}ieee80211w=1\n)\\}\n$',
);
const SSH_KEY = /^(ssh|ecdsa|sk)-[a-z0-9@.-]+ AAAA[0-9A-Za-z+/]+=*( .*)?$/;
const FOLDERS = ['boot', 'data', 'run', 'zones'];
const FILES = new RegExp(
  '^(boot/firmware(/pitv\\.txt)?|data/(pitv|setup)(/new-admin-password)?|zones/(iso3166\\.tab|Europe(/Berlin)?)' +
    '|run/pitv(/(problems(/settings)?|tv\\.env|wpa_supplicant\\.conf|authorized_keys|ksm|localtime|hostname|wifi))?)$',
);

/** @param {import('../../support/setup.js').Outcome} outcome */
function checkOutcome({ problems, tv, wifi, keys, hostname, password, files }) {
  for (const [key, value] of Object.entries(tv)) {
    assert.match(value, TV_VALUES[key] ?? /never/, key);
  }
  parseSettings([], tv);
  if (wifi !== undefined) assert.match(wifi, WIFI);
  for (const each of keys?.trimEnd().split('\n') ?? []) assert.match(each, SSH_KEY);
  if (hostname !== undefined) assert.match(hostname, /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
  if (password !== undefined) assert.match(password, /^[^\n]{8,200}$/s);
  for (const problem of problems) assert.match(problem, /^pitv\.txt/);
  for (const file of files) assert.ok(FOLDERS.includes(file) || FILES.test(file), file);
  assert.ok(!existsSync(CANARY), 'a value was executed');
}

/** @type {import('../run-target.js').Target<Line>} */
export default {
  batch: 400,
  input: fc.record({
    bytes: line,
    encoding: fc.constantFrom('utf8', 'utf8', 'utf16le'),
    mark: fc.boolean(),
    end: fc.constantFrom('\n', '\n', '\r\n', '\r'),
  }),
  open: async () => ({
    check: async (lines) => checkOutcome(await setUp({ 'pitv.txt': fileOf(lines) })),
  }),
};
