/** What cards are made with: package lists, the cache of layers, bills of materials, other programs, Node.js. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, readFileSync, readdirSync } from 'node:fs';
import { chmod, mkdir, readFile, readdir, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { BOARDS } from '../../image/boards.js';
import { MACHINES } from '../../image/qemu/machines.js';
import { APT, readSuites, release } from '../../image/sd/apt.js';
import { layer, sweep } from '../../image/sd/layers.js';
import { createImagerManifest, createBill, parsePackages } from '../../image/sd/materials.js';
import { run, words } from '../../image/sd/shell.js';
import { temporaryFolder, writeTree } from '../support/folders.js';
import { listen } from '../support/http.js';
import { isAlive } from '../support/serve.js';
import { root as PROJECT } from '../support/test-files.js';
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
  const folder = temporaryFolder({ 'apt-get': APT_GET });
  const lists = join(folder, 'lists');
  const PATH = `${folder}:${process.env.PATH}`;
  const env = { PATH, PITV_IMAGE_MIRROR: 'http://mirror/debian', SUITES: suites, ...more };
  const { status, stderr } = spawnSync(APT, ['armhf', lists], { encoding: 'utf8', env });
  return { status, stderr, lists };
}

test('a card has the suites with updates, and knows the dates of their lists: the older ones of two layers', async () => {
  const { status, stderr, lists } = makeLists('trixie trixie-updates trixie-security');
  assert.deepEqual([status, stderr], [0, '']);
  const date = '2026-11-21';
  const suites = ['trixie', 'trixie-updates', 'trixie-security'].map((suite) => ({ suite, date }));
  assert.deepEqual(await readSuites([{ folder: lists }]), suites);
  const sources = readFileSync(join(lists, 'sources.list'), 'utf8');
  assert.match(sources, / http:\/\/mirror\/debian-security trixie-security main/);
  const other = temporaryFolder({ 'suites.tsv': 'trixie\t2026-11-20\n' });
  const both = await readSuites([{ folder: lists }, { folder: other }]);
  assert.deepEqual(both, [{ suite: 'trixie', date: '2026-11-20' }]);
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

test('a layer is made once for the same inputs: texts, and names, content and executable bits of files', async () => {
  const root = temporaryFolder();
  const folder = join(root, 'f');
  const [a, b] = ['a', 'b'].map((name) => join(folder, name));
  await mkdir(folder);
  let made = 0;
  const make = async (/** @type {string[]} */ ...texts) => {
    const fill = (/** @type {string} */ at) => writeFile(join(at, 'out'), `${++made}`);
    const { folder: at } = await layer('x', [...texts, { file: folder }], fill, { root });
    return Number(await readFile(join(at, 'out'), 'utf8'));
  };
  const changes = [
    () => writeFile(b, '1'),
    () => writeFile(a, '1'),
    () => writeFile(a, '2'),
    () => chmod(a, 0o755),
  ];
  for (const [i, change] of changes.entries()) {
    await change();
    assert.deepEqual([await make('ab', 'c'), await make('ab', 'c')], [i + 1, i + 1]);
  }
  assert.equal(await make('a', 'bc'), changes.length + 1);
});

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
      const { folder } = await layer(name, [String(age)], async () => {}, { root });
      const used = new Date(Date.now() - age * 86_400_000);
      await utimes(folder, used, used);
      if (i < kept) wanted.push(basename(folder));
    }
  await sweep(root);
  assert.deepEqual((await readdir(root)).sort(), wanted.sort());
});

test('each board has a kernel with device trees, and an emulated machine', () => {
  const kernels = readFileSync(join(PROJECT, 'image/debian/kernels.txt'), 'utf8');
  const names = Object.keys(BOARDS).sort();
  assert.deepEqual(kernels.match(/^\w+(?= +linux-image-\S+ +bcm)/gm)?.sort(), names);
  assert.deepEqual(Object.keys(MACHINES).sort(), names);
});

