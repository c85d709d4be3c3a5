/** Tests of the units, also of the browser's, and of install.sh, without a system that runs them. */
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
import { temporaryFolder } from '../../support/folders.js';
import { writeTree } from '../files.js';
import { missingTools } from '../needs.js';

const UNITS = join(COMMON, 'root/usr/lib/systemd/system');
const SCRIPTS = join(COMMON, 'root/usr/libexec/pitv');
const KIOSK = join(COMMON, '../kiosk');
const KIOSK_SCRIPTS = join(KIOSK, 'root/usr/libexec/pitv');
const WANTED_BY_DEBIAN = 'usr/lib/systemd/system/multi-user.target.wants/dbus.service';
/** Name and text of each. */
const services = readdirSync(UNITS)
  .filter((name) => name.endsWith('.service'))
  .map((name) => [name, readFileSync(join(UNITS, name), 'utf8')]);
/** @param {string} file */
const lines = (file) =>
  readFileSync(join(COMMON, file), 'utf8')
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '');

/** @param {import('node:test').TestContext} t @returns {string} a minimal root file system */
function makeRoot(t) {
  const root = temporaryFolder(t);
  for (const folder of ['usr/bin', 'var/lib/dbus'])
    mkdirSync(join(root, folder), { recursive: true });
  writeTree(root, {
    'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\n',
    'etc/group': 'root:x:0:\n',
    'etc/shadow': 'root:$y$default:19000:0:99999:7:::\n',
    'etc/ssh/ssh_host_ed25519_key': 'the same on every card',
    'usr/lib/systemd/system/getty@.service': '[Service]\n',
    'usr/lib/systemd/system-generators/systemd-sysv-generator': '',
    'usr/lib/systemd/system/ssh.service':
      '[Install]\nWantedBy=multi-user.target\nAlias=sshd.service\n',
    'usr/lib/systemd/system/systemd-timesyncd.service':
      '[Install]\nWantedBy=sysinit.target\nAlias=dbus-org.freedesktop.timesync1.service\n',
  });
  mkdirSync(join(root, dirname(WANTED_BY_DEBIAN)));
  symlinkSync('../dbus.service', join(root, WANTED_BY_DEBIAN));
  return root;
}
/** @param {string} root */
const install = (root) =>
  spawnSync('sh', [join(COMMON, 'install.sh'), root, 'armhf'], { encoding: 'utf8' });

/** @param {string} folder @returns {Record<string, string>} path -> mode and content, or target */
function snapshot(folder) {
  /** @type {Record<string, string>} */
  const all = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) all[path] = `-> ${readlinkSync(path)}`;
    else if (entry.isFile()) all[path] = `${statSync(path).mode} ${readFileSync(path, 'latin1')}`;
  }
  return all;
}

