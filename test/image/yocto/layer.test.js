/**
 * Tests of the Yocto layer that do not need other layers, and of rules that it keeps so that it fits into builds of
 * others. bitbake.long.test.js has what BitBake makes of them.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { sourceVersion } from '../../../image/yocto/dist.js';
import { LAYER, ROOT, YOCTO, filesBelow } from './recipes.js';

const read = (/** @type {string} */ file) => readFileSync(file, 'utf8');
const system = read(join(LAYER, 'recipes-pitv/pitv-system/pitv-system_0.2.0.bb'));

test('pitv-system enables all units that the card enables', () => {
  const enabled = read(join(ROOT, 'image/common/enabled.txt')).matchAll(/^pitv.*$/gm);
  const named = [...system.matchAll(/pitv[\w-]*\.(service|path|timer)(?=[\s"\\])/g)];
  const names = named.map(([name]) => name);
  for (const [unit] of enabled) assert.ok(names.includes(unit), `${unit} is not enabled`);
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
    .map((file) => read(file).replace(/^\s*#.*/gm, ''))
    .join('\n');
  const [, list] = /^RDEPENDS:pitv-board = "([^"]*)"/m.exec(system) ?? [];
  const brought = list.split(/[\s\\]+/);
  for (const [command, packageName] of Object.entries(PACKAGE_OF)) {
    assert.match(texts, new RegExp(`(^|[\\s/(|])${command}\\b`, 'm'), `${command} is not used`);
    assert.ok(brought.includes(packageName), `${command}: ${packageName} is not a dependency`);
  }
});

/** Every file's text without comments, with continued lines joined, by its path in the layer. */
const texts = new Map(
  filesBelow(LAYER)
    .filter((path) => /\.(bb|bbappend|bbclass|inc|conf)$/.test(path))
    .map((path) => [
      relative(LAYER, path),
      read(path)
        .replace(/^#.*\n/gm, '')
        .replace(/\\\n\s*/g, ''),
    ]),
);

/** Rules that lines keep: title, files, lines, their form, and at least how many there are. */
const LINES = /** @type {const} */ ([
  [
    'recipes of other layers are changed for the distribution pitv-os only',
    /\.bbappend$/,
    /^.+$/gm,
    /^[A-Z_0-9]+(:append|:prepend)?:pitv-os :?\??= /,
    10,
  ],
  [
    'no folder of the build host is in the text of a task',
    /\.(bb|inc|bbclass)$/,
    /^\w+\(\) \{\n[^]*?^\}$/gm,
    /^(?![^]*\$\{(PITV_DIST|LAYERDIR|THISDIR|COREBASE|TOPDIR)\})/,
    5,
  ],
  [
    'databases of vulnerabilities are downloaded on request only, and HDMI is left to the kernel',
    /./,
    /^.+$/gm,
    /^(?!.*(sbom-cve-check|\b(HDMI_|DISABLE_OVERSCAN|CONFIG_HDMI)))/,
    100,
  ],
  [
    'functions on the root run after those of the classes, which lock its logins',
    /images\//,
    /^ROOTFS_POSTPROCESS_COMMAND.*$/gm,
    /^ROOTFS_POSTPROCESS_COMMAND:append = " /,
    3,
  ],
]);

for (const [title, name, lines, form, least] of LINES) {
  test(title, () => {
    const found = [...texts]
      .filter(([path]) => name.test(path))
      .flatMap(([path, text]) => [...text.matchAll(lines)].map(([line]) => [path, line]));
    assert.ok(found.length >= least, `${found.length} lines`);
    for (const [path, line] of found) assert.match(line, form, path);
  });
}

test('an image says which distribution it needs, and the check for vulnerabilities has a file', () => {
  const image = texts.get('recipes-pitv/images/pitv-image.inc') ?? '';
  assert.match(image, /raise bb\.parse\.SkipRecipe\(\s*'made for DISTRO = "pitv-os"/);
  const request = read(join(YOCTO, 'kas/cve.yml'));
  assert.match(request, /OE_FRAGMENTS \+= "core\/yocto\/sbom-cve-check"/);
});

test('the sources of the recipes are the archive, those of the appends exist', () => {
  for (const [path, text] of texts) {
    for (const [, uri] of text.matchAll(/^SRC_URI = "(.*)"$/gm))
      assert.match(uri, /^(\$\{PITV_ARCHIVE\})?$/, path);
    if (!path.endsWith('.bbappend')) continue;
    const [, folder = ''] = /\$\{THISDIR\}\/([^:"]*)/.exec(text) ?? [];
    for (const [, file] of text.matchAll(/file:\/\/([^\s"']+)/g))
      assert.ok(existsSync(join(LAYER, path, '..', folder, file)), `${path}: ${file}`);
  }
});

test('the layer has the texts that yocto-check-layer asks for', () => {
  assert.equal(read(join(LAYER, 'LICENSE')), read(join(ROOT, 'LICENSE')));
  assert.match(read(join(LAYER, 'SECURITY.md')), /Report a vulnerability/);
  assert.match(read(join(LAYER, 'README.md')), /maintained[^]*patches/);
});

test('a later commit has a higher version, and a changed work tree is marked', () => {
  const commit = { timeS: 1_700_000_000, id: 'f00', changed: false };
  const version = sourceVersion('0.1.0', commit);
  assert.equal(version, '0.1.0+git20231114221320.f00');
  assert.ok(sourceVersion('0.1.0', { ...commit, timeS: 1_700_000_001, id: 'a00' }) > version);
  assert.equal(sourceVersion('0.1.0', { ...commit, changed: true }), `${version}.changed`);
  assert.equal(sourceVersion('0.1.0', { timeS: 0, id: '', changed: false }), '0.1.0');
});