test('every package is in the bill of materials once, and has a purl', () => {
  const lines = 'nodejs\t20.19.2\tnodejs\tarmhf\nlibssl3\t3.5-1\topenssl (3.5)\tarmhf\n';
  const debian = parsePackages(lines);
  const sources = debian.map(({ name, source }) => `${name} of ${source}`);
  assert.deepEqual(sources, ['libssl3 of openssl', 'nodejs of nodejs']);
  const npm = [
    { name: 'ws', version: '8.0.0', license: 'MIT' },
    { name: '@a/b', version: '1.0.0', license: 'SEE LICENSE IN <file>' },
    { name: 'ws', version: '8.0.0', license: 'MIT' },
  ];
  const suites = [{ suite: 'trixie-security', date: '2026-11-21' }];
  const card = { name: 'x.img', version: '1', sha256: 'ab', epochS: 0, suite: 'trixie', suites };
  /** @type {Record<string, any>} */
  const { packages, relationships, creationInfo } = createBill({ ...card, debian, npm });
  assert.match(creationInfo.comment, /from trixie-security of 2026-11-21\.$/);
  const ids = packages.map((/** @type {any} */ each) => each.SPDXID);
  assert.equal(new Set(ids).size, 1 + 2 + 2);
  for (const id of ids) assert.match(id, /^SPDXRef-[A-Za-z0-9.-]+$/);
  const types = relationships.map((/** @type {any} */ each) => each.relationshipType);
  assert.deepEqual(types, ['DESCRIBES', ...Array(4).fill('CONTAINS')]);
  const [, libssl3, , , scoped] = packages;
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
const sleep = ['-c', 'sleep 1000 & echo $! >"$1/pid"; wait', 'sh'];
await layer('x', [], (folder) => run('sh', [...sleep, folder]), { root: process.argv[1] });
`;

test('an interrupted build fails, ends its programs and leaves no draft', async (t) => {
  const root = temporaryFolder();
  const build = spawn(process.execPath, ['--input-type=module', '-e', BUILD, root]);
  t.after(() => build.kill('SIGKILL'));
  let errors = '';
  build.stderr.on('data', (text) => (errors += text));
  const pid = await until(async () => {
    const [draft] = await readdir(root);
    return Number(await readFile(join(root, draft ?? '', 'pid'), 'utf8').catch(() => 0));
  }, 'the program');
  build.kill('SIGTERM');
  assert.deepEqual(await once(build, 'close'), [1, null]);
  assert.match(errors, /PITV_IMAGE_INTERRUPTED/);
  assert.deepEqual(await readdir(root), []);
  await until(() => !isAlive(pid), 'the end of the program');
});

test('the error of a program has its output or its name, and warnings are shown if it succeeds', async (t) => {
  const refusal = { code: 'PITV_IMAGE_TOOL', message: /exit status 3.*\n?.*out of paper/s };
  await assert.rejects(run('sh', ['-c', 'echo out of paper >&2; exit 3']), refusal);
  await assert.rejects(run('/no/such/program', []), /could not be started/);
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

test('a package replaces the one before, unless it differs from its SHA-512', () => {
  const folder = temporaryFolder();
  const at = (/** @type {string} */ name) => join(folder, name);
  writeTree(folder, {
    'package/bin/node': '',
    'cache/node/old': '',
    npm: `#!/bin/sh\ncp ${at('packed.tgz')} "$4" && echo packed.tgz\n`,
  });
  execFileSync('tar', ['-czf', at('packed.tgz'), 'package'], { cwd: folder });
  copyFileSync(join(PROJECT, 'image/node/fetch.sh'), at('fetch.sh'));
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const bytes = readFileSync(at('packed.tgz'));
  for (const [hashed, status, files] of /** @type {[Buffer, number, string[]][]} */ ([
    [Buffer.from('other'), 1, ['old']],
    [bytes, 0, ['bin']],
  ])) {
    const hash = createHash('sha512').update(hashed).digest('base64');
    writeTree(folder, { 'versions.txt': `# names\nnode-linux-x64 1.2.3 sha512-${hash}\n` });
    const fetched = spawnSync(at('fetch.sh'), ['x64', at('cache/node')], { env });
    assert.equal(fetched.status, status, String(fetched.stderr));
    assert.deepEqual(readdirSync(at('cache')), ['node']);
    assert.deepEqual(readdirSync(at('cache/node')), files);
  }
});

test('the container is healthy if its TV says so, or listens with HTTPS', async (t) => {
  const server = createServer((_request, response) => response.end('{"ok":true}'));
  const PITV_PORT = String(await listen(t, server));
  const script = join(PROJECT, 'image/container/health');
  const check = (/** @type {Record<string, string>} */ env) => run('bash', [script], { env });
  await check({ PITV_PORT });
  server.removeAllListeners('request').on('request', (request) => request.destroy());
  await assert.rejects(check({ PITV_PORT }));
  await check({ PITV_PORT, PITV_TLS_CERT: '/tv.crt' });
});

test('the base image of the container has a digest, and every stage starts from it', () => {
  const text = readFileSync(join(PROJECT, 'Dockerfile.armhf'), 'utf8');
  assert.match(text, /^ARG BASE=debian:[a-z-]+@sha256:[0-9a-f]{64}$/m);
  assert.match(text, /^ARG BUILD_BASE=\$BASE$/m);
  const stages = [...text.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, from]) => from);
  assert.deepEqual(stages, ['$BASE', '$BUILD_BASE', 'node']);
});
