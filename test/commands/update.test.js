/** Tests of `pitv update` on a machine with one system. test/image/boot/updates.js tests it on a card with two. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { fetchBundle, findNewer } from '../../app/commands/update/fetch.js';
import { takeFile } from '../../app/commands/update/requested.js';
import { NOT_STARTED, compareVersions, parseSystems } from '../../app/system/rauc.js';
import { runCommands } from '../support/cli.js';
import { temporaryFolder } from '../support/folders.js';
import { listen } from '../support/http.js';

test('wrong usage, and a machine with one system, are errors of one line', async () => {
  const wrong = [
    [],
    ['a', '--status'],
    ['--status', '--confirm'],
    ['a', '--requested'],
    ['a', 'b'],
  ];
  const right = [['a.raucb'], ['--status'], ['--confirm'], ['--requested']];
  const results = await runCommands([...wrong, ...right].map((args) => ['update', ...args]));
  for (const [i, { status, stderr }] of results.slice(0, wrong.length).entries()) {
    assert.equal(status, 2, wrong[i].join(' '));
    assert.match(stderr, /^pitv: [^\n]+\n$/);
  }
  for (const { status, stderr } of results.slice(wrong.length)) {
    assert.equal(status, 1);
    assert.match(stderr, /^pitv: This machine is not a card with two systems[^\n]+\n$/);
  }
});

const board = async () => 'arm64';
/** From RAUC 1.8: `rauc status --detailed --output-format=json`, without the fields that are not read. */
const STATUS = `{"booted": "A", "slots": [
  {"root.1": {"bootname": "B", "boot_status": "bad", "slot_status": {"bundle": {"version": "8.0.0"}}}},
  {"boot.0": {"bootname": null, "boot_status": null}},
  {"root.0": {"bootname": "A", "boot_status": "good", "slot_status": {"bundle": {"compatible": null}}}}
]}`;

test("RAUC's slots become systems; one that was flashed has no version", () => {
  assert.deepEqual(parseSystems(STATUS), [
    { name: 'A', running: true, good: true, version: undefined, failure: undefined },
    { name: 'B', running: false, good: false, version: '8.0.0', failure: undefined },
  ]);
});

test('a system that the boot loader has given up has the reason, and can be tried again', () => {
  const failures = (/** @type {string} */ wanted) =>
    parseSystems(STATUS, wanted, NOT_STARTED).map(({ failure }) => failure);
  assert.deepEqual(failures('B'), [undefined, NOT_STARTED]);
  assert.deepEqual(failures('A'), [undefined, undefined]);
});

test('an upload is moved to a file that nobody else has open, and only if it is a file', async () => {
  const folder = temporaryFolder({ 'own/other': 'x' });
  const [from, to] = [join(folder, 'bundle.raucb'), join(folder, 'own', 'upload.raucb')];
  const bundle = randomBytes(2.5 * 1024 * 1024);
  writeFileSync(from, bundle);
  linkSync(from, join(folder, 'link'));
  const opened = await open(from, 'r+');
  await takeFile(from, to);
  await opened.write('another bundle', 0);
  writeFileSync(join(folder, 'link'), 'another one');
  await opened.close();
  assert.ok(readFileSync(to).equals(bundle));
  rmSync(to);
  const wrong = /** @type {[() => void, RegExp][]} */ ([
    [() => symlinkSync(join(folder, 'own/other'), from), /ELOOP/],
    [() => execFileSync('mkfifo', [from]), /it is not a file/],
    [() => mkdirSync(from), /EISDIR/],
    [() => (writeFileSync(from, ''), truncateSync(from, 2 ** 40)), /it is too large/],
    [() => {}, /ENOENT/],
  ]);
  for (const [make, reason] of wrong) {
    make();
    await assert.rejects(takeFile(from, to), reason);
    assert.deepEqual(readdirSync(join(folder, 'own')), ['other']);
  }
});

