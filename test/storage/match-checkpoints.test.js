import assert from 'node:assert/strict';
import { cp, open, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { CheckpointFiles } from '../../app/storage/match-checkpoints.js';
import { decodeMatch, encodeMatch } from '../../app/storage/match-file.js';
import { fileOf, saved } from '../support/saved-match.js';
import { temporaryFolder } from '../support/tv.js';
import { descriptors } from '../support/wire.js';

/** Of the handles of files. */
const prototype = await open(tmpdir()).then(async (handle) => {
  await handle.close();
  return Object.getPrototypeOf(handle);
});

/** @param {number} tick */
const state = (tick) => Buffer.alloc(20_000, tick % 251);

test('the newer of two checkpoints is read, and the older one when the newer one is cut off', async () => {
  const folder = temporaryFolder();
  const files = new CheckpointFiles(folder);
  for (const tick of [60, 120, 180]) await files.write({ ...saved, tick }, state(tick));
  assert.deepEqual(await files.read(), [
    { saved: { ...saved, tick: 180 }, checkpoint: state(180) },
  ]);
  const names = await readdir(files.folder);
  assert.deepEqual(names.sort(), ['7.a', '7.b'], 'two files for any number of checkpoints');
  // The third checkpoint is in the first file again. Its write is cut off.
  await truncate(join(files.folder, '7.a'), 100);
  assert.equal((await files.read())[0].saved.tick, 120);
  await files.close();
});

test('after a restart the first write overwrites the older checkpoint', async () => {
  const folder = temporaryFolder();
  const before = new CheckpointFiles(folder);
  for (const tick of [60, 120]) await before.write({ ...saved, tick }, state(tick));
  await before.close();
  const after = new CheckpointFiles(folder);
  await after.write({ ...saved, tick: 130 }, state(130));
  const b = decodeMatch(await readFile(join(after.folder, '7.b')));
  assert.equal(b.saved.tick, 120, 'the newest one from before the restart stays');
  assert.equal((await after.read())[0].saved.tick, 130);
  await after.remove(7);
  assert.deepEqual(await readdir(after.folder), []);
});

test('only a newer checkpoint is written, and at the end one of the same tick', async () => {
  const files = new CheckpointFiles(temporaryFolder());
  await files.write(saved, state(1));
  const { bytesWritten } = files;
  await files.write(saved, state(1));
  await files.write({ ...saved, tick: 1 }, state(1));
  await files.write({ ...saved, tick: 1 }, state(1), { final: true });
  assert.equal(files.bytesWritten, bytesWritten);
  const seats = [{ slot: 1, player: 3 }];
  await files.write({ ...saved, seats }, state(1), { final: true });
  assert.ok(files.bytesWritten > bytesWritten);
  assert.deepEqual((await files.read())[0].saved.seats, seats);
  await files.close();
});

test('a power cut at any byte of a write leaves one of the last two checkpoints', async () => {
  const folder = temporaryFolder();
  const files = new CheckpointFiles(folder);
  await files.write({ ...saved, tick: 1 }, state(1));
  await files.write({ ...saved, tick: 2 }, state(2));
  const file = await encodeMatch({ ...saved, tick: 3 }, state(3));
  const old = await readFile(join(files.folder, '7.a'));
  for (let written = 0; written <= file.length; written += 512) {
    const cut = Buffer.from(old);
    file.copy(cut, 0, 0, written);
    const copy = join(temporaryFolder(), 'copy');
    await cp(folder, copy, { recursive: true });
    await writeFile(join(copy, 'live/7.a'), cut);
    const [match] = await new CheckpointFiles(copy).read();
    assert.ok(match.saved.tick === 2 || match.saved.tick === 3, `${written} bytes`);
    assert.deepEqual(match.checkpoint, state(match.saved.tick));
  }
  await files.close();
});

test('the disk has the data of a checkpoint before the next one may overwrite the other side', async (t) => {
  const files = new CheckpointFiles(temporaryFolder());
  const write = t.mock.method(prototype, 'write');
  const datasync = t.mock.method(prototype, 'datasync', async () => {
    assert.equal(write.mock.callCount(), datasync.mock.callCount() + 1);
  });
  for (const tick of [1, 2, 3]) await files.write({ ...saved, tick }, state(tick));
  assert.equal(datasync.mock.callCount(), 3);
  await files.close();
});

test('a write that is cut short goes on; after one that fails, the other side is readable', async (t) => {
  const files = new CheckpointFiles(temporaryFolder());
  const { write } = prototype;
  /** @this {any} @param {any[]} args */
  function writeHalf(...args) {
    const [bytes, from, length, to] = args;
    return write.call(this, bytes, from, Math.ceil(length / 2), to);
  }
  const writing = t.mock.method(prototype, 'write', writeHalf);
  await files.write({ ...saved, tick: 1 }, state(1));
  assert.ok(writing.mock.callCount() > 1);
  assert.deepEqual((await files.read())[0].checkpoint, state(1));
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  writing.mock.mockImplementation(() => Promise.reject(full));
  await assert.rejects(files.write({ ...saved, tick: 2 }, state(2)), full);
  assert.equal((await files.read())[0].saved.tick, 1);
  writing.mock.restore();
  await files.write({ ...saved, tick: 3 }, state(3));
  assert.equal((await files.read())[0].saved.tick, 3);
  await files.close();
  // The files of a match are closed when they cannot be kept.
  const syncing = t.mock.method(prototype, 'sync', () => Promise.reject(full));
  const before = descriptors();
  await assert.rejects(files.write({ ...saved, tick: 4 }, state(4)), full);
  assert.equal(descriptors(), before);
  syncing.mock.restore();
  await files.write({ ...saved, tick: 5 }, state(5));
  assert.equal((await files.read())[0].saved.tick, 5);
  await files.close();
});

const HEADER_BYTES = 44;
const CHECKPOINT = Buffer.from([1, 2, 10, 3, 10, 0, 255]); // with newlines

/** @param {Buffer} file */
const assertRefused = (file, what = '') =>
  assert.throws(() => decodeMatch(file), { code: 'PITV_SAVED_INVALID' }, what);

test('a match is decoded as it was encoded, from whole blocks that are much smaller than its checkpoint', async () => {
  const checkpoint = Buffer.alloc(20_000, CHECKPOINT);
  const match = { ...saved, pause: { by: 'Ann', asks: true, leftMs: 900 } };
  const file = await encodeMatch(match, checkpoint);
  assert.deepEqual(decodeMatch(file), { saved: match, checkpoint });
  assert.equal(file.length % 4096, 0);
  assert.ok(file.length < 20_000 / 2);
});

test('a file that is cut off or damaged at any byte is refused', async () => {
  const file = await encodeMatch(saved, CHECKPOINT);
  const usedBytes = HEADER_BYTES + file.readUInt32LE(8);
  for (let length = 0; length < usedBytes; length++) {
    assertRefused(file.subarray(0, length), `${length} bytes`);
  }
  for (let at = 0; at < usedBytes; at++) {
    const damaged = Buffer.from(file);
    damaged[at] ^= 1;
    assertRefused(damaged, `byte ${at}`);
  }
});

const [SEAT] = saved.seats;

test('fields of wrong types or out of range are refused', async () => {
  for (const wrong of [
    { id: 'x' },
    { id: 65536 },
    { tokenHash: 'x' },
    { seats: [null] },
    { seats: [{ ...SEAT, slot: 'a' }] },
    { seats: [{ ...SEAT, presses: [16, 0] }] },
    { seats: [{ ...SEAT, presses: [1] }] },
    { seats: [SEAT, { ...SEAT, slot: 1 }] },
    { seats: [SEAT, { ...SEAT, player: 4 }] },
    { owner: 5 },
    { tick: -1 },
    { tick: 2 ** 32 },
    { options: [] },
    { pause: { by: 'Ann' } },
    { options: { seed: '1' } },
    { options: { seed: 1, other: '1' } },
    { options: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [i, 1])) },
    { game: 'x'.repeat(257) },
  ]) {
    const fields = /** @type {any} */ ({ ...saved, ...wrong });
    assertRefused(await encodeMatch(fields, CHECKPOINT), JSON.stringify(wrong));
  }
});

test('content that is not a saved match is refused, although its checksum is right', () => {
  for (const content of ['', '\n', 'null\n', '{"format":2}\n', 'rubbish', '['.repeat(100_000)]) {
    assertRefused(fileOf(Buffer.from(content)), content.slice(0, 20));
  }
  assertRefused(fileOf(Buffer.alloc(17 * 1024 * 1024)), 'larger than the limit when decompressed');
});
