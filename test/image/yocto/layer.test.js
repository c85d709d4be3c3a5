/** Tests of the Yocto layer that do not need other layers. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pythonTools } from './python.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const YOCTO = join(ROOT, 'image/yocto');
const LAYER = join(YOCTO, 'meta-pitv');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** @type {ReturnType<typeof pythonTools>} */
let python;
before(() => {
  python = pythonTools();
});

/** @param {string} folder @returns {string[]} */
function filesBelow(folder) {
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesBelow(path) : [path]));
}
const files = filesBelow(LAYER);

/** @param {string} kind */
const check = (kind) => python('python', [join(YOCTO, 'check.py'), kind]);

test('the files for kas match its schema, include existing files and pin every repository', () => {
  assert.deepEqual(check('kas'), { status: 0, output: '' });
});

test('the parser of BitBake accepts every file of the layer', () => {
  assert.deepEqual(check('parse'), { status: 0, output: '' });
});

test('oelint finds nothing', () => {
  const linted = files.filter((file) => /\.(bb|bbappend|conf)$/.test(file));
  assert.ok(linted.length >= 8);
  const rules = readFileSync(join(YOCTO, 'oelint.txt'), 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => line.split(/\s+/));
  for (const [rule, ...reason] of rules) assert.ok(reason.length > 0, `${rule}: give a reason`);
  const suppress = rules.flatMap(([rule]) => ['--suppress', rule]);
  const args = ['--release', 'wrynose', '--quiet', ...suppress, ...linted];
  assert.deepEqual(python('oelint-adv', args, { OELINT_SKIP_CONFIG: '1' }), {
    status: 0,
    output: '',
  });
});

test('the versions are those of package.json', () => {
  const versioned = files.filter((file) => /\/pitv[^/]*_[^/]*\.bb$/.test(file));
  assert.equal(versioned.length, 3);
  for (const file of versioned) assert.match(basename(file), new RegExp(`_${version}\\.bb$`));
  const distro = readFileSync(join(LAYER, 'conf/distro/pitv-os.conf'), 'utf8');
  assert.match(distro, new RegExp(`^DISTRO_VERSION = "${version}"$`, 'm'));
});

test('the sources of the recipes are the archive, those of the appends exist', () => {
  const { status, output } = check('variables');
  assert.equal(status, 0, output);
  const recipes = Object.entries(JSON.parse(output));
  assert.ok(recipes.length >= 5);
  for (const [name, variables] of recipes) {
    if ('SRC_URI' in variables) assert.equal(variables.SRC_URI, '${PITV_ARCHIVE}', name);
  }
  let sources = 0;
  for (const append of files.filter((file) => file.endsWith('.bbappend'))) {
    const text = readFileSync(append, 'utf8');
    const [, folder] = /\$\{THISDIR\}\/([^:"]*)/.exec(text) ?? [];
    for (const [, file] of text.matchAll(/file:\/\/([^\s"]+)/g)) {
      assert.ok(existsSync(join(dirname(append), folder, file)), `${append}: ${file}`);
      sources++;
    }
  }
  assert.ok(sources >= 5);
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

/** Packages of the programs that scripts and units run. Others are in BusyBox; coreutils is for options that BusyBox lacks. */
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
