/** Tests of the units, scripts and install.sh, with those of the browser, without a system that runs them. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { variableName } from '../../../app/config/flags.js';
import { SETTINGS } from '../../../app/config/settings.js';
import { COMMON } from '../../support/setup.js';
import { temporaryFolder, writeTree } from '../../support/folders.js';
import { missingTools } from '../needs.js';

const UNITS = join(COMMON, 'root/usr/lib/systemd/system');
const SCRIPTS = join(COMMON, 'root/usr/libexec/pitv');
const KIOSK = join(COMMON, '../kiosk');
const WANTED_BY_DEBIAN = 'usr/lib/systemd/system/multi-user.target.wants/dbus.service';
/** @param {...string} path */
const read = (...path) => readFileSync(join(...path), 'utf8');
/** Name and text of each. */
const services = readdirSync(UNITS)
  .filter((name) => name.endsWith('.service'))
  .map((name) => [name, read(UNITS, name)]);
/** @param {string} file */
const lines = (file) => [...read(COMMON, file).matchAll(/^[^#\s]+/gm)].map(([line]) => line);

/** @returns {string} a minimal root file system */
function makeRoot() {
  const root = temporaryFolder();
  for (const folder of ['usr/bin', 'var/lib/dbus'])
    mkdirSync(join(root, folder), { recursive: true });
  writeTree(root, {
    'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\n',
    'etc/group': 'root:x:0:\n',
    'etc/shadow': 'root:$y$default:19000:0:99999:7:::\n',
    'etc/ssh/ssh_host_ed25519_key': 'the same on every card',
    [WANTED_BY_DEBIAN]: '',
    'usr/lib/systemd/system/getty@.service': '[Service]\n',
    'usr/lib/systemd/system-generators/systemd-sysv-generator': '',
    'usr/lib/systemd/system/ssh.service':
      '[Install]\nWantedBy=multi-user.target\nAlias=sshd.service\n',
    'usr/lib/systemd/system/systemd-timesyncd.service':
      '[Install]\nWantedBy=sysinit.target\nAlias=dbus-org.freedesktop.timesync1.service\n',
  });
  return root;
}
/** @param {...string} args */
const install = (...args) => spawnSync(join(COMMON, 'install.sh'), args, { encoding: 'utf8' });

/** A card with a browser. */
const card = makeRoot();
execFileSync(join(COMMON, 'copy.sh'), [join(KIOSK, 'root'), card]);
const installed = install(card, 'armhf');

for (const name of ['pitv', 'pitv-fleet', 'pitv-ksm', 'pitv-kiosk', 'pitv-cec@'])
  test(`${name} is sandboxed`, { skip: missingTools('systemd-analyze', 'all') }, () => {
    const file = join(card, 'usr/lib/systemd/system', `${name}.service`);
    const args = ['security', '--offline=yes', '--no-pager', file];
    const { stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    const score = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
    assert.ok(score < 2, `${score} ${stderr}`);
  });

test('the units use only settings of the TV, and programs that exist', () => {
  const known = new Set(Object.keys(SETTINGS).map(variableName));
  for (const [file, text] of [...services, ['setup', read(SCRIPTS, 'setup')]]) {
    for (const [, name] of text.matchAll(/(?:^Environment=|\btv )(PITV_\w+)/gm))
      assert.ok(known.has(name), `${file}: ${name}`);
    for (const [, name] of text.matchAll(/^Exec\w+=[-+]*\/usr\/libexec\/pitv\/(\S+)/gm))
      assert.ok(existsSync(join(SCRIPTS, name)), `${file}: ${name}`);
  }
});

/** Links that install.sh makes. */
const LINKS = Object.entries({
  'etc/systemd/system/multi-user.target.wants/pitv.service': '/usr/lib/systemd/system/pitv.service',
  'etc/systemd/system/sshd.service': '/usr/lib/systemd/system/ssh.service',
  'etc/systemd/system/getty@tty1.service': '/dev/null',
  'etc/systemd/system-generators/systemd-sysv-generator': '/dev/null',
});

test('install.sh copies, enables, masks and makes users; a second run changes nothing', () => {
  const { status, stderr } = installed;
  assert.equal(status, 0, stderr);
  const root = card;
  const snapshot = () => execFileSync('tar', ['-c', '--sort=name', '--mtime=@0', '-C', root, '.']);
  const before = snapshot();
  assert.equal(install(root, 'armhf').status, 0);
  assert.ok(snapshot().equals(before), 'the second run changes no name, mode, link or content');
  for (const [path, target] of LINKS) assert.equal(readlinkSync(join(root, path)), target);
  const system = readdirSync(join(root, 'etc/systemd/system'), { recursive: true }).map(String);
  assert.ok(!system.includes('apt-daily.timer'), 'only existing units are masked');
  // A deferred unit is not wanted by a target, but can be started.
  assert.ok(system.includes('dbus-org.freedesktop.timesync1.service'));
  assert.ok(!system.some((name) => name.endsWith('.wants/systemd-timesyncd.service')));
  assert.deepEqual(readdirSync(dirname(join(root, WANTED_BY_DEBIAN))), []);
  const generators = readdirSync(join(root, 'etc/systemd/system-generators'));
  assert.deepEqual(generators, ['systemd-sysv-generator']);
  const user = /^pitv:x:970:970:pitv, the TV:\/data\/pitv:\/usr\/sbin\/nologin$/m;
  assert.match(read(root, 'etc/passwd'), user);
  assert.match(read(root, 'etc/passwd'), /^pitv-kiosk:x:971:971:.*nologin$/m);
  assert.match(read(root, 'etc/shadow'), /^root:\*:/m, 'no password');
  assert.ok(!existsSync(join(root, 'etc/ssh/ssh_host_ed25519_key')), 'no host key is shared');
  assert.equal(read(root, 'etc/machine-id'), '');
  for (const script of ['setup', 'kiosk'])
    assert.equal(statSync(join(root, 'usr/libexec/pitv', script)).mode & 0o777, 0o755);
  for (const unit of lines('enabled.txt').filter((name) => name.startsWith('pitv'))) {
    assert.ok(existsSync(join(root, `usr/lib/systemd/system/${unit}`)), unit);
    assert.doesNotMatch(stderr, new RegExp(unit));
  }
});

test('install.sh rejects the running system and a missing folder', () => {
  for (const args of [['/', 'armhf'], ['/nonexistent', 'armhf'], []])
    assert.equal(install(...args).status, 2, args.join(' '));
});

test('pitv-later.service starts all deferred units, and no unit is both enabled and masked', () => {
  const unit = read(UNITS, 'pitv-later.service');
  const [, started = ''] = /^ExecStart=-\/bin\/systemctl --no-block start (.*)$/m.exec(unit) ?? [];
  assert.deepEqual(started.split(' ').sort(), lines('later.txt').sort());
  const masked = lines('masked.txt');
  const both = lines('enabled.txt').filter((name) => masked.includes(name));
  assert.deepEqual(both, []);
});

/** A board with a second card, in a USB reader. boot/two-cards.js boots one. */
const SLOT = 'devices/platform/soc/mmc_host/mmc0/block/mmcblk0';
const READER = 'devices/platform/soc/3f980000.usb/usb1/1-1/host0/block/sda';
const MOUNTS = `21 26 0:20 / /proc rw - proc proc rw
26 1 179:2 / / ro,relatime - squashfs /dev/root ro
40 26 8:1 / /mnt rw - vfat /dev/sda1 rw
`;

test('udev names the disk that the root is on and its partitions, and none of another disk', () => {
  const board = temporaryFolder();
  const link = join(board, 'sys/dev/block/179:2');
  writeTree(board, {
    'proc/self/mountinfo': MOUNTS,
    [`sys/${SLOT}/mmcblk0p2/partition`]: '2\n',
    [`sys/${SLOT}/mmcblk0p3/partition`]: '3\n',
    [`sys/${READER}/sda3/partition`]: '3\n',
  });
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(`../../${SLOT}/mmcblk0p2`, link);
  const script = join(SCRIPTS, 'card');
  for (const [path, name] of [
    [SLOT, 'pitv-card\n'],
    [`${SLOT}/mmcblk0p3`, 'pitv-card3\n'],
    [READER, ''],
    [`${READER}/sda3`, ''],
  ]) {
    const env = { ...process.env, PITV_ROOT: board };
    const { status, stdout } = spawnSync('sh', [script, `/${path}`], { env, encoding: 'utf8' });
    assert.deepEqual([stdout, status], [name, name ? 0 : 1], path);
  }
});

test('the initrd detects no disk on USB', () => {
  const modules = read(COMMON, '../debian/modules.txt');
  const early = modules.match(/^(initrd|early) .*$/gm) ?? [];
  assert.ok(early.length > 10);
  assert.doesNotMatch(early.join('\n'), /usb|dwc|xhci|\buas\b/);
});

test('the shell scripts of image/ have no syntax errors and warnings', (t) => {
  const image = join(COMMON, '..');
  const find = ['-rlE', '^#!/bin/(busybox )?sh$', '--exclude-dir=out', image];
  const scripts = execFileSync('grep', find, { encoding: 'utf8' }).trim().split('\n');
  for (const file of scripts) execFileSync('sh', ['-n', file]);
  const missing = missingTools('shellcheck', 'all');
  if (missing) return t.skip(missing);
  const { stdout } = spawnSync('shellcheck', ['-s', 'sh', '-S', 'warning', ...scripts]);
  assert.equal(stdout.toString(), '');
});
