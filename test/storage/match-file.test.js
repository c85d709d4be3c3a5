import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { decodeMatch, encodeMatch } from '../../app/storage/match-file.js';
import { saved } from '../support/saved-match.js';

const HEADER_BYTES = 44;
const CHECKPOINT = Buffer.from([1, 2, 10, 3, 10, 0, 255]); // with newlines

/** @param {Buffer} file */
const assertRefused = (file, what = '') =>
  assert.throws(() => decodeMatch(file), { code: 'PITV_SAVED_INVALID' }, what);

/** A file with a valid checksum. @param {Buffer} content */
function fileOf(content) {
  const packed = deflateRawSync(content);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(packed.length);
  const checksum = createHash('sha256').update(packed).digest();
  return Buffer.concat([Buffer.from('pitvlive'), length, checksum, packed]);
}

test('a match is decoded as it was encoded, from whole blocks that are much smaller than its checkpoint', async () => {
  const checkpoint = Buffer.alloc(20_000, CHECKPOINT);
  const file = await encodeMatch(saved, checkpoint);
  assert.deepEqual(decodeMatch(file), { saved, checkpoint });
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
