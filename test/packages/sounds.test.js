import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { LIMITS } from '../../app/limits/table.js';
import { checkSounds, readSound } from '../../app/packages/sounds.js';
import { wavOf } from '../support/sounds.js';
import { temporaryFolder } from '../support/tv.js';

const MAX_MS = LIMITS.soundMs.value;

/** @param {import('node:test').TestContext} t */
async function open(t) {
  const folder = await temporaryFolder(t);
  mkdirSync(join(folder, 'sounds'));
  /** @param {string} name @param {Buffer | string} bytes */
  const write = (name, bytes) => writeFileSync(join(folder, 'sounds', name), bytes);
  return { folder, write };
}

test('sounds whose headers are right are read', async (t) => {
  const { folder, write } = await open(t);
  write('a.wav', wavOf(MAX_MS));
  write('b.wav', wavOf(100, { channels: 2, rate: 48_000, bits: 16 }));
  write('c.wav', wavOf(100, { extra: Buffer.from('LIST\x03\0\0\0abc\0', 'latin1') }));
  await checkSounds(folder);
  assert.deepEqual(await readSound(folder, 'a.wav'), { bytes: wavOf(MAX_MS), type: 'audio/wav' });
});

/** Wrong files. @type {Record<string, [string, Buffer | string]>} */
const WRONG = {
  'a page': ['a.wav', '<!doctype html><script>alert(1)</script>'],
  'another ending': ['a.mp3', wavOf(10)],
  'a sound that is too long': ['a.wav', wavOf(MAX_MS + 1)],
  'a sound of no rate': ['a.wav', wavOf(10, { rate: 0 })],
  'a compressed sound': ['a.wav', wavOf(10, { code: 85 })],
  'too many channels': ['a.wav', wavOf(10, { channels: 6 })],
  'samples of 24 bits': ['a.wav', wavOf(10, { bits: 24 })],
  'half a header': ['a.wav', wavOf(10).subarray(0, 30)],
  'half the samples': ['a.wav', wavOf(10).subarray(0, 60)],
  'samples before the format': [
    'a.wav',
    Buffer.concat([wavOf(10).subarray(0, 12), wavOf(10).subarray(36)]),
  ],
  'no samples': ['a.wav', wavOf(10).subarray(0, 36)],
  'a chunk of 4 GiB': [
    'a.wav',
    wavOf(10, { extra: Buffer.from('LIST\xff\xff\xff\xff', 'latin1') }),
  ],
  'too many bytes': ['a.wav', wavOf(MAX_MS, { channels: 2, rate: 48_000, bits: 16 })],
};

for (const [name, [file, bytes]] of Object.entries(WRONG)) {
  test(`${name} is refused`, async (t) => {
    const { folder, write } = await open(t);
    write(file, bytes);
    await assert.rejects(checkSounds(folder), {
      code: 'PITV_PACKAGE_INVALID',
      message: /sounds\//,
    });
  });
}

test('the sentence about a sound says what is wrong', async (t) => {
  const { folder, write } = await open(t);
  /** @type {[Buffer, RegExp][]} */
  const wrong = [
    [Buffer.from('ID3 this is an MP3 file'), /a\.wav is not a WAV file\.$/],
    [wavOf(10, { channels: 6 }), /a\.wav is cut, or does not have 1 or 2 channels/],
    [wavOf(MAX_MS + 100), /a\.wav lasts 5\.1 s; 5 s are allowed\.$/],
  ];
  for (const [bytes, message] of wrong) {
    write('a.wav', bytes);
    await assert.rejects(readSound(folder, 'a.wav'), { code: 'PITV_PACKAGE_INVALID', message });
  }
});

test('too many sounds are refused', async (t) => {
  const { folder, write } = await open(t);
  for (let i = 0; i <= LIMITS.sounds.value; i++) write(`${i}.wav`, wavOf(1));
  await assert.rejects(checkSounds(folder), { code: 'PITV_PACKAGE_INVALID', message: /17 files/ });
});
