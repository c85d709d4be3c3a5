/**
 * Settings that are not in pitv.txt: the network that somebody has chosen on the page of the access point, which is
 * checked like pitv.txt and used at each start; and those of Raspberry Pi Imager.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { PasswordFile } from '../../../app/admin/password-file.js';
import { Store } from '../../../app/storage/store.js';
import { COMMON, setUp } from '../../support/setup.js';
import { KEY, RSA, networkOf, pitvTxt } from './pitv-txt.js';
import { temporaryFolder, writeTree } from '../../support/folders.js';

const SETUP = join(COMMON, 'root/usr/libexec/pitv/setup');
const CALL = '/usr/lib/raspberrypi-sys-mods/imager_custom';
const hex = (/** @type {string} */ text) => Buffer.from(text).toString('hex');

/** @param {string} text what the TV has written */
function check(text) {
  const folder = temporaryFolder({ 'wifi.txt': text });
  const [file, out] = [join(folder, 'wifi.txt'), join(folder, 'wpa.conf')];
  const { status, stdout } = spawnSync('sh', [SETUP, 'wifi', file, out], { encoding: 'utf8' });
  return { status, problems: stdout, conf: status === 0 ? readFileSync(out, 'utf8') : '' };
}

/** @param {string} text of the stored file @param {string} [pitv] text of pitv.txt */
const start = (text, pitv = '') =>
  setUp({ 'pitv.txt': pitv }, {}, async (root) => writeTree(root, { 'data/setup/wifi.txt': text }));

const BEAR = 'Café "Bär" ';
const CAFE = `wifi-name-hex = ${hex(BEAR)}\nwifi-password = " p"ss word "\nwifi-country = de\n`;

