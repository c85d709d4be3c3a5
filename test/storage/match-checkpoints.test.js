import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, readFile, readdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  LiveFiles,
  LiveKeeper,
  packLive,
  unpackLive,
} from '../../app/storage/match-checkpoints.js';
import { silentLog } from '../../app/log.js';
import { saved } from '../support/saved-match.js';
import { temporaryFolder } from '../support/tv.js';

/** @param {number} tick */
const state = (tick) => Buffer.alloc(20_000, tick % 251);

test('a state comes back as it was, in whole blocks, much smaller than it is', async () => {
  const file = await packLive(saved, state(600));
  assert.deepEqual(unpackLive(file), { saved, checkpoint: state(600) });
  assert.equal(file.length % 4096, 0);
  assert.ok(file.length < 20_000 / 2);
});

test('a file that is cut off or spoilt at any place is no state', async () => {
  const file = await packLive(saved, Buffer.from([1, 2, 3]));
  const used = 44 + file.readUInt32LE(8);
  for (let length = 0; length < used; length++) {
    assert.equal(unpackLive(file.subarray(0, length)), undefined, `${length} bytes`);
  }
  for (let at = 0; at < used; at++) {
    const spoilt = Buffer.from(file);
    spoilt[at] ^= 1;
    assert.equal(unpackLive(spoilt), undefined, `byte ${at}`);
  }
});

test('the newer of two states counts; when it was being written, the older one', async (t) => {
  const folder = await temporaryFolder(t);
  const files = new LiveFiles(folder);
  for (const tick of [60, 120, 180]) await files.write({ ...saved, tick }, state(tick));
  const [kept] = await files.read();
  assert.equal(kept.saved.tick, 180);
  assert.deepEqual(kept.checkpoint, state(180));
  const names = await readdir(files.folder);
  assert.deepEqual(names.sort(), ['7.a', '7.b'], 'two files, whatever the number of states');
  // The third state lies in the first file again; its write is cut off.
  await truncate(join(files.folder, '7.a'), 100);
  assert.equal((await files.read())[0].saved.tick, 120);
  await writeFile(join(files.folder, '7.b'), 'rubbish');
  await writeFile(join(files.folder, 'other'), '');
  assert.deepEqual(await files.read(), []);
  await files.close();
});

test('after a power cut the first write goes over the older state', async (t) => {
  const folder = await temporaryFolder(t);
  const before = new LiveFiles(folder);
  for (const tick of [60, 120]) await before.write({ ...saved, tick }, state(tick));
  await before.close();
  const after = new LiveFiles(folder);
  await after.write({ ...saved, tick: 130 }, state(130));
  const b = unpackLive(await readFile(join(after.folder, '7.b')));
  assert.equal(b?.saved.tick, 120, 'the newest one from before is still there');
  assert.equal((await after.read())[0].saved.tick, 130);
  await after.remove(7);
  assert.deepEqual(await readdir(after.folder), []);
});

test('a state that is no newer is not written', async (t) => {
  const files = new LiveFiles(await temporaryFolder(t));
  await files.write(saved, state(1));
  const { bytesWritten } = files;
  await files.write(saved, state(1));
  await files.write({ ...saved, tick: 1 }, state(1));
  assert.equal(files.bytesWritten, bytesWritten);
  await files.close();
});

test('whenever power goes while states are written, one of the last two is there', async (t) => {
  const folder = await temporaryFolder(t);
  const files = new LiveFiles(folder);
  await files.write({ ...saved, tick: 1 }, state(1));
  await files.write({ ...saved, tick: 2 }, state(2));
  const file = await packLive({ ...saved, tick: 3 }, state(3));
  const old = await readFile(join(files.folder, '7.a'));
  for (let written = 0; written <= file.length; written += 512) {
    const cut = Buffer.from(old);
    file.copy(cut, 0, 0, written);
    const copy = join(await temporaryFolder(t), 'copy');
    await cp(folder, copy, { recursive: true });
    await writeFile(join(copy, 'live/7.a'), cut);
    const [kept] = await new LiveFiles(copy).read();
    assert.ok(kept.saved.tick === 2 || kept.saved.tick === 3, `${written} bytes`);
    assert.deepEqual(kept.checkpoint, state(kept.saved.tick));
  }
  await files.close();
});

test('a write that is cut short is an error, and the other side stays readable', async (t) => {
  const script = fileURLToPath(new URL('../support/short-writes.js', import.meta.url));
  const { stdout } = await promisify(execFile)('sh', [
    '-c',
    'ulimit -f 16; exec "$0" "$@"', // 16 blocks of 512 bytes
    process.execPath,
    script,
    await temporaryFolder(t),
  ]);
  assert.deepEqual(JSON.parse(stdout), [
    { tick: 60, error: null, readable: 60 },
    { tick: 120, error: null, readable: 120 },
    { tick: 180, error: 'EFBIG', readable: 120 },
    { tick: 240, error: 'EFBIG', readable: 120 },
    { tick: 300, error: 'EFBIG', readable: 120 },
    { tick: 360, error: null, readable: 360 },
  ]);
});

test('a disk that fails is told once, and what is kept again as well', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  /** @type {string[]} */
  const said = [];
  let changes = 0;
  let broken = true;
  let done = () => {};
  const keeper = new LiveKeeper({
    files: /** @type {any} */ ({}),
    matches: () => [],
    keepPeople: async () => {
      queueMicrotask(() => queueMicrotask(() => setImmediate(done)));
      if (broken) throw new Error('ENOSPC');
    },
    log: { ...silentLog, warn: () => said.push('warn'), info: () => said.push('info') },
    problemChanged: () => changes++,
  });
  const tick = () =>
    new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
      done = resolve;
      t.mock.timers.tick(1000);
    });
  keeper.start(1000);
  await tick();
  await tick();
  assert.equal(keeper.problem, 'ENOSPC');
  broken = false;
  await tick();
  assert.equal(keeper.problem, undefined);
  assert.deepEqual(said, ['warn', 'info']);
  assert.equal(changes, 2, 'the page is told twice');
  keeper.stop();
});
