/**
 * What Raspberry Pi Imager leaves on the boot partition, in each of its formats, for the same wishes. The
 * files have the shapes of its generator (github.com/raspberrypi/rpi-imager, customization_generator.cpp).
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setUp } from '../../support/setup.js';

const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJjPZk7Yf0o8cTn2m5v4gq2k0W1cGd3e5mC9r8yQnB1x me@home';
const RSA = 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 other';
const PSK = 'b1946ac92492d2347c6235b4d2611184b1946ac92492d2347c6235b4d2611184';
const NAME = `Zoë's "home"`;

const userData = `#cloud-config
hostname: sofa
manage_etc_hosts: true
packages:
- avahi-daemon
apt:
  preserve_sources_list: true
  conf: |
    Acquire {
      Check-Date "false";
    };
timezone: Europe/Berlin
keyboard:
  model: pc105
  layout: "de"
user:
  name: pi
  shell: /bin/bash
  lock_passwd: true
  ssh_authorized_keys:
    - "${KEY}"
    - "${RSA}"
  sudo: null
ssh_pwauth: false
runcmd:
  - [ systemctl, enable, --now, ssh ]
`;
const networkConfig = `network:
  version: 2
  ethernets:
    eth0:
      dhcp4: true
      dhcp6: true
      optional: true
  wifis:
    wlan0:
      dhcp4: true
      regulatory-domain: "DE"
      access-points:
        "Zo\\xc3\\xab's \\"home\\"":
          hidden: true
          password: "${PSK}"
      optional: true
`;
const preseed = `config_version = "1.0"

[system]
hostname = "sofa"

[user]
name = "pi"
password = "$y$j9T$x"
password_encrypted = true
groups = ["sudo"]

[ssh]
enabled = true
password_authentication = false
authorized_keys = [
  "${KEY}",
  "${RSA}",
]

[wlan]
ssid = "Zoë's \\"home\\""
password = "${PSK}"
password_encrypted = true
hidden = true
country = "DE"

[locale]
keymap = "de"
timezone = "Europe/Berlin"
`;
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

const formats = {
  'cloud-init': { 'user-data': userData, 'network-config': networkConfig, 'meta-data': 'x: y\n' },
  'cloud-init, written on Windows': {
    'user-data': userData.replaceAll('\n', '\r\n'),
    'network-config': networkConfig.replaceAll('\n', '\r\n'),
  },
  'rpi-preseed.toml': { 'rpi-preseed.toml': preseed },
  'custom.toml': { 'custom.toml': preseed },
  'firstrun.sh': { 'firstrun.sh': firstrun },
};
for (const [name, files] of Object.entries(formats)) {
  test(`${name}: name, Wi-Fi, keys and time zone are taken over`, async () => {
    const { hostname, wifi, keys, tv, problems } = await setUp(files);
    assert.deepEqual(problems, []);
    assert.equal(hostname, 'sofa');
    assert.equal(keys, `${KEY}\n${RSA}\n`);
    assert.deepEqual(tv, { TZ: 'Europe/Berlin' });
    assert.match(String(wifi), new RegExp(`^  ssid=${Buffer.from(NAME).toString('hex')}$`, 'm'));
    assert.match(String(wifi), new RegExp(`^  psk=${PSK}$`, 'm'));
    assert.match(String(wifi), /^country=DE$/m);
    assert.doesNotMatch(String(wifi), /SAE/, 'a hashed password is for WPA2 only');
  });
}

test('an open network has no password', async () => {
  const open = networkConfig.replace(/password: .*/, 'auth:\n            key-management: none');
  const { wifi, problems } = await setUp({ 'network-config': open });
  assert.deepEqual(problems, []);
  assert.match(String(wifi), /key_mgmt=NONE/);
});

test('a name that is no text comes through byte by byte', async () => {
  const odd = networkConfig.replace(/"Zo.*":/, '"\\xff\\t\\x00a":');
  const { wifi } = await setUp({ 'network-config': odd });
  assert.match(String(wifi), /^ {2}ssid=ff0961$/m);
  const script = firstrun
    .replace(/ +\/usr\/lib\/raspberrypi-sys-mods\/imager_custom set_wlan.*\n/, '')
    .replace('country=XX\n', `country=FR\nnetwork={\n\tssid=hex:FF09\n\tpsk=${PSK}\n}\n`);
  const fromScript = String((await setUp({ 'firstrun.sh': script })).wifi);
  assert.match(fromScript, /^ {2}ssid=ff09$/m);
  assert.match(fromScript, new RegExp(`^  psk=${PSK}$`, 'm'));
  assert.match(fromScript, /^country=FR$/m);
  const toml = preseed.replace(/ssid = .*/, 'ssid_hex = "ff09"');
  assert.match(String((await setUp({ 'rpi-preseed.toml': toml })).wifi), /^ {2}ssid=ff09$/m);
});

test('a wish for passwords over SSH is answered', async () => {
  /** @type {Record<string, string>[]} */
  const cases = [
    { 'user-data': 'hostname: x\nssh_pwauth: true\n' },
    { 'rpi-preseed.toml': '[ssh]\nenabled = true\npassword_authentication = true\n' },
    { 'firstrun.sh': '   /usr/lib/raspberrypi-sys-mods/imager_custom enable_ssh\n' },
  ];
  for (const files of cases) {
    const { problems, keys } = await setUp(files);
    assert.equal(problems.length, 1, JSON.stringify(files));
    assert.match(problems[0], /SSH takes a key only/);
    assert.equal(keys, undefined);
  }
});

test('the country that Imager adds to the command line counts; pitv.txt wins over all', async () => {
  const files = {
    ...formats['cloud-init'],
    'network-config': networkConfig.replace(/ +regulatory.*\n/, ''),
    'cmdline.txt': 'console=tty1 root=x cfg80211.ieee80211_regdom=GB ds=nocloud',
  };
  assert.match(String((await setUp(files)).wifi), /^country=GB$/m);
  const own = await setUp({ ...files, 'pitv.txt': 'hostname = mine\nwifi-country = FR\n' });
  assert.equal(own.hostname, 'mine');
  assert.match(String(own.wifi), /^country=FR$/m);
});