test('what was entered makes the same file for wpa_supplicant as pitv.txt', async () => {
  const { status, problems, conf } = check(CAFE);
  assert.deepEqual([status, problems], [0, '']);
  assert.match(conf, /^country=DE$/m);
  assert.match(conf, networkOf(BEAR));
  assert.match(conf, /^ {2}psk=" p"ss word "$/m, 'spaces and quotes are kept');
  const plain = check(`wifi-name-hex = ${hex('Cafe')}\nwifi-password = "12345678"\n`);
  assert.equal(plain.conf, (await pitvTxt('wifi-name = Cafe\nwifi-password = 12345678')).wifi);
  assert.match(check(`wifi-name-hex = ${hex('Cafe')}\n`).conf, /key_mgmt=NONE/);
});

test('wrong values have the same problems as in pitv.txt, without secrets', async () => {
  const wrong = ['wifi-password = short', 'wifi-password = sécret', 'wifi-country = Germany'];
  for (const line of wrong) {
    const { status, problems } = check(`wifi-name-hex = 41\n${line}\n`);
    const [expected] = (await pitvTxt(`wifi-name = A\n${line}`)).problems;
    assert.deepEqual([status, problems.trim()], [1, expected.replace(/^.* line 2/, 'Wi-Fi')]);
    assert.doesNotMatch(problems, /short|s.cret/);
  }
  assert.match(check(`wifi-name-hex = ${hex('x'.repeat(33))}`).problems, /1 to 32 bytes/);
  for (const text of ['wifi-password = 12345678', '']) assert.equal(check(text).status, 1);
});

test('the stored network is used at each start, and it cannot set anything else', async () => {
  const more = 'hostname = evil\nssh-key = ssh-ed25519 AAAA evil\nadmin-password = 12345678\n';
  const { wifi, keys, hostname, problems, files } = await start(CAFE + more);
  assert.match(String(wifi), networkOf(BEAR));
  assert.deepEqual([keys, hostname, problems], [undefined, undefined, []]);
  assert.ok(!files.includes('data/setup/new-admin-password'));
});

test('a network in pitv.txt comes before the stored one', async () => {
  const { wifi, problems } = await start(CAFE, 'wifi-name = Other\n');
  const [, other, stored, ...more] = String(wifi).split('network={');
  assert.match(`network={${other}`, networkOf('Other'));
  assert.match(other, /^ {2}priority=1\n[^]*key_mgmt=NONE/m);
  assert.match(`network={${stored}`, networkOf(BEAR));
  assert.doesNotMatch(stored, /priority/);
  assert.deepEqual([more, problems], [[], []]);
  const empty = await start(CAFE, 'wifi-name =\nwifi-country = GB\n');
  assert.match(String(empty.wifi), networkOf(BEAR), 'an empty name is none');
  assert.match(String(empty.wifi), /^country=GB$/m);
});

test('a Wi-Fi whose password is refused is not joined as an open one', async () => {
  const imager = { 'firstrun.sh': `  ${CALL} set_wlan '-h' 'Home' 'häßlich123' 'DE'\n` };
  const theirs = await setUp(imager);
  assert.equal(theirs.wifi, undefined);
  assert.match(theirs.problems.join(), /^Imager's settings: wifi-password .* is not joined\.$/);
  const own = { ...imager, 'pitv.txt': 'wifi-name = Own\nwifi-password = 12345678' };
  assert.match(String((await setUp(own)).wifi), /psk="12345678"/, 'pitv.txt comes last');
  assert.match(String((await setUp({ ...imager, 'pitv.txt': 'wifi-name = Own' })).wifi), /=NONE/);
  for (const line of [
    'wifi-passwort = 12345678',
    'wifi-password: 12345678',
    'hostname = sofa, wifi-password = 12345678',
    `${'# filler\n'.repeat(10_000)}wifi-password = 12345678`,
    'wifi-password = 1234\u00015678',
    'wifi-password = 12345678, wifi-country = DE',
  ])
    assert.equal((await pitvTxt(`wifi-name = Home\n${line}`)).wifi, undefined, line);
  const wrong = 'wifi-name = Home\nwifi-password = 1234567';
  assert.match(String((await start(CAFE, wrong)).wifi), networkOf(BEAR), 'the stored one');
});

test('quotes and spaces around a value are removed, those in it stay; the country UK is GB', async () => {
  for (const [text, name] of [
    [`'Home'`, 'Home'],
    ['"Home"', 'Home'],
    ['\u201eHome\u201c', 'Home'],
    ['\u2018Home\u2019', 'Home'],
    ['\u00ab\u00a0Home\u00a0\u00bb', 'Home'],
    ['Zoë\u2019s \u201cHome\u201d TV', 'Zoë\u2019s \u201cHome\u201d TV'],
    [`Zoë's`, `Zoë's`],
    ['my\tHome', 'my Home'],
    ['\u00a0My\u00a0Home\u3000', 'My\u00a0Home'],
  ]) {
    const { wifi, problems } = await pitvTxt(`wifi\u00a0name = ${text}\nwifi-country = uk`);
    assert.match(String(wifi), networkOf(name), text);
    assert.match(String(wifi), /^country=GB$/m);
    assert.deepEqual(problems, []);
  }
});

test('files that are not used are named', async () => {
  const { problems, hostname } = await setUp({
    'pitv.txt': '# nothing\n',
    'pitv.txt.txt': 'hostname = sofa\n',
    'Pitv (1).rtf': '',
    ssh: '',
    'wpa_supplicant.conf': 'country=DE\n',
  });
  assert.deepEqual(problems, [
    'Pitv (1).rtf is not used; the TV reads pitv.txt.',
    'pitv.txt.txt is not used; the TV reads pitv.txt.',
    'ssh is not used; the TV reads pitv.txt.',
    'wpa_supplicant.conf is not used. Set wifi-name and wifi-password in pitv.txt.',
  ]);
  assert.equal(hostname, undefined);
});

const PSK = 'b1946ac92492d2347c6235b4d2611184b1946ac92492d2347c6235b4d2611184';
const HAS_PSK = new RegExp(`^  psk=${PSK}$`, 'm');

/**
 * The script of Imager for a card whose manifest says `systemd`, as its generator writes it
 * (github.com/raspberrypi/rpi-imager, customization_generator.cpp).
 */
const firstrun = `#!/bin/sh

set +e

CURRENT_HOSTNAME=$(cat /etc/hostname | tr -d " \\t\\n\\r")
if [ -f ${CALL} ]; then
   ${CALL} set_hostname sofa
else
   echo sofa >/etc/hostname
   sed -i "s/127.0.1.1.*$CURRENT_HOSTNAME/127.0.1.1\\tsofa/g" /etc/hosts
fi
if [ -f ${CALL} ]; then
   ${CALL} enable_ssh -k '${KEY}' '${RSA}'
else
   install -o "$FIRSTUSER" -m 700 -d "$FIRSTUSERHOME/.ssh"
fi
if [ -f ${CALL} ] && true; then
   ${CALL} set_wlan  -h 'Zoë'"'"'s "home"' '${PSK}' 'DE'
else
cat >/etc/wpa_supplicant/wpa_supplicant.conf <<'WPAEOF'
country=XX
WPAEOF
fi
if [ -f ${CALL} ]; then
   ${CALL} set_keymap 'de'
   ${CALL} set_timezone 'Europe/Berlin'
fi
rm -f /boot/firstrun.sh
sed -i 's| systemd.run.*||g' /boot/cmdline.txt
exit 0
`;

test('host name, Wi-Fi, keys and time zone are used, with line ends of Unix and Windows', async () => {
  for (const script of [firstrun, firstrun.replaceAll('\n', '\r\n')]) {
    const { hostname, wifi, keys, tv, problems } = await setUp({ 'firstrun.sh': script });
    assert.deepEqual([problems, hostname, tv], [[], 'sofa', { TZ: 'Europe/Berlin' }]);
    assert.equal(keys, `${KEY}\n${RSA}\n`);
    for (const line of [networkOf(`Zoë's "home"`), HAS_PSK, /^country=DE$/m])
      assert.match(String(wifi), line);
    assert.doesNotMatch(String(wifi), /SAE/, 'a hashed password is for WPA2 only');
  }
});

test('an open network has no password; a name that is not UTF-8 is read byte by byte', async () => {
  const open = await setUp({ 'firstrun.sh': firstrun.replace(`'${PSK}' 'DE'`, "'' 'DE'") });
  assert.deepEqual(open.problems, []);
  assert.match(String(open.wifi), /key_mgmt=NONE/);
  const conf = `country=FR\nnetwork={\n\tssid=hex:FF09\n\tpsk=${PSK}\n}\n`;
  const script = firstrun.replace(/.* set_wlan.*\n/, '').replace('country=XX\n', conf);
  const { wifi } = await setUp({ 'firstrun.sh': script });
  for (const line of [/^ {2}ssid=ff09$/m, HAS_PSK, /^country=FR$/m])
    assert.match(String(wifi), line);
});

test('a request for password login over SSH is reported', async () => {
  const { problems, keys } = await setUp({ 'firstrun.sh': `   ${CALL} enable_ssh\n` });
  assert.match(problems.join('\n'), /^Imager's settings: SSH login needs a key.*$/);
  assert.equal(keys, undefined);
});

test('the country in the kernel command line is used; pitv.txt overrides both', async () => {
  const files = {
    'firstrun.sh': firstrun.replace(" 'DE'", ''),
    'cmdline.txt': 'console=tty1 root=x cfg80211.ieee80211_regdom=GB systemd.run=/boot/firstrun.sh',
  };
  assert.match(String((await setUp(files)).wifi), /^country=GB$/m);
  const own = await setUp({ ...files, 'pitv.txt': 'hostname = mine\nwifi-country = FR\n' });
  assert.equal(own.hostname, 'mine');
  assert.match(String(own.wifi), /^country=FR$/m);
});

test('the admin password is deleted as soon as the TV has taken it, and not before', async () => {
  const root = temporaryFolder({
    'data/setup/new-admin-password': 'a good one\n',
    'data/pitv/x': '',
  });
  const file = join(root, 'data/setup/new-admin-password');
  const forget = () =>
    execFileSync('sh', [SETUP, 'forget'], { env: { ...process.env, PITV_ROOT: root } });
  forget();
  assert.ok(existsSync(file));
  const password = new PasswordFile(new Store(join(root, 'data/pitv')));
  assert.equal(await password.importFrom(file), true);
  forget();
  assert.ok(!existsSync(file));
  const unit = readFileSync(join(COMMON, 'root/usr/lib/systemd/system/pitv.service'), 'utf8');
  assert.match(unit, /^ExecStartPost=\+-\/usr\/libexec\/pitv\/setup forget$/m);
});
