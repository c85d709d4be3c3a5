import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  const folder = await temporaryFolder(t);
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
  await updates.write(0, Buffer.from('bun'));
  await updates.write(3, Buffer.from('dle'));
  assert.ok(!existsSync(request));
  await updates.install(6);
  assert.equal(readFileSync(updates.file, 'utf8'), 'bundle');
  assert.equal(readFileSync(request, 'utf8'), 'upload');
  assert.deepEqual(await updates.state(), {
    systems: [SYSTEM],
    canLook: false,
    busy: false,
    progress: null,
  });
});

test('an incomplete, mixed or too large upload is refused and requests nothing', async (t) => {
  const { updates, request } = await setUp(t);
  const refused = { code: 'PITV_UPDATE_FILE' };
  await updates.write(0, Buffer.from('part'));
  await assert.rejects(updates.install(5), { ...refused, message: /^4 of 5 bytes have arrived/ });
  await updates.write(0, Buffer.from('another'));
  await assert.rejects(updates.write(4, Buffer.from('rest')), refused);
  await assert.rejects(updates.install(0), refused);
  const message = /^An update may have at most \d+ MiB here\.$/;
  const huge = { length: LIMITS.bundleBytes.value + 1 };
  const part = /** @type {Uint8Array} */ (/** @type {unknown} */ (huge));
  await assert.rejects(updates.write(0, part), { ...refused, message });
  assert.ok(!existsSync(request));
  assert.ok(!existsSync(join(updates.file, '..')), 'nothing is left');
  await assert.rejects(updates.install(7), { ...refused, message: /^0 of 7 bytes/ });
});

test('there is one update at a time, and a service that reports nothing does not block the next', async (t) => {
  let now = 1_000_000;
  const { updates, report } = await setUp(t, { updateUrl: 'http://x/', clock: () => now });
  report({ phase: 'installing', percent: 10, at: now });
  assert.equal((await updates.state())?.busy, true);
  await assert.rejects(updates.write(0, Buffer.from('x')), { code: 'PITV_UPDATE_BUSY' });
  await assert.rejects(updates.look(), { code: 'PITV_UPDATE_BUSY' });
  report({ phase: 'failed', problem: 'It is damaged.', at: now });
  assert.equal((await updates.state())?.busy, false);
  report({ phase: 'installing', percent: 10, at: now });
  now += 16 * 60_000;
  assert.equal((await updates.state())?.busy, false);
  const both = await Promise.allSettled([updates.look(), updates.look()]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
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
  await updates.write(0, Buffer.from('left'));
  await updates.install(4);
  await updates.open();
  assert.ok(!existsSync(updates.file));
});
