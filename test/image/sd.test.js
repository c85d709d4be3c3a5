/** What cards are made with: Debian's package lists, the cache of layers, the bill of materials, other programs. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readFile, readdir, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { BOARDS } from '../../image/boards.js';
import { MACHINES } from '../../image/qemu/machines.js';
import { APT, readSuites, release } from '../../image/sd/apt.js';
import { hashOf, layer, sweep } from '../../image/sd/layers.js';
import { createImagerManifest, createBill, parsePackages } from '../../image/sd/materials.js';
import { run, words } from '../../image/sd/shell.js';
import { temporaryFolder, writeTree } from '../support/folders.js';
import { isAlive } from '../support/serve.js';
import { setVariable, until } from '../support/tv.js';

/** An apt-get that writes the signed list of the suite in the sources that it gets, unless the mirror has none. */
const APT_GET = `#!/bin/sh
for each; do
  case $each in
    *sourcelist=*) sources=\${each#*=} ;;
    *lists=*) lists=\${each#*=} ;;
  esac
done
[ -n "$sources" ] || exit 0
read -r _ _ _ suite _ <"$sources"
case " $SUITES " in *" $suite "*) ;; *) echo "E: no $suite" >&2; exit 100 ;; esac
printf 'Codename: %s\\nDate: Sat, 21 Nov 2026 09:15:44 UTC\\n' "$suite" >"$lists/x_InRelease"
`;

/** @param {string} suites that the mirror has @param {object} [more] variables */
function makeLists(suites, more) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'apt-get'), APT_GET, { mode: 0o755 });
  const lists = join(folder, 'lists');
  const PATH = `${folder}:${process.env.PATH}`;
  const env = { PATH, PITV_IMAGE_MIRROR: 'http://mirror/debian', SUITES: suites, ...more };
  const { status, stderr } = spawnSync(APT, ['armhf', lists], { encoding: 'utf8', env });
  return { status, stderr, lists };
}

test('a card has the suites with updates, and knows the dates of their lists', async () => {
  const { status, stderr, lists } = makeLists('trixie trixie-updates trixie-security');
  assert.deepEqual([status, stderr], [0, '']);
  const date = '2026-11-21';
  const suites = ['trixie', 'trixie-updates', 'trixie-security'].map((suite) => ({ suite, date }));
  assert.deepEqual(await readSuites([{ folder: lists }]), suites);
  const sources = readFileSync(join(lists, 'sources.list'), 'utf8');
  assert.match(sources, / http:\/\/mirror\/debian-security trixie-security main/);
});

test('a mirror without security updates makes no card, unless that is asked for; its layers have another key', (t) => {
  const refused = makeLists('trixie trixie-updates');
  assert.equal(refused.status, 100);
  assert.match(refused.stderr, /no trixie-security for armhf.*\bPITV_IMAGE_SECURITY=optional/);
  const { status, stderr, lists } = makeLists('trixie', { PITV_IMAGE_SECURITY: 'optional' });
  assert.equal(status, 0);
  assert.match(stderr, /^warning: .* no trixie-updates.*\nwarning: .* no trixie-security/m);
  assert.equal(readFileSync(join(lists, 'suites.tsv'), 'utf8'), 'trixie\t2026-11-21\n');
  setVariable(t, 'PITV_IMAGE_SECURITY', '');
  const [, edition] = release();
  process.env.PITV_IMAGE_SECURITY = 'optional';
  assert.notEqual(release()[1], edition);
});

test('of two layers, the suites of both count, with the older date', async () => {
  const root = temporaryFolder();
  writeTree(root, {
    'a/suites.tsv': 'trixie\t2026-11-21\ntrixie-security\t2026-11-22\n',
    'b/suites.tsv': 'trixie\t2026-11-20\n',
  });
  const layers = ['a', 'b'].map((name) => ({ folder: join(root, name) }));
  assert.deepEqual(await readSuites(layers), [{ suite: 'trixie', date: '2026-11-20' }]);
});

test('a layer is made once for the same inputs, and again if one changes', async () => {
  const root = temporaryFolder();
  const input = join(root, 'input');
  let made = 0;
  const make = async (/** @type {string} */ text) => {
    await writeFile(input, text);
    const fill = (/** @type {string} */ folder) => writeFile(join(folder, 'out'), `${++made}`);
    const { folder } = await layer('x', ['text', { file: input }], fill, { root });
    return readFile(join(folder, 'out'), 'utf8');
  };
  assert.deepEqual([await make('one'), await make('one'), await make('two')], ['1', '1', '2']);
});

