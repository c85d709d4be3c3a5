/**
 * Tests of the Yocto layer that do not need other layers: rules that it keeps so that it fits into builds of others,
 * and what its shell functions make of a root file system. bitbake.long.test.js has what BitBake makes of its recipes.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { before, test } from 'node:test';
import { sourceVersion } from '../../../image/yocto/dist.js';
import { temporaryFolder } from '../../support/folders.js';
import { LAYER, PLACES, ROOT, filesBelow, readRecipe, runFunction } from './recipes.js';

/** @param {...string} path */
const read = (...path) => readFileSync(join(...path), 'utf8');

test('pitv-system enables all units that the card enables', () => {
  const enabled = read(ROOT, 'image/common/enabled.txt').matchAll(/^pitv.*$/gm);
  const units = /pitv[\w-]*\.(service|path|timer)(?=[\s"\\])/g;
  const named = readRecipe('pitv-system.bb').match(units);
  for (const [unit] of enabled) assert.ok(named?.includes(unit), `${unit} is not enabled`);
});

test('the files that the appends add to recipes of other layers exist', () => {
  for (const path of filesBelow(LAYER).filter((name) => name.endsWith('.bbappend'))) {
    const text = read(path);
    const [, folder = ''] = /\$\{THISDIR\}\/([^:"]*)/.exec(text) ?? [];
    for (const [, file] of text.matchAll(/file:\/\/([^\s"']+)/g))
      assert.ok(existsSync(join(path, '..', folder, file)), `${path}: ${file}`);
  }
});

test('a later commit has a higher version, and a changed work tree is marked', () => {
  const commit = { timeS: 1_700_000_000, id: 'f00', changed: false };
  const version = sourceVersion('0.1.0', commit);
  assert.equal(version, '0.1.0+git20231114221320.f00');
  assert.ok(sourceVersion('0.1.0', { ...commit, timeS: 1_700_000_001, id: 'a00' }) > version);
  assert.equal(sourceVersion('0.1.0', { ...commit, changed: true }), `${version}.changed`);
  assert.equal(sourceVersion('0.1.0', { timeS: 0, id: '', changed: false }), '0.1.0');
});

const UNITS = PLACES.systemd_system_unitdir;
/** The files of OpenEmbedded's packages that the common script changes. */
const rootfs = temporaryFolder({
  'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\n',
  'etc/group': 'root:x:0:\n',
  'etc/shadow': 'root::15069:0:99999:7:::\n',
  'etc/fstab': 'tmpfs /var/volatile tmpfs defaults 0 0\n',
  'usr/bin/node': '',
  [`${UNITS}/autovt@.service`]: '[Unit]\n',
  [`${UNITS}/serial-getty@.service`]: '[Unit]\n',
});
/** @param {string} folder @returns {string[]} paths of all files, relative to it */
const namesBelow = (folder) => filesBelow(folder).map((path) => relative(folder, path));

/** Installs a package. @param {string} recipe @returns {{D: string, names: string[]}} the folder, and its files */
function install(recipe) {
  const D = temporaryFolder();
  runFunction(recipe, 'do_install', { S: ROOT, D });
  return { D, names: namesBelow(D) };
}

before(() => {
  const deploy = temporaryFolder();
  runFunction('pitv-system.bb', 'do_deploy', { S: ROOT, DEPLOYDIR: deploy });
  assert.ok(existsSync(join(deploy, 'pitv.txt')), 'for the boot partition');
  const settings = { DEPLOY_DIR_IMAGE: deploy, IMAGE_ROOTFS: rootfs, MACHINE: 'raspberrypi' };
  runFunction('pitv-image.inc', 'pitv_install_common', settings);
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
  const copy = temporaryFolder();
  execFileSync('cp', ['-a', `${rootfs}/.`, copy]);
  for (const name of ['pitv_dev_login', 'pitv_inspector'])
    runFunction('pitv-image-dev.bb', name, { IMAGE_ROOTFS: copy });
  assert.match(read(copy, 'etc/shadow'), /^root::/m);
  const isLogin = (/** @type {string} */ name) => /^(autovt|serial-getty)@/.test(name);
  assert.deepEqual(readdirSync(join(copy, system)).filter(isLogin), []);
  assert.match(read(copy, system, 'pitv.service.d/inspect.conf'), /--inspect=127/);
});

test('pitv-system and pitv-kiosk install the files of the card, and what OpenEmbedded names otherwise', () => {
  const isSandbox = (/** @type {string} */ name) => name.endsWith('.service.d/sandbox.conf');
  const system = install('pitv-system.bb');
  const ssh = join(UNITS, 'sshd.service.d/pitv.conf').slice(1);
  const own = [ssh, 'etc/systemd/system/sshdgenkeys.service', ...system.names.filter(isSandbox)];
  assert.deepEqual(system.names, [...namesBelow(join(ROOT, 'image/common/root')), ...own].sort());
  assert.ok(existsSync(join(system.D, ssh)), 'the link is valid');
  const kiosk = install('pitv-kiosk.bb');
  const copied = kiosk.names.filter((name) => !isSandbox(name));
  assert.deepEqual(copied, namesBelow(join(ROOT, 'image/kiosk/root')));
  assert.match(read(kiosk.D, UNITS, 'pitv-kiosk.service'), /^SupplementaryGroups=seat video /m);
});