test('an update is a file, or is downloaded and deleted afterwards', async (t) => {
  const folder = temporaryFolder({ 'here.raucb': 'bundle' });
  const file = join(folder, 'here.raucb');
  const local = await fetchBundle(file);
  await local.remove();
  assert.equal(readFileSync(local.file, 'utf8'), 'bundle');
  await assert.rejects(fetchBundle(join(folder, 'missing')), { code: 'PITV_UPDATE_FILE' });

  const url = await serve(t, (response) => response.end('from afar'));
  const download = join(folder, 'new/download');
  const remote = await fetchBundle(url, download);
  assert.equal(readFileSync(remote.file, 'utf8'), 'from afar');
  await remote.remove();
  assert.ok(!existsSync(download));
});

test('a download that fails or is too large leaves no file', async (t) => {
  const download = join(temporaryFolder(), 'download');
  const chunk = Buffer.alloc(1 << 20);
  const endless = (/** @type {import('node:http').ServerResponse} */ response) => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', () => endless(response));
  };
  /** @type {[(response: import('node:http').ServerResponse) => unknown, RegExp][]} */
  const cases = [
    [(response) => response.writeHead(404).end(), /the server answers 404/],
    [
      (response) => {
        response.writeHead(200, { 'content-length': 9 });
        response.write('cut', () => response.destroy());
      },
      /cannot be downloaded/,
    ],
    [endless, /it is larger than 4194304 bytes/],
  ];
  for (const [respond, reason] of cases) {
    const url = await serve(t, respond);
    const refused = { code: 'PITV_UPDATE_FILE', message: reason };
    await assert.rejects(fetchBundle(url, download, 4 << 20), refused);
    assert.ok(!existsSync(download));
  }
});

test('versions are compared by their numbers, then by the time of their build', () => {
  const sorted = [
    '0.1.0',
    '0.1.0+20261125.202611280342',
    '0.1.0+20261201.202611010000',
    '0.2.0',
    '0.10.0',
    '1.0.0',
  ];
  for (const [i, older] of sorted.entries()) {
    assert.equal(compareVersions(older, older), 0);
    for (const newer of sorted.slice(i + 1)) {
      assert.ok(compareVersions(older, newer) < 0, `${older} < ${newer}`);
      assert.ok(compareVersions(newer, older) > 0, `${newer} > ${older}`);
    }
  }
  assert.ok(compareVersions('', '0.1.0') < 0);
});

test('a newer update is found by the list beside it', async (t) => {
  const list = { version: '0.2.0+202611250342', file: 'pitv-0.2.0+202611250342-arm64.raucb' };
  const url = await serve(t, (response) => response.end(JSON.stringify(list)));
  const folder = url.replace(/x$/, 'updates/');
  assert.equal(await findNewer(folder, '0.1.0', board), `${folder}${list.file}`);
  assert.equal(await findNewer(folder, list.version, board), undefined);
  assert.equal(await findNewer(folder, '0.3.0', board), undefined);
});

test('what is not a list of updates is an error that names the address', async (t) => {
  for (const text of [
    'no JSON',
    '{}',
    JSON.stringify({ version: '9.0.0', file: '../../etc/passwd' }),
    JSON.stringify({ version: '9.0.0', file: 'http://elsewhere/a.raucb' }),
    JSON.stringify({ version: 9, file: 'a.raucb' }),
    `"${'x'.repeat(100_000)}"`,
  ]) {
    const url = await serve(t, (response) => response.end(text));
    const message = new RegExp(`^Updates cannot be looked for at ${url}: `);
    await assert.rejects(findNewer(url, '0.1.0', board), { code: 'PITV_UPDATE_FILE', message });
  }
});

/**
 * Starts a server.
 * @param {import('node:test').TestContext} t
 * @param {(response: import('node:http').ServerResponse) => unknown} respond
 * @returns {Promise<string>} its address
 */
async function serve(t, respond) {
  const server = createServer((_request, response) => void respond(response));
  return `http://127.0.0.1:${await listen(t, server)}/x`;
}