const kioskUnits = join(KIOSK, 'root/usr/lib/systemd/system');
for (const [folder, name] of [
  [UNITS, 'pitv.service'],
  [UNITS, 'pitv-fleet.service'],
  [UNITS, 'pitv-ksm.service'],
  [kioskUnits, 'pitv-kiosk.service'],
  [kioskUnits, 'pitv-cec@.service'],
])
  test(`${name} is sandboxed`, { skip: missingTools('systemd-analyze', 'all') }, (t) => {
    const args = ['security', '--offline=yes', '--no-pager', join(folder, name)];
    const { stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    const score = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
    assert.ok(score < 2, `${score} ${stderr}`);
    t.diagnostic(`${name} ${score}`);
  });

test('the sandbox allows what V8 and the zygote need', () => {
  const unit = readFileSync(join(UNITS, 'pitv.service'), 'utf8');
  for (const name of ['MemoryDenyWriteExecute', 'LockPersonality', 'PrivateNetwork']) {
    assert.doesNotMatch(unit, new RegExp(`^${name}=yes`, 'm'));
  }
  assert.match(unit, /^OOMPolicy=continue$/m);
  assert.match(unit, /^WatchdogSec=\d+$/m);
});

test('the units use only settings of the TV', () => {
  const known = new Set(Object.keys(SETTINGS).map(variableName));
  for (const [file, text] of services) {
    for (const [, name] of text.matchAll(/^Environment=(PITV_\w+)=/gm))
      assert.ok(known.has(name), `${file}: ${name}`);
  }
  for (const [, name] of readFileSync(join(SCRIPTS, 'setup'), 'utf8').matchAll(/tv (PITV_\w+)/g))
    assert.ok(known.has(name), `setup: ${name}`);
});

test('the programs that the units start exist', () => {
  for (const [file, text] of services) {
    for (const [, name] of text.matchAll(/^Exec\w+=-?\/usr\/libexec\/pitv\/(\S+)/gm))
      assert.ok(existsSync(join(SCRIPTS, name)), `${file}: ${name}`);
  }
});

test('install.sh copies, enables, masks and makes the user; a second run changes nothing', (t) => {
  const root = makeRoot(t);
  const first = install(root);
  assert.equal(first.status, 0, first.stderr);
  const at = (/** @type {string} */ path) => join(root, path);
  const wants = at('etc/systemd/system/multi-user.target.wants');
  assert.equal(readlinkSync(join(wants, 'pitv.service')), '/usr/lib/systemd/system/pitv.service');
  assert.equal(
    readlinkSync(at('etc/systemd/system/sshd.service')),
    '/usr/lib/systemd/system/ssh.service',
  );
  assert.equal(readlinkSync(at('etc/systemd/system/getty@tty1.service')), '/dev/null');
  assert.ok(
    !existsSync(at('etc/systemd/system/apt-daily.timer')),
    'only existing units are masked',
  );
  // A deferred unit is not wanted by a target, but can be started.
  const later = readdirSync(at('etc/systemd/system'), { recursive: true, encoding: 'utf8' });
  assert.ok(later.includes('dbus-org.freedesktop.timesync1.service'));
  assert.ok(!later.some((name) => name.endsWith('.wants/systemd-timesyncd.service')));
  assert.deepEqual(readdirSync(dirname(at(WANTED_BY_DEBIAN))), []);
  const generators = 'etc/systemd/system-generators';
  assert.deepEqual(readdirSync(at(generators)), ['systemd-sysv-generator']);
  assert.equal(readlinkSync(at(`${generators}/systemd-sysv-generator`)), '/dev/null');
  assert.match(
    readFileSync(at('etc/passwd'), 'utf8'),
    /^pitv:x:970:970:pitv, the TV:\/data\/pitv:\/usr\/sbin\/nologin$/m,
  );
  assert.match(readFileSync(at('etc/shadow'), 'utf8'), /^root:\*:/m, 'no password');
  assert.ok(!existsSync(at('etc/ssh/ssh_host_ed25519_key')), 'no host key is shared');
  assert.equal(readFileSync(at('etc/machine-id'), 'utf8'), '');
  assert.equal(statSync(at('usr/libexec/pitv/setup')).mode & 0o777, 0o755);
  for (const unit of lines('enabled.txt').filter((name) => name.startsWith('pitv'))) {
    assert.ok(existsSync(at(`usr/lib/systemd/system/${unit}`)), unit);
    assert.doesNotMatch(first.stderr, new RegExp(unit));
  }
  const before = snapshot(root);
  assert.equal(install(root).status, 0);
  assert.deepEqual(snapshot(root), before);
});

test('install.sh rejects the running system and a missing folder', () => {
  for (const args of [['/', 'armhf'], ['/nonexistent', 'armhf'], []]) {
    const { status } = spawnSync('sh', [join(COMMON, 'install.sh'), ...args]);
    assert.equal(status, 2, args.join(' '));
  }
});

test('pitv-later.service starts all deferred units', () => {
  const unit = readFileSync(join(UNITS, 'pitv-later.service'), 'utf8');
  const [, started = ''] = /^ExecStart=-\/bin\/systemctl --no-block start (.*)$/m.exec(unit) ?? [];
  assert.deepEqual(started.split(' ').sort(), lines('later.txt').sort());
});

test('no unit is both enabled and masked', () => {
  const masked = lines('masked.txt');
  assert.deepEqual(
    lines('enabled.txt').filter((unit) => masked.includes(unit)),
    [],
  );
});

test('the shell scripts have no syntax errors and warnings', (t) => {
  const files = [SCRIPTS, KIOSK_SCRIPTS].flatMap((folder) =>
    readdirSync(folder).map((name) => join(folder, name)),
  );
  const scripts = [join(COMMON, 'install.sh'), join(KIOSK, 'install.sh'), ...files].filter(
    (file) => statSync(file).isFile() && !file.endsWith('.awk'),
  );
  for (const file of scripts) execFileSync('sh', ['-n', file]);
  const missing = missingTools('shellcheck', 'all');
  if (missing) return t.skip(missing);
  const { stdout } = spawnSync('shellcheck', ['-s', 'sh', '-S', 'warning', ...scripts]);
  assert.equal(stdout.toString(), '');
});
