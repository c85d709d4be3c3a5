/** The script that looks after a board's network, in a world of its own whose time passes when the script sleeps. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { COMMON } from '../../support/setup.js';
import { temporaryFolder, writeTree } from '../../support/folders.js';

const LIBEXEC = join(COMMON, 'root/usr/libexec/pitv');
/** A second of the script's sleep, in seconds of its world. */
const SPEED = 10;

/** What the script starts. `station` exists while the Wi-Fi of the settings is tried, `ap` while pitv-setup is open. */
const PROGRAMS = {
  sleep: `read -r up _ <proc/uptime
up=$((\${up%.*} + $1 * ${SPEED}))
echo "$up.0 0" >proc/uptime
. ./events
phase=$(sed -n 's/^phase=//p;s/^problem=//p' run/pitv/wifi/state 2>/dev/null)
echo "$up" $phase $(cat run/pitv/problems/network 2>/dev/null) >>seen
[ "$up" -lt "$END" ] || kill "$PPID"`,
  ip: 'case $* in *addr*) [ ! -e ap ] && cat address ;; esac',
  iw: 'case $* in *scan) echo BSS ;; *dump) cat phones ;; esac',
  wpa_cli: `if [ -e station ]; then echo "wpa_state=$(cat wpa)"; else
until [ -e ap ]; do /bin/sleep 0.01; done
echo wpa_state=COMPLETED
fi`,
  wpa_supplicant: `trap 'rm ap; kill $!; exit' TERM
/bin/sleep 1000 &
: >ap
wait`,
  systemctl: `case $1 in
start) [ ! -e run/pitv/wpa_supplicant.conf ] || : >station ;;
stop) rm -f station ;;
esac`,
  journalctl: 'cat journal',
  networkctl: ':',
  chgrp: ':',
};
const HOME = 'network={\n  ssid=486f6d65\n}\n';
const WRONG = 'wlan0: Trying to associate\nCTRL-EVENT-SSID-TEMP-DISABLED id=0 reason=WRONG_KEY';
const REFUSED = 'The Wi-Fi does not accept the password.';
const ADDRESS = '3: wlan0 inet 10.0.0.2/24 scope global wlan0';

/**
 * Lets the script run until a time.
 * @param {object} world
 * @param {string} [world.conf] of the Wi-Fi of the settings
 * @param {string} [world.events] a shell script that changes the world: $up is the time, s
 * @param {number} world.end s
 * @param {Record<string, string>} [world.files]
 */
function runUntil({ conf, events = '', end, files = {} }) {
  const root = temporaryFolder();
  for (const [name, script] of Object.entries(PROGRAMS)) {
    writeTree(root, { [`bin/${name}`]: `#!/bin/sh\ncd "$PITV_ROOT"\n${script}\n` });
  }
  const folders = `sys/class/net/wlan0/phy80211 sys/class/net/eth0/device work run/pitv/problems
    run/pitv/wifi run/pitv-tv usr/libexec data`;
  for (const name of folders.split(/\s+/)) mkdirSync(join(root, name), { recursive: true });
  symlinkSync(LIBEXEC, join(root, 'usr/libexec/pitv'));
  writeTree(root, {
    'proc/uptime': '0.0 0',
    'proc/sys/net/ipv4/ip_unprivileged_port_start': '80',
    'sys/class/net/eth0/carrier': '0',
    address: '',
    phones: '',
    journal: '',
    wpa: 'SCANNING',
    seen: '',
    events,
    ...(conf && { 'run/pitv/wpa_supplicant.conf': conf }),
    ...files,
  });
  const places = { PITV_ROOT: root, RUNTIME_DIRECTORY: join(root, 'work') };
  const env = { ...places, PITV_PATH: `${join(root, 'bin')}:`, END: `${end}` };
  const options = /** @type {const} */ ({ encoding: 'utf8', env });
  const { status, stderr } = spawnSync('sh', [join(LIBEXEC, 'access-point')], options);
  assert.deepEqual([status, stderr], [0, '']);
  const read = (/** @type {string} */ name) =>
    existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : undefined;
  const seen = String(read('seen')).trim().split('\n');
  /** Returns what the TV saw at a time: phase and problem. @param {number} time */
  const at = (time) => {
    const line = seen.findLast((each) => Number(each.split(' ')[0]) <= time) ?? '';
    return line.replace(/^\d+ ?/, '');
  };
  return { at, read };
}

