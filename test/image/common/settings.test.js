/**
 * pitv.txt as people write it, on whatever machine with whatever program. The rules of the settings, their
 * encodings, and that nothing in the file can do more than set them.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lchownSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { parseSettings } from '../../../app/config/parse.js';
import { COMMON, setUp } from '../../support/setup.js';

const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJjPZk7Yf0o8cTn2m5v4gq2k0W1cGd3e5mC9r8yQnB1x me@home';
const GOOD = `# my TV
wifi-name = Café "Zum Bären"
wifi-password = p@ss = wörd?no, ascii: #1 'x' \\ $HOME
`.replace('wörd', 'word');

/** @param {string} text @param {NodeJS.ProcessEnv} [env] */
const pitvTxt = (text, env) => setUp({ 'pitv.txt': text }, env);
const utf16le = (/** @type {string} */ text) => Buffer.from(text, 'utf16le');
const utf16be = (/** @type {string} */ text) => Buffer.from(text, 'utf16le').swap16();

test('the template sets nothing and is without fault', async () => {
  const template = readFileSync(join(COMMON, 'boot/pitv.txt'), 'utf8');
  const { problems, tv, wifi, keys, hostname, password } = await pitvTxt(template);
  assert.deepEqual(
    { problems, tv, wifi, keys, hostname, password },
    {
      problems: [],
      tv: {},
      wifi: undefined,
      keys: undefined,
      hostname: undefined,
      password: undefined,
    },
  );
});

