/**
 * The settings of pitv.txt: values, encodings, that a file can do nothing but set them, and what the TV and its
 * nats-server get of the setting `fleet`.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { parseSettings } from '../../../app/config/parse.js';
import { problemText } from '../../../app/web/lib/reports.js';
import { missingForFleet } from '../../../bench/harness/local-fleet.js';
import { COMMON, setUp } from '../../support/setup.js';
import { onlyLong } from '../../support/extent.js';
import { temporaryFolder, writeTree } from '../../support/folders.js';
import { root as project } from '../../support/test-files.js';
import { missingTools } from '../needs.js';
import { FLEET_KEY, KEY, STICK, encodings, networkOf, pitvTxt, wrong } from './pitv-txt.js';

const NATS = { PITV_NATS: '/bin/true' }; // a card that has the server of a fleet
const TEMPLATE = readFileSync(join(COMMON, 'boot/pitv.txt'), 'utf8');
/** @type {Map<string | Uint8Array, ReturnType<typeof pitvTxt>>} */
const outcomes = new Map();

/** Applies the settings of a text once, also if several tests ask. @param {string | Uint8Array} text */
function outcomeOf(text) {
  const outcome = outcomes.get(text) ?? pitvTxt(text);
  outcomes.set(text, outcome);
  return outcome;
}

