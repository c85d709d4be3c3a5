import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import os, { homedir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { flagName, variableName } from '../../app/config/flags.js';
import { parseSettings, serveHelp } from '../../app/config/parse.js';
import { SETTINGS, defaultDataDir } from '../../app/config/settings.js';
import { PitvError } from '../../app/errors.js';

/** @param {string[]} argv @param {Record<string, string>} [env] */
const refused = (argv, env = {}) => {
  try {
    parseSettings(argv, env);
  } catch (error) {
    assert.ok(error instanceof PitvError, String(error));
    assert.equal(error.code, 'PITV_USAGE');
    assert.equal(error.exitCode, 2);
    assert.ok(!error.message.includes('\n'), error.message);
    return error.message;
  }
  return assert.fail(`${argv.join(' ')} was accepted`);
};

test('every setting has a default that its parser accepts', () => {
  const settings = parseSettings([], {});
  assert.equal(settings.port, 8080);
  assert.equal(settings.host, '0.0.0.0');
  assert.equal(settings.maxMatches, 'auto');
  assert.equal(settings.screenAccess, 'open');
  assert.deepEqual(settings.allowedOrigin, []);
  assert.deepEqual([settings.joinCode, settings.openingHours], [undefined, undefined]);
  assert.equal(Object.keys(settings).length, Object.keys(SETTINGS).length + 1, 'and help');
});

/** Arguments, variables, and the settings that they give. @type {[string[], Record<string, string>, object][]} */
const GIVEN = [
  [[], { PITV_PORT: '9000', PITV_MAX_MATCHES: '3' }, { port: 9000, maxMatches: 3 }],
  [['--port', '9001'], { PITV_PORT: '9000' }, { port: 9001 }],
  [['--port=9002'], {}, { port: 9002 }],
  [['--join-code', 'k7pqx'], {}, { joinCode: 'K7PQX' }],
  [['--opening-hours', '17:05-02:30'], {}, { openingHours: { from: 1025, to: 150 } }],
  [['--public-url', 'https://TV.example/'], {}, { publicUrl: 'https://tv.example' }],
  [
    ['--allowed-origin', 'http://a:80,https://b:8443'],
    {},
    { allowedOrigin: ['http://a', 'https://b:8443'] },
  ],
  [
    ['--trusted-proxy', 'loopback,10.0.0.0/8,fd00::7'],
    {},
    { trustedProxy: ['loopback', '10.0.0.0/8', 'fd00::7'] },
  ],
];

test('a flag overrides the environment, which overrides the default; values are read', () => {
  const defaults = parseSettings([], {});
  for (const [argv, env, settings] of GIVEN) {
    assert.deepEqual(parseSettings(argv, env), { ...defaults, ...settings }, argv.join(' '));
  }
});

test('an error about an unknown option has one line', () => {
  assert.match(refused(['--prot', '1']), /--prot/);
  assert.match(refused(['8080']), /8080/);
  assert.match(refused(['--port']), /--port/);
});

test('an error about a value names the option, the range and the value', () => {
  for (const value of ['65536', '-1', '1.5', '8080x', '', ' 80', '1e3', '0x50', 'NaN']) {
    const message = refused([`--port=${value}`]);
    assert.match(message, /--port/);
    assert.ok(message.includes('0..65535') && message.includes(`"${value}"`), message);
  }
  const wrong = {
    '--engine': ['magic'],
    '--max-matches': ['0', 'many'],
    '--hang-ms': ['1'],
    '--log-level': ['loud'],
    '--screen-access': ['maybe'],
    '--host': ['a b'],
    '--data-dir': [''],
    '--public-url': ['ftp://tv', 'http://tv/path', 'http://tv;x'],
    '--allowed-origin': ['http://a,nonsense'],
    '--opening-hours': '9-17 09:00 24:00-01:00 09:60-10:00 09:00-09:00 x09:00-10:00'.split(' '),
    '--trusted-proxy': 'proxy 10.0.0.0/33 10.0.0.0/0 10.0.0.0/8/8 fe80::1%eth0 , true'.split(' '),
  };
  for (const [flag, values] of Object.entries(wrong)) {
    for (const value of values) assert.ok(refused([`${flag}=${value}`]).startsWith(flag), value);
  }
});

test('an error names the variable of the environment, and quotes only the beginning of a long value', () => {
  assert.match(refused([], { PITV_PORT: 'http' }), /^PITV_PORT/);
  assert.ok(refused(['--engine', 'x'.repeat(100_000)]).length < 300);
});

test('a join code follows the rules of random ones', () => {
  for (const code of ['K7PQ', 'K7PQXX', 'K7PQ0', 'HELLO', 'K7 QX']) {
    assert.match(refused(['--join-code', code]), /--join-code must be five letters and digits/);
  }
});

test('the help lists name, default, range and environment of every setting', () => {
  for (const flag of ['-h', '--help'])
    assert.equal(parseSettings([flag, '--port', 'x'], { PITV_UDP: 'x' }).help, true);
  const help = serveHelp();
  for (const [name, { range, defaultValue }] of Object.entries(SETTINGS)) {
    const initial = `default ${defaultValue || '(empty)'}`;
    for (const part of [`--${flagName(name)} `, range, variableName(name), initial]) {
      assert.ok(help.includes(part), `${part} is missing`);
    }
  }
});

test('the data directory follows XDG_STATE_HOME, the user and root', (t) => {
  assert.equal(defaultDataDir({ XDG_STATE_HOME: '/s' }, 1000), '/s/pitv');
  assert.equal(defaultDataDir({}, 1000), join(homedir(), '.local/state/pitv'));
  assert.equal(defaultDataDir({}, 0), '/var/lib/pitv');
  t.mock.method(os, 'homedir', () => {
    throw new Error('uv_os_homedir returned ENOENT');
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  assert.equal(defaultDataDir({}, 1000), '/.local/state/pitv');
});

test('--tls-cert needs --tls-key, and the other way round', () => {
  assert.match(refused(['--tls-cert', 'a.crt']), /--tls-key/);
  assert.match(refused(['--tls-key', 'a.key']), /--tls-cert/);
});
