import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { silentLog } from '../../app/log.js';
import { LIMITS } from '../../app/limits/table.js';
import { RuntimeDir } from '../../app/system/runtime-dir.js';
import { PROGRESS, SYSTEMS, Updates } from '../../app/system/updates.js';
import { temporaryFolder } from '../support/tv.js';

const SYSTEM = { name: 'A', running: true, good: true, version: '0.1.0' };

/** @param {import('node:test').TestContext} t @param {{updateUrl?: string, clock?: () => number}} [options] */
async function setUp(t, { updateUrl = '', clock } = {}) {
  const folder = temporaryFolder();
  const [dataDir, runtime, updateDir] = ['data', 'run', 'reports'].map((name) =>
    join(folder, name),
  );
  for (const each of [dataDir, runtime, updateDir]) mkdirSync(each);
  const settings = { dataDir, updateDir, updateUrl };
  const updates = new Updates({
    settings,
    runtimeDir: new RuntimeDir(runtime),
    log: silentLog,
    clock,
  });
  const request = join(runtime, 'update');
  const report = (/** @type {unknown} */ progress) =>
    writeFileSync(join(updateDir, PROGRESS), JSON.stringify(progress));
  t.after(() => updates.close());
  return { updates, settings, request, report, updateDir };
}

test('a machine with one system cannot install updates', async (t) => {
  const { settings } = await setUp(t);
  const runtimeDir = new RuntimeDir('');
  const updates = new Updates({
    settings: { ...settings, updateDir: '' },
    runtimeDir,
    log: silentLog,
  });
  assert.equal(await updates.state(), null);
  await assert.rejects(updates.write(0, Buffer.from('x')), { code: 'PITV_UPDATE_UNSUPPORTED' });
  await assert.rejects(updates.look(), { code: 'PITV_UPDATE_UNSUPPORTED' });
});

test('an upload is stored part by part, then requested', async (t) => {
  const { updates, request, updateDir } = await setUp(t);
  writeFileSync(join(updateDir, SYSTEMS), JSON.stringify([SYSTEM]));
  const upload = await updates.write(0, Buffer.from('bun'));
  assert.equal(await updates.write(3, Buffer.from('dle'), upload), upload);
  assert.ok(!existsSync(request));
  await updates.install(6, upload);
  assert.equal(readFileSync(updates.file, 'utf8'), 'bundle');
  assert.equal(readFileSync(request, 'utf8'), 'upload');
  assert.deepEqual(await updates.state(), {
    systems: [SYSTEM],
    canLook: false,
    busy: true,
    progress: null,
  });
  // Until the service has taken the file, nobody else replaces it.
  for (const other of [() => updates.write(0, Buffer.from('x')), () => updates.again()])
    await assert.rejects(other(), { code: 'PITV_UPDATE_BUSY', message: /is being installed/ });
  assert.equal(readFileSync(updates.file, 'utf8'), 'bundle');
});

test('parts of two uploads are never mixed: the later one replaces the earlier', async (t) => {
  const { updates, request } = await setUp(t);
  const first = await updates.write(0, Buffer.from('AAAA'));
  const second = await updates.write(0, Buffer.from('BBBB'));
  const replaced = { code: 'PITV_UPDATE_FILE', message: /^Another upload has begun/ };
  await assert.rejects(updates.write(4, Buffer.from('AAAA'), first), replaced);
  await assert.rejects(updates.install(4, first), replaced);
  await updates.write(4, Buffer.from('BBBB'), second);
  await assert.rejects(updates.write(8, Buffer.from('A')), replaced, 'without a name');
  assert.ok(!existsSync(request));
  await updates.install(8, second);
  assert.equal(readFileSync(updates.file, 'utf8'), 'BBBBBBBB');
});

test('an incomplete or too large upload is refused and requests nothing', async (t) => {
  const { updates, request } = await setUp(t);
  const refused = { code: 'PITV_UPDATE_FILE' };
  const upload = await updates.write(0, Buffer.from('part'));
  const message4 = /^4 of 5 bytes have arrived/;
  await assert.rejects(updates.install(5, upload), { ...refused, message: message4 });
  await assert.rejects(updates.write(5, Buffer.from('rest'), upload), refused);
  await assert.rejects(updates.install(0, upload), refused);
  const message = /^An update may have at most \d+ MiB here\.$/;
  const huge = { length: LIMITS.bundleBytes.value + 1 };
  const part = /** @type {Uint8Array} */ (/** @type {unknown} */ (huge));
  await assert.rejects(updates.write(0, part), { ...refused, message });
  assert.ok(!existsSync(request));
  assert.ok(!existsSync(join(updates.file, '..')), 'nothing is left');
  await assert.rejects(updates.install(4, upload), refused);
});

test('there is one update at a time, and a service that reports nothing does not block the next', async (t) => {
  let now = 1_000_000;
  const { updates, report } = await setUp(t, { updateUrl: 'http://x/', clock: () => now });
  report({ phase: 'installing', percent: 10, at: now });
  assert.equal((await updates.state())?.busy, true);
  const isBusy = (/** @type {RegExp} */ message) => ({ code: 'PITV_UPDATE_BUSY', message });
  await assert.rejects(updates.write(0, Buffer.from('x')), isBusy(/is being installed/));
  report({ phase: 'downloading', at: now });
  await assert.rejects(updates.look(), isBusy(/is being downloaded/));
  report({ phase: 'failed', problem: 'It is damaged.', at: now });
  assert.equal((await updates.state())?.busy, false);
  report({ phase: 'installing', percent: 10, at: now });
  now += 16 * 60_000;
  assert.equal((await updates.state())?.busy, false);
  const write = () => updates.write(0, Buffer.from('x'));
  const both = await Promise.allSettled([write(), write()]);
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
  await updates.install(4, await updates.write(0, Buffer.from('left')));
  await updates.open();
  assert.ok(!existsSync(updates.file));
});