test('the template sets nothing and has no problems; each of its settings works without its #', async () => {
  const unused = await pitvTxt(TEMPLATE);
  assert.deepEqual([unused.problems, unused.tv], [[], {}]);
  for (const each of [unused.wifi, unused.keys, unused.hostname, unused.password])
    assert.equal(each, undefined);
  const template = TEMPLATE.replace(/^# ([a-z-]+ =)/gm, '$1')
    .replace('admin-password =', 'admin-password = a good one')
    .replace('fleet-key =', `fleet-key = ${FLEET_KEY}`)
    .replace(/ssh-ed25519 AAAA\.\.\. you@your-computer/, KEY);
  const { problems, tv, wifi, keys, hostname, password } = await pitvTxt(template, NATS);
  assert.deepEqual([problems, hostname, keys], [[], 'pitv', `${KEY}\n`]);
  assert.equal(password, 'a good one');
  assert.match(String(wifi), /country=DE\n/);
  assert.deepEqual(tv, {
    TZ: 'Europe/Berlin',
    LANG: 'en.UTF-8',
    PITV_LANGUAGE: 'en',
    PITV_ENGINE: 'auto',
    PITV_KSM: 'auto',
    PITV_UDP: 'off',
    PITV_PINNED_GAME: 'bumper',
    PITV_ATTRACT_MINUTES: '5',
    PITV_OPENING_HOURS: '17:00-02:00',
    PITV_JOIN_CODE: 'K7PQX',
    PITV_PUBLIC_URL: 'http://pi.box',
    PITV_UPDATE_URL: 'https://example.org/pitv/',
    PITV_FLEET: ['127.0.0.1', '192.168.1.11', '192.168.1.12', '192.168.1.13']
      .map((host) => `nats://${host}:4222`)
      .join(','),
    PITV_FLEET_CREDENTIALS: '/run/pitv/fleet/key',
    PITV_FLEET_NODE: 'pitv',
  });
});

for (const [text, message] of Object.entries(wrong))
  test(`wrong: ${JSON.stringify(text)}`, async () => {
    const { problems, output, wifi } = await outcomeOf(text);
    assert.equal(problems.length, 1, String(problems));
    if (text.includes('wifi-password')) assert.equal(wifi, undefined, 'not joined as an open one');
    assert.match(problems[0], message);
    assert.match(problems[0], /^pitv\.txt/);
    assert.match(problemText(problems[0], 'ko'), /[가-힣]/);
    assert.ok(output.includes(problems[0]), 'it is also in the journal');
  });

test('of many problems the first are listed, and unknown lines do not hide others', async () => {
  const noise = Array.from({ length: 40 }, (_, n) => (n % 2 ? `noise ${n}` : `noise${n} = x`));
  const few = (await pitvTxt([...noise, 'timezone = Mars/Base', 'udp = 1'].join('\n'))).problems;
  assert.equal(few.length, 3 + 1 + 2, few.join('\n'));
  for (const each of [/^pitv\.txt: 37 more lines like these/m, /udp/, /timezone/])
    assert.match(few.join('\n'), each);

  const wrong = Array.from({ length: 40 }, (_, n) => `wifi-country = ${'x'.repeat(n + 3)}`);
  const text = [...wrong, 'noise', 'hostname = attic', 'wifi-password = 12345678'].join('\n');
  const { problems, hostname } = await pitvTxt(text);
  assert.equal(hostname, 'attic');
  // 40 invalid countries; the problem of the last line is found at the end.
  assert.equal(problems.length, 7 + 2, problems.join('\n'));
  assert.match(problems[0], /^pitv\.txt, line 1: wifi-country must be/);
  assert.match(problems[7], /wifi-password is set, but wifi-name is not/);
  assert.equal(problems[8], `pitv.txt: ${40 + 1 - 7} more lines are wrong.`);
});

test('a wrong line does not affect others, and secrets are not reported', async () => {
  const { problems, wifi, tv, output } = await pitvTxt(
    'wifi-name = A\nwifi-password = sécret-sécret\nengine = thread\nmy-secret-without-name\n',
  );
  assert.equal(problems.length, 2);
  assert.deepEqual(tv, { PITV_ENGINE: 'thread' });
  assert.equal(wifi, undefined);
  assert.doesNotMatch(output, /s.cret/);
});

test('values are never executed, and cannot add settings', async () => {
  const { problems, tv, hostname, wifi } = await pitvTxt(
    [
      'hostname = $(touch /tmp/pwned)',
      'engine = `id`',
      'wifi-name = x"\\n}\\nnetwork={',
      'wifi-password = $(id)`id`"};',
      'timezone = Europe/Berlin; reboot',
      'PITV_PORT = 1',
      'LD_PRELOAD = /boot/firmware/x.so',
    ].join('\n'),
  );
  assert.deepEqual(tv, {});
  assert.equal(hostname, undefined);
  assert.equal(problems.length, 5);
  const lines = String(wifi).trimEnd().split('\n');
  assert.equal(lines.filter((line) => line.endsWith('{')).length, 1, wifi);
  assert.ok(lines.includes('  psk="$(id)`id`"};"'), wifi);
});

test('a backslash in a value is kept; several keys are used, each once', async () => {
  const odd = `${KEY}\\ncommand="sh" ${KEY}`;
  const lines = [KEY, odd, STICK, KEY].map((key) => `ssh-key = ${key}\n`);
  const { keys, problems } = await pitvTxt(`${lines.join('')}timezone = Europe/Berlin\\nudp`);
  assert.equal(keys, `${[KEY, odd, STICK].join('\n')}\n`);
  assert.equal(problems.length, 1, problems.join(' | '));
});

test('pitv-ksm starts if a level is set; other notations are accepted', async () => {
  for (const text of [
    'engine = process\nksm = identical\nudp = yes',
    'engine = zygote\nksm = seeds\npublic-url = HTTP://192.168.1.5:8080/',
    'ksm = off\nudp = 09910\nopening-hours = 17:00 – 2:00\njoin-code = k7pqx',
  ]) {
    const { problems, ksm } = await pitvTxt(text);
    assert.deepEqual(problems, []);
    assert.equal(ksm, !text.includes('off'));
  }
});

test('links in the directory of the TV are not followed', async () => {
  const victim = join(temporaryFolder({ victim: 'untouched' }), 'victim');
  const before = statSync(victim);
  const link = async (/** @type {string} */ root) => {
    for (const name of ['new-admin-password', 'new-admin-password.tmp', 'admin-password'])
      symlinkSync(victim, join(root, 'data/pitv', name));
  };
  const text = 'admin-password = 12345678\n';
  const { password, problems } = await setUp({ 'pitv.txt': text }, {}, link);
  assert.deepEqual([password, problems], ['12345678', []]);
  assert.deepEqual(statSync(victim), before);
});

for (const [name, bytes] of Object.entries(encodings))
  test(`encoding: ${name}`, async () => {
    const { problems, wifi } = await outcomeOf(bytes);
    assert.deepEqual(problems, []);
    assert.match(String(wifi), networkOf('Café "Zum Bären"'));
    assert.ok(wifi?.includes(`  psk="p@ss = word?no, ascii: #1 'x' \\ $HOME"\n`), wifi);
  });

test('spaces, capitals and typographic quotes are accepted', async () => {
  const { problems, tv, hostname, wifi } = await pitvTxt(
    [
      '\u00a0Hostname= x',
      '  TIMEZONE=Europe/Berlin  ',
      'wifi_name = \u201cMy Wi-Fi\u201d',
      'Wifi Password =   "  eight spaces  "',
      'language\t=\tKO_kr.utf8',
      'Engine = ZYGOTE',
      '; a comment of another kind',
      '// and another',
      'ssh-key =',
    ].join('\n'),
  );
  assert.deepEqual(problems, []);
  assert.equal(hostname, 'x');
  assert.deepEqual(tv, {
    TZ: 'Europe/Berlin',
    LANG: 'ko_KR.UTF-8',
    PITV_LANGUAGE: 'ko-kr',
    PITV_ENGINE: 'zygote',
  });
  assert.match(String(wifi), /psk=" {2}eight spaces {2}"/);
});

test('a Korean code page is reported, and the file keeps its letters', async () => {
  const letters = '\xc7\xd1\xb1\xdb';
  const text = `# ${letters}\nadmin-password = 12345678\nwifi-name = Home\n`;
  const { problems, wifi, boot } = await setUp({ 'pitv.txt': Buffer.from(text, 'latin1') });
  assert.match(problems.join(), /^pitv\.txt is not in UTF-8: .* Save it as UTF-8\.$/);
  assert.match(String(wifi), networkOf('Home'));
  assert.ok((await boot('pitv.txt')).includes(letters, 0, 'latin1'));
});

test('the admin password is removed from the file, and the rest is unchanged', async () => {
  const before = Buffer.from(`\ufeff# Käse\r\nadmin password = "pass word 1"\r\nhostname=x\r\n`);
  const { password, boot, problems } = await setUp({ 'pitv.txt': before });
  assert.equal(password, 'pass word 1');
  assert.deepEqual(problems, []);
  const after = String(await boot('pitv.txt'));
  assert.equal(after, '# Käse\r\n# stored: admin-password =\r\nhostname=x\r\n');
  const utf16 = Buffer.from('\ufeffadmin-password = 12345678\r\n', 'utf16le');
  const unicode = await setUp({ 'pitv.txt': utf16 });
  assert.equal(unicode.password, '12345678');
  assert.equal(String(await unicode.boot('pitv.txt')), '# stored: admin-password =\r\n');
});

test('a file that is too large, random or missing causes no failure', async () => {
  const large = await pitvTxt(`hostname = x\n${'# filler\n'.repeat(10_000)}hostname = y\n`);
  assert.equal(large.hostname, 'x');
  assert.match(large.problems[0], /larger than 64 KiB/);
  const random = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919 * (i + 13)) % 251));
  const noise = await setUp({ 'pitv.txt': random });
  assert.deepEqual(noise.tv, {});
  assert.deepEqual((await setUp({})).problems, []);
  assert.equal((await setUp({ 'pitv.txt.txt': 'hostname = windows' })).hostname, 'windows');
  assert.deepEqual((await setUp({ 'pitv.txt': '' })).problems, []);
});

