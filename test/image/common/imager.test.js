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
const CALL = '/usr/lib/raspberrypi-sys-mods/imager_custom';

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

for (const script of [firstrun, firstrun.replaceAll('\n', '\r\n')]) {
  const ends = script.includes('\r') ? 'Windows' : 'Unix';
  test(`line ends of ${ends}: host name, Wi-Fi, keys and time zone are used`, async () => {
    const { hostname, wifi, keys, tv, problems } = await setUp({ 'firstrun.sh': script });
    assert.deepEqual(problems, []);
    assert.equal(hostname, 'sofa');
    assert.equal(keys, `${KEY}\n${RSA}\n`);
    assert.deepEqual(tv, { TZ: 'Europe/Berlin' });
    assert.match(String(wifi), networkOf(`Zoë's "home"`));
    assert.match(String(wifi), new RegExp(`^  psk=${PSK}$`, 'm'));
    assert.match(String(wifi), /^country=DE$/m);
    assert.doesNotMatch(String(wifi), /SAE/, 'a hashed password is for WPA2 only');
  });
}

test('an open network has no password; a name that is not UTF-8 is read byte by byte', async () => {
  const open = await setUp({ 'firstrun.sh': firstrun.replace(`'${PSK}' 'DE'`, "'' 'DE'") });
  assert.deepEqual(open.problems, []);
  assert.match(String(open.wifi), /key_mgmt=NONE/);
  const conf = `country=FR\nnetwork={\n\tssid=hex:FF09\n\tpsk=${PSK}\n}\n`;
  const script = firstrun.replace(/.* set_wlan.*\n/, '').replace('country=XX\n', conf);
  const { wifi } = await setUp({ 'firstrun.sh': script });
  assert.match(String(wifi), /^ {2}ssid=ff09$/m);
  assert.match(String(wifi), new RegExp(`^  psk=${PSK}$`, 'm'));
  assert.match(String(wifi), /^country=FR$/m);
});

test('a request for password login over SSH is reported', async () => {
  const { problems, keys } = await setUp({ 'firstrun.sh': `   ${CALL} enable_ssh\n` });
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
