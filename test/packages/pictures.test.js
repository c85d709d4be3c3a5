import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { LIMITS } from '../../app/limits/table.js';
import { checkPictures, readPicture } from '../../app/packages/pictures.js';
import { pngOf, webpOf } from '../support/pictures.js';
import { temporaryFolder } from '../support/tv.js';

const MAX = LIMITS.pictureSide.value;

/** @param {import('node:test').TestContext} t */
async function open(t) {
  const folder = await temporaryFolder(t);
  mkdirSync(join(folder, 'art'));
  /** @param {string} name @param {Buffer | string} bytes */
  const write = (name, bytes) => writeFileSync(join(folder, 'art', name), bytes);
  return { folder, write };
}

test('pictures whose headers are right are read', async (t) => {
  const { folder, write } = await open(t);
  write('a.png', pngOf(1, MAX));
  write('b.webp', webpOf('VP8 ', MAX, 1));
  write('c.webp', webpOf('VP8L', MAX, MAX));
  write('d.webp', webpOf('VP8X', 1, MAX));
  await checkPictures(folder);
  assert.deepEqual(await readPicture(folder, 'a.png'), { bytes: pngOf(1, MAX), type: 'image/png' });
  assert.equal((await readPicture(folder, 'b.webp')).type, 'image/webp');
});

/** Wrong files. @type {Record<string, [string, Buffer | string]>} */
const WRONG = {
  'a page': ['a.png', '<!doctype html><script>alert(1)</script>'],
  'an SVG': ['a.webp', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  'another ending': ['a.svg', pngOf(1, 1)],
  'no ending': ['a', pngOf(1, 1)],
  'a WebP named PNG': ['a.png', webpOf('VP8X', 1, 1)],
  'a PNG named WebP': ['a.webp', pngOf(1, 1)],
  'no bytes': ['a.png', ''],
  'half a header': ['a.png', pngOf(1, 1).subarray(0, 24)],
  'half a WebP header': ['a.webp', webpOf('VP8X', 1, 1).subarray(0, 20)],
  'an unknown WebP': ['a.webp', Buffer.from(webpOf('VP8X', 1, 1)).fill('?', 12, 16)],
  'a PNG without width': ['a.png', pngOf(0, 1)],
  'a PNG that is too wide': ['a.png', pngOf(MAX + 1, 1)],
  'a PNG of a terapixel': ['a.png', pngOf(2 ** 31, 2 ** 31)],
  'a WebP that is too high': ['a.webp', webpOf('VP8L', 1, MAX + 1)],
  'a WebP without height': ['a.webp', webpOf('VP8 ', 1, 0)],
  'too many bytes': [
    'a.png',
    Buffer.concat([pngOf(1, 1), Buffer.alloc(LIMITS.pictureBytes.value)]),
  ],
};

for (const [name, [file, bytes]] of Object.entries(WRONG)) {
  test(`${name} is refused`, async (t) => {
    const { folder, write } = await open(t);
    write(file, bytes);
    await assert.rejects(checkPictures(folder), { code: 'PITV_PACKAGE_INVALID', message: /art\// });
  });
}

test('the sentence about a picture says what is wrong', async (t) => {
  const { folder, write } = await open(t);
  /** @type {[string, Buffer | string, RegExp][]} */
  const wrong = [
    [
      'a.png',
      Buffer.from('ffd8ffe000104a464946', 'hex'),
      /a\.png is not a PNG .*: its format is JPEG/,
    ],
    ['a.png', webpOf('VP8X', 1, 1), /a\.png is not a PNG picture: its format is WebP\.$/],
    ['a.webp', '<svg/>', /a\.webp is not a WebP picture: its format is SVG\.$/],
    ['a.png', pngOf(1, 1).subarray(0, 24), /a\.png is not a PNG picture: its header is wrong\.$/],
    ['a.png', pngOf(MAX + 1, 2), /a\.png has 1025 x 2 pixels; 1 x 1 to 1024 x 1024 are allowed\.$/],
  ];
  for (const [name, bytes, message] of wrong) {
    write(name, bytes);
    await assert.rejects(readPicture(folder, name), { code: 'PITV_PACKAGE_INVALID', message });
  }
});

test('too many pictures and folders are refused, and links are not followed', async (t) => {
  const many = await open(t);
  for (let i = 0; i <= LIMITS.pictures.value; i++) many.write(`${i}.png`, pngOf(1, 1));
  await assert.rejects(checkPictures(many.folder), /33 files; 32 are allowed/);
  const { folder, write } = await open(t);
  write('real.png', pngOf(1, 1));
  symlinkSync('real.png', join(folder, 'art/link.png'));
  await assert.rejects(readPicture(folder, 'link.png'), { code: 'ELOOP' });
  mkdirSync(join(folder, 'art/folder.png'));
  await assert.rejects(checkPictures(folder));
  await assert.rejects(readPicture(folder, '../art/real.png'), { code: 'PITV_PACKAGE_INVALID' });
});