const noBusybox = onlyLong || missingTools('busybox');
test('busybox awk gives the same results as mawk', { skip: noBusybox }, async () => {
  const awk = join(temporaryFolder({ awk: '#!/bin/sh\nexec busybox awk "$@"\n' }), 'awk');
  for (const bytes of [...Object.values(encodings), ...Object.keys(wrong)]) {
    const [ours, theirs] = await Promise.all([
      outcomeOf(bytes),
      setUp({ 'pitv.txt': bytes }, { PITV_AWK: awk }),
    ]);
    const unlike = { output: '', boot: 0 };
    assert.deepEqual({ ...theirs, ...unlike }, { ...ours, ...unlike }, String(bytes));
  }
});

const SERVER = join(COMMON, 'root/usr/libexec/pitv/fleet-server');
const THREE = '10.0.0.1 10.0.0.2 10.0.0.3';
const SERIAL = { 'proc/device-tree/serial-number': '10000000a1b2c3d4\0' };

/** @param {string} hosts @param {NodeJS.ProcessEnv} [env] of a card that has the server, by default */
const setUpFleet = (hosts, env = NATS) => {
  const text = `hostname = Attic\nfleet = ${hosts}\nfleet-key = ${FLEET_KEY}\n`;
  return setUp({ 'pitv.txt': text }, env, async (root) => writeTree(root, SERIAL));
};