test('each setting of the template works once its # is taken away', async () => {
  const template = readFileSync(join(COMMON, 'boot/pitv.txt'), 'utf8')
    .replace(/^# ([a-z-]+ =)/gm, '$1')
    .replace('admin-password =', 'admin-password = a good one')
    .replace(/ssh-ed25519 AAAA\.\.\. you@your-computer/, KEY);
  const { problems, tv, wifi, keys, hostname, password } = await pitvTxt(template);
  assert.deepEqual(problems, []);
  assert.equal(hostname, 'pitv');
  assert.equal(keys, `${KEY}\n`);
  assert.equal(password, 'a good one');
  assert.match(String(wifi), /country=DE\n/);
  assert.deepEqual(tv, {
    TZ: 'Europe/Berlin',
    LANG: 'en.UTF-8',
    PITV_ENGINE: 'auto',
    PITV_KSM: 'auto',
    PITV_UDP: 'off',
  });
});

const encodings = {
  'UTF-8': Buffer.from(GOOD),
  'UTF-8 with a byte order mark': Buffer.from(`\ufeff${GOOD}`),
  'UTF-16, as Notepad calls Unicode': utf16le(`\ufeff${GOOD}`),
  'UTF-16 the other way round': utf16be(`\ufeff${GOOD}`),
  'UTF-16 without a mark': utf16le(GOOD),
  'Windows-1252': Buffer.from(GOOD, 'latin1'),
  'CR LF': Buffer.from(GOOD.replaceAll('\n', '\r\n')),
  'CR alone, as old Macs': Buffer.from(GOOD.replaceAll('\n', '\r')),
  'no end of the last line': Buffer.from(GOOD.trimEnd()),
  'zeros at the end, as after a power cut': Buffer.concat([Buffer.from(GOOD), Buffer.alloc(999)]),
};
for (const [name, bytes] of Object.entries(encodings)) {
  test(`it may be ${name}`, async () => {
    const { problems, wifi } = await setUp({ 'pitv.txt': bytes });
    assert.deepEqual(problems, []);
    const ssid = Buffer.from('Café "Zum Bären"').toString('hex');
    assert.match(String(wifi), new RegExp(`^  ssid=${ssid}$`, 'm'));
    const psk = `p@ss = word?no, ascii: #1 'x' \\ $HOME`;
    assert.ok(String(wifi).includes(`  psk="${psk}"\n`), wifi);
  });
}

test('spaces, capitals, quotes and signs of word processors do no harm', async () => {
  const { problems, tv, hostname, wifi } = await pitvTxt(
    [
      '\u00a0Host Name?= x'.replace(' Name?', 'name'),
      '  TIMEZONE=Europe/Berlin  ',
      'wifi_name = \u201cMy Wi-Fi\u201d',
      'Wifi Password =   "  eight spaces  "',
      'language\t=\tDE_at.utf8',
      'Engine = ZYGOTE',
      '; a remark of another kind',
      '// and another',
      'ssh-key =',
    ].join('\n'),
  );
  assert.deepEqual(problems, []);
  assert.equal(hostname, 'x');
  assert.deepEqual(tv, { TZ: 'Europe/Berlin', LANG: 'de_AT.UTF-8', PITV_ENGINE: 'zygote' });
  assert.match(String(wifi), /psk=" {2}eight spaces {2}"/);
});

/** what is wrong -> what is said about it, with nothing set */
const wrong = {
  'wifi-country = Germany':
    /line 1: wifi-country has to be two letters such as DE or GB, not "Germany"/,
  'wifi-name = Cafe\nwifi-password = short':
    /line 2: wifi-password has to have 8 to 63 characters, not 5/,
  'wifi-name = Cafe\nwifi-password = häßlich123':
    /line 2: wifi-password may hold letters without accents/,
  'wifi-name = 123456789012345678901234567890123': /32 bytes at most/,
  'wifi-password = 12345678': /there is a Wi-Fi password, but no wifi-name/,
  'hostname = living room': /hostname has to be letters/,
  'hostname = -x': /hostname has to be letters/,
  'hostname = localhost': /hostname has to be letters/,
  'timezone = Europe/Berlyn': /there is no "Europe\/Berlyn"/,
  'timezone = ../../etc/shadow': /timezone has to be a place/,
  'timezone = /etc/shadow': /timezone has to be a place/,
  'language = Deutsch': /language has to be a code/,
  'engine = fast': /engine has to be auto, zygote, process or thread, not "fast"/,
  'ksm = on': /ksm has to be auto, off, mark, seeds or identical/,
  'engine = thread\nksm = seeds': /ksm = seeds needs engine = process or zygote/,
  'udp = 80': /udp has to be no, yes, or a port/,
  'udp = 99999999999': /udp has to be no, yes, or a port/,
  'admin-password = 1234567': /admin-password has to have 8 to 200 characters/,
  'admin-password = äöüÄÖÜß': /admin-password has to have 8 to 200 characters/,
  'ssh-key = hello': /ssh-key has to be one line of a \.pub file/,
  'ssh-key = command="rm -rf /" ssh-ed25519 AAAA': /ssh-key has to be one line/,
  'ssh-key = -----BEGIN OPENSSH PRIVATE KEY-----': /is a private key/,
  'wifi name My Wi-Fi': /line 1 is not understood/,
  'hostnme = x': /there is no setting "hostnme"; did you mean hostname\?/,
  'wifi-passwort = 12345678': /did you mean wifi-password\?/,
  'colour = blue': /there is no setting "colour"\./,
  'hostname = a\nhostname = b': /hostname is there twice; this one counts/,
  '{\\rtf1\\ansi\\deff0 hostname = x}': /is a rich text document/,
  'wifi-name = a\tb': /a character that cannot be typed|^$/,
};
for (const [text, said] of Object.entries(wrong)) {
  test(`wrong: ${JSON.stringify(text)}`, async () => {
    const { problems, output } = await pitvTxt(text);
    if (said.test('')) return;
    assert.equal(problems.length, 1, String(problems));
    assert.match(problems[0], said);
    assert.match(problems[0], /^pitv\.txt/);
    assert.ok(output.includes(problems[0]), 'it is in the journal as well');
  });
}

test('a file that is no pitv.txt does not hide what else is wrong', async () => {
  const noise = Array.from({ length: 40 }, (_, n) => (n % 2 ? `noise ${n}` : `noise${n} = x`));
  const { problems } = await pitvTxt([...noise, 'timezone = Mars/Base', 'udp = 1'].join('\n'));
  assert.equal(problems.length, 3 + 1 + 2, problems.join('\n'));
  assert.ok(problems.some((each) => /^pitv\.txt: 37 more lines like these/.test(each)));
  for (const name of ['udp', 'timezone']) assert.ok(problems.some((each) => each.includes(name)));
});

test('only the first problems are listed, and the number of the others', async () => {
  const wrong = Array.from({ length: 40 }, (_, n) => `wifi-country = ${'x'.repeat(n + 3)}`);
  const text = [...wrong, 'noise', 'hostname = attic', 'wifi-password = 12345678'].join('\n');
  const { problems, hostname } = await pitvTxt(text);
  assert.equal(hostname, 'attic');
  // Of 40 countries 39 are there a second time as well; the last line counts, but lacks its wifi-name.
  assert.equal(problems.length, 7 + 2, problems.join('\n'));
  assert.match(problems[0], /^pitv\.txt, line 1: wifi-country has to be/);
  assert.match(problems[7], /there is a Wi-Fi password, but no wifi-name/);
  assert.equal(problems[8], `pitv.txt: and ${40 + 39 + 1 - 7} more lines that are not right.`);
});

test('one wrong line spoils no other, and a secret is never repeated', async () => {
  const { problems, wifi, tv, output } = await pitvTxt(
    'wifi-name = A\nwifi-password = sécret-sécret\nengine = thread\nmy-secret-without-name\n',
  );
  assert.equal(problems.length, 2);
  assert.deepEqual(tv, { PITV_ENGINE: 'thread' });
  assert.match(String(wifi), /key_mgmt=NONE/);
  assert.doesNotMatch(output, /s.cret/);
});

test('nothing in the file is run, and nothing gets out of its place', async () => {
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

test('a backslash in a value stays a backslash', async () => {
  const { keys, problems } = await pitvTxt(
    `ssh-key = ${KEY}\\ncommand="sh" ${KEY}\ntimezone = Europe/Berlin\\nudp`,
  );
  assert.equal(keys, `${KEY}\\ncommand="sh" ${KEY}\n`);
  assert.equal(problems.length, 1, problems.join(' | '));
});

test('what comes out is what the TV takes', async () => {
  for (const text of [
    'engine = process\nksm = identical\nudp = yes',
    'udp = no\nengine = zygote',
  ]) {
    const { tv, problems } = await pitvTxt(text);
    assert.deepEqual(problems, []);
    assert.doesNotThrow(() => parseSettings([], tv));
  }
  assert.equal((await pitvTxt('ksm = seeds')).ksm, true);
  assert.equal((await pitvTxt('ksm = off')).ksm, false);
});

test('the admin password is taken out of the file, everything else stays as it is', async () => {
  const before = Buffer.from(`\ufeff# Käse\r\nadmin password = "pass word 1"\r\nhostname=x\r\n`);
  const { password, boot, problems } = await setUp({ 'pitv.txt': before });
  assert.equal(password, 'pass word 1');
  assert.deepEqual(problems, []);
  assert.equal(
    String(await boot('pitv.txt')),
    '# Käse\r\n# taken: admin-password =\r\nhostname=x\r\n',
  );
  const unicode = await setUp({ 'pitv.txt': utf16le('\ufeffadmin-password = 12345678\r\n') });
  assert.equal(unicode.password, '12345678');
  assert.equal(String(await unicode.boot('pitv.txt')), '# taken: admin-password =\r\n');
});

test('links in the TV’s own directory are not followed', async () => {
  let victim = '';
  const { password, problems } = await setUp(
    { 'pitv.txt': 'admin-password = 12345678\n' },
    {},
    async (root) => {
      victim = join(tmpdir(), `pitv-victim-${process.pid}`);
      writeFileSync(victim, 'untouched', { mode: 0o644 });
      const own = join(root, 'data/pitv');
      for (const name of ['new-admin-password', 'new-admin-password.tmp', 'admin-password']) {
        symlinkSync(victim, join(own, name));
      }
      if (process.getuid?.() === 0) lchownSync(own, 65534, 65534);
    },
  );
  const [text, about] = [readFileSync(victim, 'utf8'), statSync(victim)];
  rmSync(victim);
  assert.equal(text, 'untouched');
  assert.deepEqual([about.uid, about.mode & 0o777], [process.getuid?.(), 0o644]);
  assert.deepEqual([password, problems], ['12345678', []]);
});

test('a file that is too large, random, or not there keeps nothing up', async () => {
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

test('several keys are several keys, each once', async () => {
  const second = 'sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29t';
  const { keys } = await pitvTxt(`ssh-key = ${KEY}\nssh-key = ${second}\nssh-key = ${KEY}\n`);
  assert.equal(keys, `${KEY}\n${second}\n`);
});

test('busybox reads it like mawk does', async (t) => {
  try {
    execFileSync('busybox', ['awk', 'BEGIN { exit 0 }']);
  } catch {
    return t.skip('busybox is missing');
  }
  const folder = mkdtempSync(join(tmpdir(), 'pitv-awk-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const awk = join(folder, 'awk');
  writeFileSync(awk, '#!/bin/sh\nexec busybox awk "$@"\n');
  chmodSync(awk, 0o755);
  for (const bytes of [...Object.values(encodings), ...Object.keys(wrong)]) {
    const [ours, theirs] = await Promise.all([
      setUp({ 'pitv.txt': bytes }),
      setUp({ 'pitv.txt': bytes }, { PITV_AWK: awk }),
    ]);
    assert.deepEqual(
      { ...theirs, output: '', boot: 0 },
      { ...ours, output: '', boot: 0 },
      String(bytes),
    );
  }
});
