/** Tests of the units, scripts and install.sh, with those of the browser, without a system that runs them. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import test from 'node:test';
import { variableName } from '../../../app/config/flags.js';
import { SETTINGS } from '../../../app/config/settings.js';
import { STATE_DIR } from '../../../ksm/state.js';
import { COMMON } from '../../support/setup.js';
import { temporaryFolder, writeTree } from '../../support/folders.js';
import { missingTools } from '../needs.js';

const UNITS = join(COMMON, 'root/usr/lib/systemd/system');
const SCRIPTS = join(COMMON, 'root/usr/libexec/pitv');
const KIOSK = join(COMMON, '../kiosk/root');
const KIOSK_SCRIPTS = join(KIOSK, 'usr/libexec/pitv');
const WANTED_BY_DEBIAN = 'usr/lib/systemd/system/multi-user.target.wants/dbus.service';
/** @param {...string} path */
const read = (...path) => readFileSync(join(...path), 'utf8');
/** Name and text of each. */
const services = readdirSync(UNITS)
  .filter((name) => name.endsWith('.service'))
  .map((name) => [name, read(UNITS, name)]);
/** @param {string} file */
const lines = (file) => [...read(COMMON, file).matchAll(/^[^#\s]+/gm)].map(([line]) => line);

/** @param {...string} args */
const install = (...args) => spawnSync(join(COMMON, 'install.sh'), args, { encoding: 'utf8' });

/** A card with a browser, with little of a root file system. */
const card = temporaryFolder({
  'usr/bin/node': '',
  'var/lib/dbus/machine-id': 'the same on every card',
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
execFileSync(join(COMMON, 'copy.sh'), [KIOSK, card]);
const installed = install(card, 'armhf');

for (const name of ['pitv', 'pitv-fleet', 'pitv-ksm', 'pitv-kiosk', 'pitv-cec@'])
  test(`${name} is sandboxed`, { skip: missingTools('systemd-analyze', 'all') }, () => {
    const file = join(card, 'usr/lib/systemd/system', `${name}.service`);
    const args = ['security', '--offline=yes', '--no-pager', file];
    const { stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    const score = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
    assert.ok(score < 2, `${score} ${stderr}`);
  });

test('the folder with the original settings of ksmd outlives a controller that is killed', () => {
  const { 'pitv-ksm.service': text } = Object.fromEntries(services);
  assert.ok(text.includes(`\nRuntimeDirectory=${basename(STATE_DIR)}\n`));
  assert.match(text, /^RuntimeDirectoryPreserve=yes$/m);
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

/** Links that install.sh makes in etc/systemd. */
const LINKS = Object.entries({
  'system/multi-user.target.wants/pitv.service': '/usr/lib/systemd/system/pitv.service',
  'system/sshd.service': '/usr/lib/systemd/system/ssh.service',
  'system/getty@tty1.service': '/dev/null',
  'system-generators/systemd-sysv-generator': '/dev/null',
});

test('install.sh copies, enables, masks and makes users; a second run changes nothing', () => {
  const { status, stderr } = installed;
  assert.equal(status, 0, stderr);
  for (const args of [['/', 'armhf'], ['/nonexistent', 'armhf'], []])
    assert.equal(install(...args).status, 2, 'not the running system, not a missing folder');
  const snapshot = () => execFileSync('tar', ['-c', '--sort=name', '--mtime=@0', '-C', card, '.']);
  const before = snapshot();
  assert.equal(install(card, 'armhf').status, 0);
  assert.ok(snapshot().equals(before), 'the second run changes no name, mode, link or content');
  for (const [path, target] of LINKS)
    assert.equal(readlinkSync(join(card, 'etc/systemd', path)), target);
  const system = readdirSync(join(card, 'etc/systemd/system'), { recursive: true }).map(String);
  assert.ok(!system.includes('apt-daily.timer'), 'only existing units are masked');
  // A deferred unit is not wanted by a target, but can be started.
  assert.ok(system.includes('dbus-org.freedesktop.timesync1.service'));
  assert.ok(!system.some((name) => name.endsWith('.wants/systemd-timesyncd.service')));
  assert.deepEqual(readdirSync(dirname(join(card, WANTED_BY_DEBIAN))), []);
  const user = /^pitv:x:970:970:pitv, the TV:\/data\/pitv:\/usr\/sbin\/nologin$/m;
  assert.match(read(card, 'etc/passwd'), user);
  assert.match(read(card, 'etc/passwd'), /^pitv-kiosk:x:971:971:.*nologin$/m);
  assert.match(read(card, 'etc/shadow'), /^root:\*:/m, 'no password');
  assert.ok(!existsSync(join(card, 'etc/ssh/ssh_host_ed25519_key')), 'no host key is shared');
  assert.equal(read(card, 'etc/machine-id'), '');
  for (const script of ['setup', 'kiosk'])
    assert.equal(statSync(join(card, 'usr/libexec/pitv', script)).mode & 0o777, 0o755);
  for (const unit of lines('enabled.txt').filter((name) => name.startsWith('pitv'))) {
    assert.ok(existsSync(join(card, `usr/lib/systemd/system/${unit}`)), unit);
    assert.doesNotMatch(stderr, new RegExp(unit));
  }
});

test('pitv-later.service starts all deferred units, and no unit is both enabled and masked', () => {
  const unit = read(UNITS, 'pitv-later.service');
  const [, started = ''] = /^ExecStart=-\/bin\/systemctl --no-block start (.*)$/m.exec(unit) ?? [];
  assert.deepEqual(started.split(' ').sort(), lines('later.txt').sort());
  const masked = lines('masked.txt');
  for (const unit of lines('enabled.txt')) assert.ok(!masked.includes(unit), unit);
});

/** A board with a second card, in a USB reader. boot/damaged-card.js boots one. */
const SLOT = 'devices/platform/soc/mmc_host/mmc0/block/mmcblk0';
const READER = 'devices/platform/soc/3f980000.usb/usb1/1-1/host0/block/sda';
const MOUNTS = `21 26 0:20 / /proc rw - proc proc rw
26 1 179:2 / / ro,relatime - squashfs /dev/root ro
40 26 8:1 / /mnt rw - vfat /dev/sda1 rw
`;

test('udev names the disk that the root is on and its partitions, none of another disk; the initrd detects none on USB', () => {
  const board = temporaryFolder({
    'proc/self/mountinfo': MOUNTS,
    [`sys/${SLOT}/mmcblk0p2/partition`]: '2\n',
    [`sys/${SLOT}/mmcblk0p3/partition`]: '3\n',
    [`sys/${READER}/sda3/partition`]: '3\n',
  });
  const link = join(board, 'sys/dev/block/179:2');
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
  const early = read(COMMON, '../debian/modules.txt').match(/^(initrd|early) .*$/gm) ?? [];
  assert.ok(early.length > 10);
  assert.doesNotMatch(early.join('\n'), /usb|dwc|xhci|\buas\b/);
});

const isolate = ['--map-root-user', '--mount', '--'];
const namespaces =
  spawnSync('unshare', [...isolate, 'true']).status !== 0 && 'user namespaces are missing';

test('the bundle of an update that a power cut has ended is deleted', { skip: namespaces }, () => {
  const data = temporaryFolder({ 'rauc/upload.raucb': 'bundle', 'rauc/reason': 'why' });
  // A mount point, so that the script does not look for a partition.
  const start = 'mount --bind "$1" "$1" && mount -t tmpfs none /run && exec sh "$2" start';
  const env = { ...process.env, PITV_DATA: data };
  const args = ['sh', '-c', start, 'sh', data, join(SCRIPTS, 'data')];
  const { status, stderr } = spawnSync('unshare', [...isolate, ...args], { env, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.deepEqual(readdirSync(join(data, 'rauc')), ['reason']);
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

test('outputs above 1080p get the largest mode that fits', () => {
  const list = `HDMI-A-1 "a television"
  Enabled: yes
  Modes:
    3840x2160 px, 30.000000 Hz (preferred, current)
    1920x1200 px, 60.000000 Hz
    1280x720 px, 60.000000 Hz
    1920x1080 px, 60.000000 Hz
    1920x1080 px, 50.000000 Hz
HDMI-A-2 "a monitor"
  Modes:
    1920x1080 px, 60.000000 Hz
    1280x720 px, 60.000000 Hz (preferred, current)
HDMI-A-3 "without a smaller mode"
  Modes:
    3840x2160 px, 30.000000 Hz (preferred, current)
`;
  const awk = spawnSync('awk', ['-f', join(KIOSK_SCRIPTS, 'large-outputs.awk')], { input: list });
  assert.equal(awk.stdout.toString(), 'HDMI-A-1 1920x1080\n');
});

for (const [compositors, expected] of /** @type {[string[], RegExp][]} */ ([
  [['cage', 'weston'], /^cage -- cog --platform=wl .*127\.0\.0\.1/],
  [['weston'], /^weston --shell=kiosk .*=pixman .* -- cog --platform=wl /],
]))
  test(`of ${compositors.join(' and ')}, the script starts the first one`, async (t) => {
    const folder = temporaryFolder();
    for (const name of compositors)
      writeTree(folder, { [name]: `#!/bin/sh\necho "${name} $*" >"${folder}/started"\n` });
    for (const tool of ['sleep', 'readlink'])
      symlinkSync(spawnSync('which', [tool]).stdout.toString().trim(), join(folder, tool));
    const env = { PATH: folder, PITV_SYS: folder, XDG_RUNTIME_DIR: folder };
    // In a group of its own, which also has the script's watch over the browser.
    const options = /** @type {const} */ ({ env, detached: true, stdio: 'ignore' });
    const script = spawn('/bin/sh', [join(KIOSK_SCRIPTS, 'kiosk')], options);
    t.after(() => process.kill(-Number(script.pid)));
    assert.deepEqual(await once(script, 'exit'), [0, null]);
    assert.match(readFileSync(join(folder, 'started'), 'utf8'), expected);
    if (compositors[0] === 'weston')
      assert.match(readFileSync(join(folder, 'weston.ini'), 'utf8'), /mode=1920x1080/);
  });
