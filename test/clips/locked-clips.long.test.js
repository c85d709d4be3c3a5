/** Clips of games of others: the process that renders them is locked, and draws the pictures of the package. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { decodePictures } from '../../app/clips/decode-pictures.js';
import { encode } from '../../app/clips/encode.js';
import { missingForLock } from '../../app/engine/lock-support.js';
import { gameFolder, gameSource } from '../support/game-files.js';
import { pngOf } from '../support/pictures.js';

const missing = missingForLock();
const skip = missing ? `this machine lacks ${missing}` : false;
const TICKS = 30;
const FPS = 10;
const [WIDTH, HEIGHT] = [1280, 720];
/** Colours of the background that a game takes if it could read a file, and if not. */
const [READ, REFUSED] = ['#800000', '#008000'];
const MAGENTA = [255, 0, 255];
/** One pixel. */
const WEBP = Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64');
/** The codec changes colours a little. */
const TOLERANCE = 24;

/** A large ball with a picture. @param {string} top the first statements of the module */
const source = (top) =>
  gameSource('shown', {
    top,
    fields: `view: {
      width: 1600, height: 900, background: globalThis.background ?? '#000000', events: [], extra: [],
      kinds: [{ name: 'ball', look: 'ball', color: '#00ffff', picture: 'art/ball.png' }],
    },`,
    hooks: `setUpRound({ world }) {
      world.clear();
      world.add({ shape: SHAPE.circle, kind: 0, x: 800, y: 450, radius: 200 });
    },`,
  });

/**
 * Writes a game, and makes the render job of its first ticks.
 * @param {import('node:test').TestContext} t @param {string} top
 */
async function jobOf(t, top) {
  const folder = await gameFolder(t, { 'game.js': source(top) });
  mkdirSync(join(folder, 'art'));
  writeFileSync(join(folder, 'art', 'ball.png'), pngOf(64, 64, MAGENTA));
  const gameUrl = pathToFileURL(join(folder, 'game.js')).href;
  const { default: game } = await import(gameUrl);
  const checkpoint = new Uint8Array(game.sizes().checkpointBytes);
  game.start({ seed: 1, match: 1 }).checkpoint(checkpoint);
  const slots = game.sizes().inputSlots;
  const words = new Int32Array(TICKS * slots);
  const replay = { checkpoint, checkpointTick: 0, slots, words, fromTick: 0, toTick: TICKS };
  return {
    job: {
      gameUrl,
      width: WIDTH,
      height: HEIGHT,
      fps: FPS,
      options: { seed: 1, match: 1 },
      lock: { readable: [folder] },
      art: { folder, names: ['art/ball.png'] },
      replay: { ...replay, rosters: [] },
    },
    file: join(folder, 'clip.mp4'),
  };
}

/** Asserts the colour of a pixel. @param {Buffer} rgb @param {number} x @param {number} y @param {number[]} color */
function assertColor(rgb, x, y, color) {
  const found = [...rgb.subarray((y * WIDTH + x) * 3, (y * WIDTH + x) * 3 + 3)];
  const near = color.every((value, i) => Math.abs(value - found[i]) < TOLERANCE);
  assert.ok(near, `${found} at ${x}, ${y}, not ${color}`);
}

test(
  'a clip of a locked game shows its pictures, and its code reads no files',
  { skip },
  async (t) => {
    const { job, file } = await jobOf(
      t,
      `import { readFileSync } from 'node:fs';
    globalThis.background = '${READ}';
    try { readFileSync('/etc/passwd'); } catch { globalThis.background = '${REFUSED}'; }`,
    );
    /** @type {number[]} */
    const shares = [];
    await encode(job, file, { onProgress: (share) => shares.push(share) });
    assert.equal(shares.at(-1), 1);
    const select = ['-v', 'error', '-i', file, '-vf', 'select=eq(n\\,2)', '-frames:v', '1'];
    const rgb = execFileSync('ffmpeg', [...select, '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'], {
      maxBuffer: 1 << 24,
    });
    assertColor(rgb, WIDTH / 2, HEIGHT / 2, MAGENTA);
    const [r, g] = rgb.subarray((HEIGHT - 60) * WIDTH * 3 + WIDTH * 3 - 180);
    assert.ok(g > 2 * r, `the background is ${r} red and ${g} green`);
  },
);

test('a picture that cannot be decoded is replaced by the look', { skip }, async (t) => {
  const { job, file } = await jobOf(t, '');
  const header = pngOf(64, 64).subarray(0, 33);
  writeFileSync(join(job.art.folder, 'art', 'ball.png'), Buffer.concat([header, Buffer.alloc(64)]));
  await encode(job, file);
  const select = ['-v', 'error', '-i', file, '-vf', 'select=eq(n\\,2)', '-frames:v', '1'];
  const rgb = execFileSync('ffmpeg', [...select, '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'], {
    maxBuffer: 1 << 24,
  });
  const [r, g, b] = rgb.subarray(((HEIGHT / 2) * WIDTH + WIDTH / 2) * 3);
  assert.ok(Math.min(g, b) > 2 * r, `the ball is ${r}, ${g}, ${b}`);
});

test('WebP and PNG are decoded, and made smaller if there are many', { skip }, async (t) => {
  const { job } = await jobOf(t, '');
  const art = join(job.art.folder, 'art');
  writeFileSync(join(art, 'dot.webp'), WEBP);
  writeFileSync(join(art, 'wide.png'), pngOf(1024, 64, MAGENTA));
  const how = { ffmpeg: 'ffmpeg', niceness: 0 };
  const few = await decodePictures({ ...job.art, names: ['art/dot.webp', 'art/none.png'] }, how);
  assert.deepEqual(
    few.map(({ name, width, height }) => [name, width, height]),
    [['art/dot.webp', 1, 1]],
  );
  const names = ['art/wide.png', ...Array.from({ length: 23 }, () => 'art/none.png')];
  const [{ width, height }] = await decodePictures({ ...job.art, names }, how);
  assert.deepEqual([width, height], [512, 32]);
  const [ball] = await decodePictures(job.art, how);
  assert.deepEqual([...ball.pixels.subarray(0, 4)], [...MAGENTA, 255]);
});

test(
  'a game that throws or loops while its clip is rendered ends with the reason',
  { skip },
  async (t) => {
    const whileRendered = (/** @type {string} */ code) => `if (globalThis.document) { ${code} }`;
    const thrown = await jobOf(t, whileRendered("throw new Error('no films');"));
    await assert.rejects(encode(thrown.job, thrown.file), {
      code: 'PITV_CLIP_FAILED',
      message: /no films/,
    });
    const looping = await jobOf(t, whileRendered('for (;;);'));
    await assert.rejects(encode(looping.job, looping.file, { stallMs: 300 }), {
      code: 'PITV_CLIP_FAILED',
      message: /does not return/,
    });
  },
);
