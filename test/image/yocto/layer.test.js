/** Tests of the Yocto layer that do not need other layers. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { LAYER, ROOT, filesBelow } from './files.js';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const files = filesBelow(LAYER);

test('the versions are those of package.json', () => {
  const versioned = files.filter((file) => /\/pitv[^/]*_[^/]*\.bb$/.test(file));
  assert.equal(versioned.length, 6);
  for (const file of versioned) assert.match(basename(file), new RegExp(`_${version}\\.bb$`));
  const distro = readFileSync(join(LAYER, 'conf/distro/pitv-os.conf'), 'utf8');
  assert.match(distro, new RegExp(`^DISTRO_VERSION = "${version}"$`, 'm'));
});

test('pitv-system enables all units that the card enables', () => {
  const recipe = readFileSync(files.find((file) => /pitv-system_/.test(file)) ?? '', 'utf8');
  const enabled = readFileSync(join(ROOT, 'image/common/enabled.txt'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('pitv'));
  const named = [...recipe.matchAll(/pitv[\w-]*\.(service|path|timer)(?=[\s"\\])/g)].map(
    ([name]) => name,
  );
  for (const unit of enabled) assert.ok(named.includes(unit), `${unit} is not enabled`);
});

/**
 * Packages of the programs that scripts and units run. Others are in BusyBox; coreutils is for options that BusyBox
 * lacks.
 */
const PACKAGE_OF = {
  awk: 'gawk',
  blkid: 'util-linux-blkid',
  e2fsck: 'e2fsprogs-e2fsck',
  findmnt: 'util-linux-findmnt',
  'head -c': 'coreutils',
  iw: 'iw',
  'mkfs.ext4': 'e2fsprogs-mke2fs',
  mkswap: 'util-linux-mkswap',
  modprobe: 'kmod',
  mount: 'util-linux-mount',
  mountpoint: 'util-linux-mountpoint',
  'od -An': 'coreutils',
  partx: 'util-linux-partx',
  resize2fs: 'e2fsprogs-resize2fs',
  sfdisk: 'util-linux-sfdisk',
  sshd: 'openssh-sshd',
  'ssh-keygen': 'openssh-keygen',
  swapon: 'util-linux-swaponoff',
  'sync -f': 'coreutils',
  umount: 'util-linux-umount',
  wpa_supplicant: 'wpa-supplicant',
};

test('pitv-board depends on the programs of its scripts and units', () => {
  const root = join(ROOT, 'image/common/root/usr');
  const texts = [join(root, 'libexec'), join(root, 'lib/systemd')]
    .flatMap(filesBelow)
    .map((file) => readFileSync(file, 'utf8').replace(/^\s*#.*/gm, ''))
    .join('\n');
  const recipe = readFileSync(files.find((file) => /pitv-system_/.test(file)) ?? '', 'utf8');
  const [, list] = /^RDEPENDS:pitv-board = "([^"]*)"/m.exec(recipe) ?? [];
  const brought = list.split(/[\s\\]+/);
  for (const [command, packageName] of Object.entries(PACKAGE_OF)) {
    assert.match(texts, new RegExp(`(^|[\\s/(|])${command}\\b`, 'm'), `${command} is not used`);
    assert.ok(brought.includes(packageName), `${command}: ${packageName} is not a dependency`);
  }
});
