/**
 * The settings of Raspberry Pi Imager on the boot partition of a card whose manifest says `systemd`. The script has
 * the form written by Imager's generator (github.com/raspberrypi/rpi-imager, customization_generator.cpp).
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setUp } from '../../support/setup.js';
import { KEY, networkOf } from './pitv-txt.js';

const RSA = 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 other';
const PSK = 'b1946ac92492d2347c6235b4d2611184b1946ac92492d2347c6235b4d2611184';
const NAME = `Zoë's "home"`;

const firstrun = `#!/bin/sh

set +e

CURRENT_HOSTNAME=$(cat /etc/hostname | tr -d " \\t\\n\\r")
if [ -f /usr/lib/raspberrypi-sys-mods/imager_custom ]; then
   /usr/lib/raspberrypi-sys-mods/imager_custom set_hostname sofa
else
   echo sofa >/etc/hostname
   sed -i "s/127.0.1.1.*$CURRENT_HOSTNAME/127.0.1.1\\tsofa/g" /etc/hosts
fi
FIRSTUSER=$(getent passwd 1000 | cut -d: -f1)
if [ -f /usr/lib/raspberrypi-sys-mods/imager_custom ]; then
   /usr/lib/raspberrypi-sys-mods/imager_custom enable_ssh -k '${KEY}' '${RSA}'
else
   install -o "$FIRSTUSER" -m 700 -d "$FIRSTUSERHOME/.ssh"
fi
if [ -f /usr/lib/raspberrypi-sys-mods/imager_custom ] && true; then
   /usr/lib/raspberrypi-sys-mods/imager_custom set_wlan  -h 'Zoë'"'"'s "home"' '${PSK}' 'DE'
else
cat >/etc/wpa_supplicant/wpa_supplicant.conf <<'WPAEOF'
country=XX
WPAEOF
fi
if [ -f /usr/lib/raspberrypi-sys-mods/imager_custom ]; then
   /usr/lib/raspberrypi-sys-mods/imager_custom set_keymap 'de'
   /usr/lib/raspberrypi-sys-mods/imager_custom set_timezone 'Europe/Berlin'
fi
rm -f /boot/firstrun.sh
sed -i 's| systemd.run.*||g' /boot/cmdline.txt
exit 0
`;

for (const [name, script] of [
  ['firstrun.sh', firstrun],
  ['firstrun.sh with line ends of Windows', firstrun.replaceAll('\n', '\r\n')],
]) {
  test(`${name}: host name, Wi-Fi, keys and time zone are used`, async () => {
    const { hostname, wifi, keys, tv, problems } = await setUp({ 'firstrun.sh': script });
    assert.deepEqual(problems, []);
    assert.equal(hostname, 'sofa');
    assert.equal(keys, `${KEY}\n${RSA}\n`);
    assert.deepEqual(tv, { TZ: 'Europe/Berlin' });
    assert.match(String(wifi), networkOf(NAME));
    assert.match(String(wifi), new RegExp(`^  psk=${PSK}$`, 'm'));
    assert.match(String(wifi), /^country=DE$/m);
    assert.doesNotMatch(String(wifi), /SAE/, 'a hashed password is for WPA2 only');
  });
}

const CALL = / +\/usr\/lib\/raspberrypi-sys-mods\/imager_custom set_wlan.*\n/;

test('an open network has no password', async () => {
  const open = firstrun.replace(`'${PSK}' 'DE'`, "'' 'DE'");
  const { wifi, problems } = await setUp({ 'firstrun.sh': open });
  assert.deepEqual(problems, []);
  assert.match(String(wifi), /key_mgmt=NONE/);
});

test('a network name that is not UTF-8 is read byte by byte', async () => {
  const script = firstrun
    .replace(CALL, '')
    .replace('country=XX\n', `country=FR\nnetwork={\n\tssid=hex:FF09\n\tpsk=${PSK}\n}\n`);
  const { wifi } = await setUp({ 'firstrun.sh': script });
  assert.match(String(wifi), /^ {2}ssid=ff09$/m);
  assert.match(String(wifi), new RegExp(`^  psk=${PSK}$`, 'm'));
  assert.match(String(wifi), /^country=FR$/m);
});

test('a request for password login over SSH is reported', async () => {
  const script = '   /usr/lib/raspberrypi-sys-mods/imager_custom enable_ssh\n';
  const { problems, keys } = await setUp({ 'firstrun.sh': script });
  assert.equal(problems.length, 1);
  assert.match(problems[0], /SSH login needs a key/);
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

test('formats of Imager for other systems are not read', async () => {
  const { hostname, problems } = await setUp({
    'user-data': '#cloud-config\nhostname: other\n',
    'rpi-preseed.toml': '[system]\nhostname = "other"\n',
  });
  assert.deepEqual([hostname, problems], [undefined, []]);
});
