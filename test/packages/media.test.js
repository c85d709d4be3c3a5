/** The pictures, sounds and texts of a package. */
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { LIMITS } from '../../app/limits/table.js';
import { checkContent, readContent, readLocales } from '../../app/packages/content.js';
import { readForeignGames } from '../../app/packages/foreign-games.js';
import { temporaryFolder } from '../support/folders.js';
import { gameFolder, gameSource } from '../support/game-files.js';
import { pngOf, webpOf } from '../support/pictures.js';
import { wavOf } from '../support/sounds.js';

const MAX = LIMITS.pictureSide.value;
const MAX_MS = LIMITS.soundMs.value;
const INVALID = 'PITV_PACKAGE_INVALID';
const TEXTS = {
  title: '모으기',
  tagline: '동전을 모으세요.',
  rules: ['동전 하나는 1점.'],
  controls: { stick: '움직이기', a: '뛰기' },
};

test('pictures whose headers are right are read', async () => {
  const folder = temporaryFolder({
    'art/a.png': pngOf(1, MAX),
    'art/b.webp': webpOf('VP8 ', MAX, 1),
    'art/c.webp': webpOf('VP8L', MAX, MAX),
    'art/d.webp': webpOf('VP8X', 1, MAX),
  });
  await checkContent(folder);
  const picture = { bytes: pngOf(1, MAX), type: 'image/png' };
  assert.deepEqual(await readContent(folder, 'art', 'a.png'), picture);
  assert.equal((await readContent(folder, 'art', 'b.webp')).type, 'image/webp');
});

test('sounds whose headers are right are read', async () => {
  const folder = temporaryFolder({
    'sounds/a.wav': wavOf(MAX_MS),
    'sounds/b.wav': wavOf(100, { channels: 2, rate: 48_000, bits: 16 }),
    'sounds/c.wav': wavOf(100, { extra: Buffer.from('LIST\x03\0\0\0abc\0', 'latin1') }),
  });
  await checkContent(folder);
  const sound = { bytes: wavOf(MAX_MS), type: 'audio/wav' };
  assert.deepEqual(await readContent(folder, 'sounds', 'a.wav'), sound);
});

test('texts are read by language; a package without them has none', async () => {
  assert.deepEqual(await readLocales(temporaryFolder()), {});
  const files = { 'locales/ko.json': JSON.stringify(TEXTS), 'locales/pt-BR.json': '{}' };
  const folder = temporaryFolder(files);
  assert.deepEqual(await readLocales(folder), { ko: TEXTS, 'pt-BR': {} });
});

/** @typedef {Record<string, [string, Buffer | string, RegExp?]>} Files by what each is, with the sentence about it */
/** Wrong files by folder. @type {Record<string, Files>} */
const WRONG = {
  art: {
    'a page': ['a.png', '<!doctype html><script>alert(1)</script>'],
    'an SVG': ['a.webp', '<svg/>', /a\.webp is not a WebP picture: its format is SVG\.$/],
    'a JPEG': ['a.png', Buffer.from('ffd8ffe000104a464946', 'hex'), /its format is JPEG\.$/],
    'another ending': ['a.svg', pngOf(1, 1)],
    'a WebP named PNG': ['a.png', webpOf('VP8X', 1, 1), /its format is WebP\.$/],
    'half a header': ['a.png', pngOf(1, 1).subarray(0, 24), /: its header is wrong\.$/],
    'half a WebP header': ['a.webp', webpOf('VP8X', 1, 1).subarray(0, 20)],
    'an unknown WebP': ['a.webp', Buffer.from(webpOf('VP8X', 1, 1)).fill('?', 12, 16)],
    'a PNG without width': ['a.png', pngOf(0, 1)],
    'a PNG that is too wide': ['a.png', pngOf(MAX + 1, 1), / has 1025 x 1 pixels; /],
    'a WebP that is too high': ['a.webp', webpOf('VP8L', 1, MAX + 1)],
    'a WebP without height': ['a.webp', webpOf('VP8 ', 1, 0)],
    'too many bytes': [
      'a.png',
      Buffer.concat([pngOf(1, 1), Buffer.alloc(LIMITS.pictureBytes.value)]),
    ],
  },
  sounds: {
    'another ending': ['a.mp3', wavOf(10)],
    'an MP3': ['a.wav', 'ID3 this is an MP3 file', /a\.wav is not a WAV file\.$/],
    'a long sound': ['a.wav', wavOf(MAX_MS + 100), /a\.wav lasts 5\.1 s; 5 s are allowed\.$/],
    'a sound of no rate': ['a.wav', wavOf(10, { rate: 0 })],
    'a compressed sound': ['a.wav', wavOf(10, { code: 85 })],
    'too many channels': ['a.wav', wavOf(10, { channels: 6 }), / does not have 1 or 2 channels/],
    'samples of 24 bits': ['a.wav', wavOf(10, { bits: 24 })],
    'half a header': ['a.wav', wavOf(10).subarray(0, 30)],
    'half the samples': ['a.wav', wavOf(10).subarray(0, 60)],
    'samples before the format': [
      'a.wav',
      Buffer.concat([wavOf(10).subarray(0, 12), wavOf(10).subarray(36)]),
    ],
    'no samples': ['a.wav', wavOf(10).subarray(0, 36)],
    // Chromium uses the first format, and all samples.
    'a second format': ['a.wav', wavOf(10, { rate: 3000, extra: wavOf(0).subarray(12, 36) })],
    'more samples': ['a.wav', Buffer.concat([wavOf(1), wavOf(MAX_MS).subarray(36)])],
    'a chunk of 4 GiB': [
      'a.wav',
      wavOf(10, { extra: Buffer.from('LIST\xff\xff\xff\xff', 'latin1') }),
    ],
    'too many bytes': ['a.wav', wavOf(MAX_MS, { channels: 2, rate: 48_000, bits: 16 })],
  },
  locales: {
    'another ending': ['ko.js', '{}'],
    'a name of objects': ['__proto__.json', '{}'],
    'no JSON': ['ko.json', '{'],
    'too many bytes': ['ko.json', ' '.repeat(LIMITS.localeBytes.value + 1)],
  },
};