test('the hash covers names, content, the executable bit, and the boundaries of texts', async () => {
  const root = temporaryFolder();
  const folder = join(root, 'f');
  await mkdir(folder);
  const keys = [];
  for (const change of [
    () => writeFile(join(folder, 'b'), '1'),
    () => writeFile(join(folder, 'a'), '1'),
    () => writeFile(join(folder, 'a'), '2'),
    () => chmod(join(folder, 'a'), 0o755),
  ]) {
    await change();
    keys.push(await hashOf([{ file: folder }]));
    assert.equal(await hashOf([{ file: folder }]), keys.at(-1));
  }
  keys.push(await hashOf(['ab', 'c']), await hashOf(['a', 'bc']));
  assert.equal(new Set(keys).size, keys.length);
});

/** Makes a layer that was used so many days ago. @param {string} root @param {string} name @param {number} days */
async function usedDaysAgo(root, name, days) {
  const { folder } = await layer(name, [String(days)], async () => {}, { root });
  const then = new Date(Date.now() - days * 86_400_000);
  await utimes(folder, then, then);
  return basename(folder);
}

test('of each name the last four layers of a month and those used today are kept, and drafts of running processes', async () => {
  const root = temporaryFolder();
  const wanted = [`.x-0123.${process.pid}`];
  for (const name of [...wanted, '.x-0123.999999999']) await mkdir(join(root, name));
  for (const [name, days, kept] of /** @type {[string, number[], number][]} */ ([
    ['old', [0, 31], 1],
    ['card', [0, 0.5, 2, 3, 4, 5], 4],
    ['root-card', [0, 0.5, 2, 3, 4, 5], 4],
    ['busy', [0.1, 0.2, 0.3, 0.4, 0.5], 5],
  ]))
    for (const [i, age] of days.entries()) {
      const folder = await usedDaysAgo(root, name, age);
      if (i < kept) wanted.push(folder);
    }
  await sweep(root);
  assert.deepEqual((await readdir(root)).sort(), wanted.sort());
});

test('each board has a kernel with device trees, and an emulated machine', () => {
  const file = new URL('../../image/debian/kernels.txt', import.meta.url);
  const lines = readFileSync(file, 'utf8').match(/^\w+ +linux-image-\S+ +bcm.*$/gm) ?? [];
  const names = Object.keys(BOARDS);
  assert.deepEqual(lines.map((line) => line.split(' ')[0]).sort(), [...names].sort());
  assert.deepEqual(Object.keys(MACHINES).sort(), [...names].sort());
});

test('every package is in the bill of materials once, and has a purl', () => {
  const debian = parsePackages(
    'nodejs\t20.19.2\tnodejs\tarmhf\t1000\nlibssl3\t3.5-1\topenssl (3.5)\tarmhf\t10\n',
  );
  const sources = debian.map(({ name, source }) => `${name} of ${source}`);
  assert.deepEqual(sources, ['libssl3 of openssl', 'nodejs of nodejs']);
  const npm = [
    { name: 'ws', version: '8.0.0', license: 'MIT' },
    { name: '@a/b', version: '1.0.0', license: 'SEE LICENSE IN <file>' },
    { name: 'ws', version: '8.0.0', license: 'MIT' },
  ];
  const suites = [{ suite: 'trixie-security', date: '2026-11-21' }];
  const card = { name: 'x.img', version: '1', sha256: 'ab', epochS: 0, suite: 'trixie', suites };
  const bill = createBill({ ...card, debian, npm });
  const { packages, relationships, creationInfo } = /** @type {any} */ (bill);
  assert.match(creationInfo.comment, /from trixie-security of 2026-11-21\.$/);
  const ids = packages.map((/** @type {any} */ each) => each.SPDXID);
  assert.equal(new Set(ids).size, 1 + 2 + 2);
  for (const id of ids) assert.match(id, /^SPDXRef-[A-Za-z0-9.-]+$/);
  const contained = relationships.filter(
    (/** @type {any} */ { relationshipType: type }) => type === 'CONTAINS',
  );
  assert.equal(contained.length, 4);
  const [libssl3, scoped] = ['libssl3', '@a/b'].map((name) =>
    packages.find((/** @type {any} */ each) => each.name === name),
  );
  const purl = 'pkg:deb/debian/libssl3@3.5-1?arch=armhf&distro=trixie&upstream=openssl';
  assert.equal(libssl3.externalRefs[0].referenceLocator, purl);
  assert.equal(scoped.externalRefs[0].referenceLocator, 'pkg:npm/%40a/b@1.0.0');
  assert.equal(scoped.licenseDeclared, 'NOASSERTION'); // not an SPDX expression
});

