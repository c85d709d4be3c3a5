import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { silentLog } from '../../app/log.js';
import { LIMITS } from '../../app/limits/table.js';
import { RuntimeDir } from '../../app/system/runtime-dir.js';
import { PROGRESS, SYSTEMS, Updates } from '../../app/system/updates.js';
import { temporaryFolder } from '../support/tv.js';

const SYSTEM = { name: 'A', running: true, good: true, version: '0.1.0' };

/**
 * @param {import('node:test').TestContext} t
 * @param {{updateDir?: string, updateUrl?: string, clock?: () => number}} [options]
 */
async function setUp(t, { updateDir = temporaryFolder(), updateUrl = '', clock } = {}) {
  const runtime = temporaryFolder();
  const settings = { dataDir: temporaryFolder(), updateDir, updateUrl };
  const runtimeDir = new RuntimeDir(runtime);
  const updates = new Updates({ settings, runtimeDir, log: silentLog, clock });
  const request = join(runtime, 'update');
  const report = (/** @type {unknown} */ progress) =>
    writeFileSync(join(updateDir, PROGRESS), JSON.stringify(progress));
  t.after(() => updates.close());
  return { updates, request, report, updateDir };
}

/**
 * Sends a part.
 * @param {Updates} updates @param {string} text @param {Partial<Parameters<Updates['write']>[1]>} [where]
 */
const write = (updates, text, where) =>
  updates.write(Buffer.from(text), { offset: 0, size: 8, ...where });

test('a machine with one system cannot install updates', async (t) => {
  const { updates } = await setUp(t, { updateDir: '' });
  assert.equal(await updates.state(), null);
  await assert.rejects(write(updates, 'x'), { code: 'PITV_UPDATE_UNSUPPORTED' });
  await assert.rejects(updates.look(), { code: 'PITV_UPDATE_UNSUPPORTED' });
});

test('an upload is stored part by part, then requested', async (t) => {
  const { updates, request, updateDir } = await setUp(t);
  writeFileSync(join(updateDir, SYSTEMS), JSON.stringify([SYSTEM]));
  const upload = await write(updates, 'bund');
  assert.ok(!existsSync(request));
  assert.equal(await write(updates, 'le 2', { offset: 4, upload }), upload);
  assert.equal(readFileSync(updates.file, 'utf8'), 'bundle 2');
  assert.equal(readFileSync(request, 'utf8'), 'upload');
  assert.deepEqual(await updates.state(), {
    systems: [SYSTEM],
    canLook: false,
    busy: true,
    progress: null,
  });
  // Until the service has taken the file, nobody else replaces it.
  for (const other of [() => write(updates, 'x'), () => updates.again()])
    await assert.rejects(other(), { code: 'PITV_UPDATE_BUSY', message: /is being installed/ });
  assert.equal(readFileSync(updates.file, 'utf8'), 'bundle 2');
});

test('parts of two uploads are never mixed: the later one replaces the earlier', async (t) => {
  const { updates, request } = await setUp(t);
  const first = await write(updates, 'AAAA');
  const second = await write(updates, 'BBBB');
  const replaced = { code: 'PITV_UPDATE_FILE', message: /^Another upload has begun/ };
  for (const upload of [first, undefined])
    await assert.rejects(write(updates, 'AAAA', { offset: 4, upload }), replaced);
  assert.ok(!existsSync(request));
  await write(updates, 'BBBB', { offset: 4, upload: second });
  assert.equal(readFileSync(updates.file, 'utf8'), 'BBBBBBBB');
});

test('an incomplete or too large upload is refused and requests nothing', async (t) => {
  const { updates, request } = await setUp(t);
  const refused = { code: 'PITV_UPDATE_FILE' };
  const upload = await write(updates, 'part');
  for (const [offset, text] of /** @type {[number, string][]} */ ([
    [5, 'far'],
    [4, 'too long'],
    [0, 'far too long'],
  ]))
    await assert.rejects(write(updates, text, { offset, upload }), refused);
  const message = /^An update may have at most \d+ MiB here\.$/;
  const size = LIMITS.bundleBytes.value + 1;
  await assert.rejects(write(updates, 'part', { size }), { ...refused, message });
  assert.ok(!existsSync(request));
  assert.ok(!existsSync(join(updates.file, '..')), 'nothing is left');
});

test('there is one update at a time, and a service that reports nothing does not block the next', async (t) => {
  let now = 1_000_000;
  const { updates, report } = await setUp(t, { updateUrl: 'http://x/', clock: () => now });
  report({ phase: 'installing', percent: 10, at: now });
  assert.equal((await updates.state())?.busy, true);
  const isBusy = (/** @type {RegExp} */ message) => ({ code: 'PITV_UPDATE_BUSY', message });
  await assert.rejects(write(updates, 'x'), isBusy(/is being installed/));
  report({ phase: 'downloading', at: now });
  await assert.rejects(updates.look(), isBusy(/is being downloaded/));
  report({ phase: 'failed', problem: 'It is damaged.', at: now });
  assert.equal((await updates.state())?.busy, false);
  report({ phase: 'installing', percent: 10, at: now });
  now += 16 * 60_000;
  assert.equal((await updates.state())?.busy, false);
  const both = await Promise.allSettled([write(updates, 'x'), write(updates, 'x')]);
  const [refused, ...more] = both.flatMap((each) =>
    each.status === 'rejected' ? [each.reason] : [],
  );
  assert.match(refused.message, /^Another update is being uploaded\./);
  assert.deepEqual(more, []);
});

test('reports that cannot be read are left out', async (t) => {
  const { updates, updateDir } = await setUp(t);
  writeFileSync(join(updateDir, SYSTEMS), '{"no": "list"}');
  writeFileSync(join(updateDir, PROGRESS), 'x'.repeat(100_000));
  const { systems, progress } = (await updates.state()) ?? {};
  assert.deepEqual([systems, progress], [[], null]);
});

test('a look is requested with an address only; a start removes an old upload', async (t) => {
  const { updates, request } = await setUp(t, { updateUrl: 'https://example.org/pitv/' });
  await updates.look();
  assert.equal(readFileSync(request, 'utf8'), 'look');
  assert.equal((await updates.state())?.canLook, true);
  rmSync(request);
  await write(updates, 'left', { size: 4 });
  await updates.open();
  assert.ok(!existsSync(updates.file));
});