test('the TV uses its own server first, and boards with one host name have different names', async () => {
  const { problems, tv, files, output } = await setUpFleet(THREE.replace(' ', ', '));
  assert.deepEqual(problems, []);
  const { fleet, fleetCredentials, fleetNode } = parseSettings([], tv);
  const hosts = ['127.0.0.1', ...THREE.split(' ')];
  const urls = hosts.map((host) => `nats://${host}:4222`);
  assert.deepEqual(fleet, urls);
  assert.equal(fleetCredentials, '/run/pitv/fleet/key');
  assert.equal(fleetNode, 'attic-b2c3d4');
  for (const name of ['hosts', 'key', 'node']) assert.ok(files.includes(`run/pitv/fleet/${name}`));
  assert.ok(!output.includes(FLEET_KEY), 'the key is not in the journal');
});

test('two TVs are a fleet, a card without a nats-server is alone, and the television says what that means', async () => {
  const two = await setUpFleet('10.0.0.1 10.0.0.2');
  const means =
    /^.* line 2: fleet names two TVs\. While one of them is off, the other has no majority.*$/;
  assert.match(two.problems.join('\n'), means);
  assert.ok(two.tv.PITV_FLEET);
  const { problems, tv, files } = await setUpFleet(THREE, {});
  assert.match(problems.join('\n'), /^.* this card has no nats-server.*FLEET=yes.*$/);
  assert.equal(tv.PITV_FLEET, undefined);
  assert.ok(!files.includes('run/pitv/fleet'), 'the unit does not start');
});

const skip = missingForFleet ?? false;
test('nats-server accepts the configuration; cards differ in the name only', { skip }, () => {
  const configs = ['attic-1', 'attic-2'].map((node) => {
    const root = temporaryFolder({
      'data/pitv/x': '',
      'run/pitv/fleet/hosts': `${THREE}\n`,
      'run/pitv/fleet/key': `${FLEET_KEY}\n`,
      'run/pitv/fleet/node': `${node}\n`,
      // The server's ports may be in use here: it only checks the file.
      'bin/nats-server': '#!/bin/sh\nPATH=${PATH#*:} exec nats-server -t "$@"\n',
    });
    const PATH = `${join(root, 'bin')}:${process.env.PATH}`;
    const env = { ...process.env, PATH, PITV_ROOT: root, PITV_APP: join(project, 'app') };
    for (let starts = 0; starts < 2; starts++) {
      const { status, stderr } = spawnSync('sh', [SERVER], { env, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      assert.match(stderr, /configuration file .* is valid/);
    }
    const file = join(root, 'run/pitv-fleet/nats.conf');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    return readFileSync(file, 'utf8').replaceAll(root, '').replace(node, 'NAME');
  });
  assert.equal(configs[0], configs[1]);
  assert.match(configs[0], /server_name: "NAME"/);
  for (const host of THREE.split(' ')) assert.ok(configs[0].includes(`@${host}:6222`));
  assert.match(configs[0], /store_dir: "\/data\/pitv\/fleet"/);
});