test('the manifest for Imager has all required properties, and each board can be selected', () => {
  // "required" in os-list-schema.json
  const required =
    'name description icon url extract_size extract_sha256 image_download_size release_date devices';
  const card = {
    version: '1',
    epochS: 86400,
    urls: { download: 'file:///x.img.xz', bmap: 'file:///x.bmap', icon: 'file:///x.svg' },
    extracted: { bytes: 2, sha256: 'aa' },
    download: { bytes: 1, sha256: 'bb' },
  };
  for (const board of Object.values(BOARDS)) {
    const { imager, os_list: list } = createImagerManifest({ board, ...card });
    assert.equal(list.length, 1);
    const [system] = list;
    for (const key of required.split(' ')) assert.ok(key in system, key);
    assert.deepEqual([system.extract_size, system.extract_sha256], [2, 'aa']);
    assert.deepEqual([system.image_download_size, system.release_date], [1, '1970-01-02']);
    const known = imager.devices.flatMap((device) => device.tags);
    for (const tag of system.devices) assert.ok(known.includes(tag), `${tag}: no device has it`);
  }
});

const SD = new URL('../../image/sd/', import.meta.url).href;
/** Makes a layer whose script starts a program that does not end, and writes its id to a file. */
const BUILD = `
import { endOnSignals, run } from '${SD}shell.js';
import { layer } from '${SD}layers.js';
endOnSignals();
await layer('x', [], async (folder) => {
  await run('sh', ['-c', 'sleep 1000 & echo $! >"$1/pid"; wait', 'sh', folder]);
}, { root: process.argv[1] }).catch((error) => {
  console.log(error.code);
  process.exitCode = 1;
});
`;

test('an interrupted build fails, ends its programs and leaves no draft', async (t) => {
  const root = temporaryFolder();
  const build = spawn(process.execPath, ['--input-type=module', '-e', BUILD, root]);
  t.after(() => build.kill('SIGKILL'));
  let output = '';
  build.stdout.on('data', (text) => (output += text));
  const pid = await until(async () => {
    const [draft] = await readdir(root);
    return Number(await readFile(join(root, draft ?? '', 'pid'), 'utf8').catch(() => 0));
  }, 'the program');
  build.kill('SIGTERM');
  const [code] = await once(build, 'close');
  assert.deepEqual([code, output.trim()], [1, 'PITV_IMAGE_INTERRUPTED']);
  assert.deepEqual(await readdir(root), []);
  await until(() => !isAlive(pid), 'the end of the program');
});

test('the error of a failed program has its output, that of a missing program its name', async () => {
  await assert.rejects(run('sh', ['-c', 'echo out of paper >&2; exit 3']), {
    code: 'PITV_IMAGE_TOOL',
    message: /exit status 3.*\n?.*out of paper/s,
  });
  await assert.rejects(run('/no/such/program', []), /could not be started/);
});

test('the warnings of a program that succeeds are shown', async (t) => {
  const shown = t.mock.method(console, 'error', () => {});
  await run('sh', ['-c', 'echo made a; echo "W: no b" >&2; echo "Warning: c" >&2; echo d >&2']);
  const lines = shown.mock.calls.flatMap((call) => call.arguments);
  assert.deepEqual(lines, ['sh: W: no b', 'sh: Warning: c']);
});

test('a command line is split at its spaces, an inserted value is not', () => {
  const path = 'a folder/file';
  const line = words`-x   ${path} --out=${path}:${1}
    ${[]}${''} ${['b c', 'd']} end`;
  assert.deepEqual(line, ['-x', path, `--out=${path}:1`, 'b c', 'd', 'end']);
  assert.deepEqual(words`${path}`, [path]);
});
