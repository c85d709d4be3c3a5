/** Tests of the recipes' shell functions on a root file system. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { before, test } from 'node:test';
import { writeTree } from '../files.js';
import { PLACES, ROOT, filesBelow, runFunction } from './recipes.js';
import { temporaryFolder } from '../../support/folders.js';

const SYSTEM = 'pitv-system/pitv-system_0.2.0.bb';
const KIOSK = '../dynamic-layers/webkit/recipes-pitv/pitv-kiosk/pitv-kiosk_0.2.0.bb';
const UNITS = PLACES.systemd_system_unitdir;

const work = temporaryFolder();
const rootfs = join(work, 'rootfs');
/** @param {...string} path */
const read = (...path) => readFileSync(join(...path), 'utf8');
/** @param {string} folder @returns {string[]} paths of all files, relative to it */
const namesBelow = (folder) => filesBelow(folder).map((path) => relative(folder, path));

/**
 * Installs a package, and compares its files with those of the card.
 * @param {string} recipe @param {string} card folder @param {string[]} names of the files
 * @returns {{D: string, own: string[]}} the folder, and the other files
 */
function installAsOn(recipe, card, names) {
  const D = mkdtempSync(join(work, 'D-'));
  runFunction(recipe, 'do_install', { S: ROOT, D });
  for (const name of names) {
    assert.equal(lstatSync(join(D, name)).mode, lstatSync(join(card, name)).mode, name);
    assert.equal(read(D, name), read(card, name), name);
  }
  return { D, own: namesBelow(D).filter((name) => !names.includes(name)) };
}

/** Makes the files of OpenEmbedded's packages that the common script changes. */
before(() => {
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
  const places = [...read(rootfs, 'etc/fstab').matchAll(/^[^#\s]\S*\s+(\S+)/gm)];
  assert.ok(places.some(([, place]) => place === '/var/log'));
  for (const [, place] of places)
    assert.ok(lstatSync(join(rootfs, place), { throwIfNoEntry: false })?.isDirectory(), place);
});

test('login with a password and on consoles is disabled; the image for developers enables it, and the inspector', () => {
  assert.match(read(rootfs, 'etc/shadow'), /^root:\*:/m);
  const system = 'etc/systemd/system';
  for (const unit of ['autovt@.service', 'serial-getty@.service'])
    assert.equal(readlinkSync(join(rootfs, system, unit)), '/dev/null');
  const copy = join(work, 'dev');
  execFileSync('cp', ['-a', rootfs, copy]);
  for (const name of ['pitv_dev_login', 'pitv_inspector'])
    runFunction('images/pitv-image-dev.bb', name, { IMAGE_ROOTFS: copy });
  assert.match(read(copy, 'etc/shadow'), /^root::/m);
  const units = readdirSync(join(copy, system));
  assert.deepEqual(
    units.filter((name) => /^(autovt|serial-getty)@/.test(name)),
    [],
  );
  assert.match(read(copy, system, 'pitv.service.d/inspect.conf'), /--inspect=127/);
});

test('pitv-system installs the files of the card with the same modes', () => {
  const { D, own } = installAsOn(SYSTEM, rootfs, namesBelow(join(ROOT, 'image/common/root')));
  const link = `${UNITS.slice(1)}/sshd.service.d`;
  assert.deepEqual(own.sort(), ['etc/systemd/system/sshdgenkeys.service', link]);
  assert.ok(existsSync(join(D, link, 'pitv.conf')), 'the link is valid');
});

test('pitv-kiosk installs the files of the card with a browser with the same modes', () => {
  const card = join(work, 'kiosk-card');
  writeTree(card, { 'etc/passwd': '', 'etc/group': '' });
  execFileSync('sh', [join(ROOT, 'image/kiosk/install.sh'), card]);
  const names = namesBelow(card).filter((name) => !name.startsWith('etc/'));
  const { D, own } = installAsOn(KIOSK, card, names);
  const seat = join(UNITS, 'pitv-kiosk.service.d/seat.conf').slice(1);
  assert.deepEqual(own, [seat]);
  assert.match(read(D, seat), /^SupplementaryGroups=seat$/m);
});