test('a wrong password is shown, opens pitv-setup after minutes, and is tried again until it is right', () => {
  const { at, read } = runUntil({
    conf: HOME,
    files: { journal: WRONG },
    events: `[ $up -lt 900 ] || { : >journal; echo COMPLETED >wpa; echo '${ADDRESS}' >address; }`,
    end: 1600,
  });
  assert.equal(at(200), REFUSED);
  assert.equal(at(300), `open ${REFUSED}`);
  assert.match(String(read('seen')), /^\d+ joining$/m);
  assert.equal(at(800), `open ${REFUSED}`);
  assert.equal(at(1600), '', 'it is joined');
  assert.equal(read('run/pitv/wifi/state'), undefined);
  assert.equal(read('run/pitv/problems/network'), undefined);
  assert.notEqual(read('station'), undefined);
});

const LEFT = `${WRONG}\nwlan0: CTRL-EVENT-CONNECTED\nwlan0: CTRL-EVENT-DISCONNECTED reason=4`;
const AWAY = 'There is no Wi-Fi with this name in range.';
for (const [what, files, sentence] of /** @type {[string, Record<string, string>, string][]} */ ([
  ['out of range', {}, AWAY],
  ['out of range since it was joined', { journal: LEFT }, AWAY],
  ['without DHCP', { wpa: 'COMPLETED' }, 'The Wi-Fi gives the TV no address (DHCP).'],
]))
  test(`the television says that the Wi-Fi is ${what}`, () => {
    assert.equal(runUntil({ conf: HOME, files, end: 200 }).at(200), sentence);
  });

test('nobody is put out of pitv-setup by another try', () => {
  const files = { phones: 'Station 02:00:00:00:00:01' };
  const { at, read } = runUntil({ conf: HOME, files, end: 1500 });
  assert.match(at(1500), /^open /);
  assert.doesNotMatch(String(read('seen')), / joining/);
});

const REQUEST = `[ -e asked ] || [ $up -lt 400 ] || { : >asked; printf 'wifi-name-hex = 43616665\\n' >run/pitv-tv/wifi; }`;

test('a choice that fails leaves the Wi-Fi of the settings, one that works is stored', () => {
  const failed = runUntil({ conf: HOME, events: REQUEST, end: 800 });
  assert.match(failed.at(800), /^open There is no Wi-Fi with this name in range/);
  assert.equal(failed.read('run/pitv/wpa_supplicant.conf'), HOME);
  assert.equal(failed.read('data/setup/wifi.txt'), undefined);
  const joined = runUntil({
    conf: HOME,
    events: `${REQUEST}
      [ ! -e asked ] || [ ! -e station ] || { echo COMPLETED >wpa; echo '${ADDRESS}' >address; }`,
    end: 800,
  });
  assert.equal(joined.at(800), '');
  assert.match(String(joined.read('run/pitv/wpa_supplicant.conf')), /ssid=43616665/);
  assert.equal(joined.read('data/setup/wifi.txt'), 'wifi-name-hex = 43616665\n');
});

test('without a Wi-Fi in the settings pitv-setup opens at once; a cable closes it until minutes after it is pulled out', () => {
  const cable = 'echo $(($up >= 200 && $up < 500)) >sys/class/net/eth0/carrier';
  const { at } = runUntil({ events: cable, end: 900 });
  assert.deepEqual([at(100), at(400), at(550), at(900)], ['open', '', '', 'open']);
});