for (const [name, files] of Object.entries(WRONG)) {
  for (const [what, [file, bytes, said = `${name}/`]] of Object.entries(files)) {
    test(`${name}: ${what} is refused`, async () => {
      const folder = temporaryFolder({ [`${name}/${file}`]: bytes });
      const refused = { code: INVALID, message: new RegExp(said) };
      await assert.rejects(checkContent(folder), refused);
    });
  }
}

test('too many files are refused', async () => {
  /** @type {[string, number, (i: number) => string, RegExp][]} */
  const folders = [
    ['art', LIMITS.pictures.value, (i) => `${i}.png`, /33 files; 32 are/],
    ['sounds', LIMITS.sounds.value, (i) => `${i}.wav`, /17 files/],
    ['locales', LIMITS.locales.value, (i) => `ko-${i}.json`, /65 files/],
  ];
  for (const [name, max, nameOf, message] of folders) {
    const paths = Array.from({ length: max + 1 }, (_, i) => `${name}/${nameOf(i)}`);
    const folder = temporaryFolder(Object.fromEntries(paths.map((path) => [path, ''])));
    await assert.rejects(checkContent(folder), { code: INVALID, message });
  }
});

test('links are not followed, and folders are refused', async () => {
  const folder = temporaryFolder({ 'art/real.png': pngOf(1, 1) });
  symlinkSync('real.png', join(folder, 'art/link.png'));
  await assert.rejects(readContent(folder, 'art', 'link.png'), { code: 'ELOOP' });
  mkdirSync(join(folder, 'art/folder.png'));
  await assert.rejects(checkContent(folder));
  await assert.rejects(readContent(folder, 'art', '../art/real.png'), { code: INVALID });
  mkdirSync(join(folder, 'locales'));
  symlinkSync('/etc/hostname', join(folder, 'locales/aaa.json'));
  await assert.rejects(readLocales(folder));
});

test('a game has the texts of its package, which are checked like its own', async () => {
  const folder = gameFolder({
    'game.js': gameSource('gather'),
    'locales/ko.json': JSON.stringify(TEXTS),
  });
  const file = { path: join(folder, 'game.js'), id: 'gather', folder };
  const [game] = await readForeignGames([file], 'open');
  assert.ok(!(game instanceof Error), String(game));
  assert.deepEqual(game.translations, { ko: TEXTS });

  /** @type {[unknown, RegExp][]} */
  const wrong = [
    [{ ...TEXTS, titel: 'x' }, /locales\/ko\.json: there is no field titel\. Is it title\?/],
    [{ ...TEXTS, title: '\u202e' }, /locales\/ko\.json: title must be .*, not "\\u202e"\./],
    [{ ...TEXTS, controls: { a: 5 } }, /locales\/ko\.json: controls\.a must be a text/],
    [{ ...TEXTS, teams: ['A', 'B'] }, /locales\/ko\.json: teams must have a name for each team/],
    [5, /locales\/ko\.json: its content must be an object, not 5\./],
  ];
  for (const [content, sentence] of wrong) {
    writeFileSync(join(folder, 'locales', 'ko.json'), JSON.stringify(content));
    const [result] = await readForeignGames([file], 'open');
    assert.match(String(result), sentence);
  }
});
