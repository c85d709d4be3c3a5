/** Tests of the recipes' shell functions on a root file system. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { before, test } from 'node:test';
import { writeTree } from '../files.js';
import { PLACES, ROOT, filesBelow, runFunction } from './recipes.js';
import { temporaryFolder } from '../../support/folders.js';

const COMMON = join(ROOT, 'image/common');
const SYSTEM = 'pitv-system/pitv-system_0.2.0.bb';
const KIOSK = '../dynamic-layers/webkit/recipes-pitv/pitv-kiosk/pitv-kiosk_0.2.0.bb';
const UNITS = PLACES.systemd_system_unitdir;

/** @param {string} folder @returns {string[]} paths of all files, relative to it */
const namesBelow = (folder) => filesBelow(folder).map((path) => relative(folder, path));

const modeOf = (/** @type {string} */ folder, /** @type {string} */ name) =>
  lstatSync(join(folder, name)).mode;

const work = temporaryFolder();
/** @type {string} */
let rootfs;
/** @param {string} path in the root file system */
const read = (path) => readFileSync(join(rootfs, path), 'utf8');

/** Makes the files of OpenEmbedded's packages that the common script changes. */
before(() => {
  rootfs = join(work, 'rootfs');
  writeTree(rootfs, {
    'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\n',
    'etc/group': 'root:x:0:\n',
    'etc/shadow': 'root::15069:0:99999:7:::\n',
    'etc/fstab': 'tmpfs /var/volatile tmpfs defaults 0 0\n',
    'usr/bin/node': '',
    [join(UNITS, 'getty@.service')]: '[Unit]\n',
    [join(UNITS, 'autovt@.service')]: '[Unit]\n',
    [join(UNITS, 'serial-getty@.service')]: '[Unit]\n',
  });
  const deploy = join(work, 'deploy');
  mkdirSync(deploy);
  runFunction(SYSTEM, 'do_deploy', { S: ROOT, DEPLOYDIR: deploy });
  assert.ok(existsSync(join(deploy, 'pitv.txt')), 'for the boot partition');
  const settings = { DEPLOY_DIR_IMAGE: deploy, IMAGE_ROOTFS: rootfs, MACHINE: 'raspberrypi' };
  runFunction('images/pitv-image.inc', 'pitv_install_common', settings);
});

test('the mount points of fstab exist, because they cannot be made on a read-only root', () => {
  const places = read('etc/fstab')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => line.split(/\s+/)[1]);
  assert.ok(places.includes('/var/log'));
  for (const place of places) {
    assert.ok(lstatSync(join(rootfs, place), { throwIfNoEntry: false })?.isDirectory(), place);
  }
});

test('login with a password and on consoles is disabled', () => {
  assert.match(read('etc/shadow'), /^root:\*:/m);
  for (const unit of ['autovt@.service', 'serial-getty@.service']) {
    assert.equal(readlinkSync(join(rootfs, 'etc/systemd/system', unit)), '/dev/null');
  }
});

test('the image for developers enables root login at the consoles and the inspector of Node.js', () => {
  const copy = join(work, 'dev');
  execFileSync('cp', ['-a', rootfs, copy]);
  const image = 'images/pitv-image-dev.bb';
  runFunction(image, 'pitv_dev_login', { IMAGE_ROOTFS: copy });
  runFunction(image, 'pitv_inspector', { IMAGE_ROOTFS: copy });
  const system = join(copy, 'etc/systemd/system');
  assert.match(readFileSync(join(copy, 'etc/shadow'), 'utf8'), /^root::/m);
  const masked = readdirSync(system).filter((name) => /^(autovt|serial-getty)@/.test(name));
  assert.deepEqual(masked, []);
  assert.match(readFileSync(join(system, 'pitv.service.d/inspect.conf'), 'utf8'), /--inspect=127/);
});

test('pitv-system installs the files of the card with the same modes', () => {
  const D = join(work, 'image');
  mkdirSync(D);
  runFunction(SYSTEM, 'do_install', { S: ROOT, D });
  const common = namesBelow(join(COMMON, 'root'));
  const own = namesBelow(D).filter((name) => !common.includes(name));
  for (const name of common) {
    assert.equal(modeOf(D, name), modeOf(rootfs, name), name);
    assert.equal(readFileSync(join(D, name), 'utf8'), read(name), name);
  }
  assert.deepEqual(own.sort(), [
    'etc/systemd/system/sshdgenkeys.service',
    `${UNITS.slice(1)}/sshd.service.d`,
  ]);
  assert.ok(existsSync(join(D, UNITS, 'sshd.service.d/pitv.conf')), 'the link is valid');
});

test('pitv-kiosk installs the files of the card with a browser with the same modes', () => {
  const card = join(work, 'kiosk-card');
  const D = join(work, 'kiosk');
  mkdirSync(D);
  writeTree(card, { 'etc/passwd': '', 'etc/group': '' });
  execFileSync('sh', [join(ROOT, 'image/kiosk/install.sh'), card]);
  runFunction(KIOSK, 'do_install', { S: ROOT, D });
  const seat = join(UNITS, 'pitv-kiosk.service.d/seat.conf').slice(1);
  assert.match(readFileSync(join(D, seat), 'utf8'), /^SupplementaryGroups=seat$/m);
  const files = namesBelow(D).filter((name) => name !== seat);
  assert.deepEqual(
    files,
    namesBelow(card).filter((name) => !name.startsWith('etc/')),
  );
  for (const name of files) assert.equal(modeOf(D, name), modeOf(card, name), name);
});
