import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { loadCatalog } from '../../app/lobby/catalog.js';
import { decodeFrame } from '../support/decode-frame.js';
import { packInput } from '../../app/game/input.js';
import { encode, maxClipBytes } from '../../app/clips/encode.js';

const WIDTH = 1280;
const HEIGHT = 720;
const TICKS = 300;
const TICK_HZ = 60;
/** Few pictures, because each takes some CPU time. */
const FPS = 5;
const SECONDS = TICKS / TICK_HZ;
/** The strip above the world and the margins, see render/pictures.js. */
const PLACE = (() => {
  const strip = Math.round(WIDTH * 0.044);
  const margin = HEIGHT * 0.008;
  const scale = Math.min((WIDTH - 2 * margin) / 1600, (HEIGHT - strip - margin) / 900);
  return {
    scale,
    x: margin + (WIDTH - 2 * margin - 1600 * scale) / 2,
    y: strip + (HEIGHT - strip - margin - 900 * scale) / 2,
  };
})();

const game = /** @type {import('../../app/lobby/catalog.js').Game} */ (
  (await loadCatalog()).find(({ id }) => id === 'bumper')
);
const options = { seed: 5, match: 1 };
const sizes = game.sizes(options);

/** @param {import('node:test').TestContext} t */
function folderFor(t) {
  const folder = mkdtempSync(join(tmpdir(), 'pitv-encode-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Plays five seconds with three players, and records each frame. */
function play() {
  const job = game.start(options);
  const checkpoint = new Uint8Array(sizes.checkpointBytes);
  job.checkpoint(checkpoint);
  const slots = sizes.inputSlots;
  const words = new Int32Array(TICKS * slots);
  const target = new Uint8Array(new ArrayBuffer(sizes.frameBytes));
  const frames = [];
  for (let tick = 0; tick < TICKS; tick++) {
    for (let slot = 0; slot < 3; slot++) {
      const x = Math.round(60 * Math.sin(tick / 30 + slot));
      words[tick * slots + slot] = packInput(x, 20, 0, 0, 0);
    }
    job.step(
      (/** @type {number} */ slot) => words[tick * slots + slot],
      () => 0,
    );
    frames.push(decodeFrame(target.slice(0, job.writeFrame(target))));
  }
  const roster = [{ slot: 0, name: 'Ada', color: '#ff4d4d' }];
  const replay = { checkpoint, checkpointTick: 0, slots, words, fromTick: 0, toTick: TICKS };
  const rosters = [{ tick: 0, roster }];
  const scene = { gameUrl: game.url, options, width: WIDTH, height: HEIGHT, fps: FPS };
  return { scene: { ...scene, replay: { ...replay, rosters } }, frames };
}

/** @param {string} file @param {number} picture @returns {Buffer} rgb24 */
const decoded = (file, picture) =>
  execFileSync(
    'ffmpeg',
    [
      '-v',
      'error',
      '-i',
      file,
      '-vf',
      `select=eq(n\\,${picture})`,
      '-frames:v',
      '1',
      '-f',
      'rawvideo',
      '-pix_fmt',
      'rgb24',
      '-',
    ],
    { maxBuffer: 1 << 24 },
  );

/** Writes a script that replaces ffmpeg. @param {string} folder @param {string} script */
function fake(folder, script) {
  const file = join(folder, 'ffmpeg');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

test('the video has the right size, length and number of pictures, and shows the bodies at their positions', async (t) => {
  const folder = folderFor(t);
  const file = join(folder, 'clip.mp4');
  const { scene, frames } = play();
  /** @type {number[]} */
  const shares = [];
  await encode(scene, file, { onProgress: (share) => shares.push(share) });
  assert.equal(shares.at(-1), 1);
  assert.deepEqual(
    shares,
    shares.toSorted((a, b) => a - b),
  );

  const probe = JSON.parse(
    String(
      execFileSync('ffprobe', [
        '-v',
        'error',
        '-count_frames',
        '-of',
        'json',
        '-show_entries',
        'stream=codec_name,width,height,r_frame_rate,nb_read_frames,duration',
        file,
      ]),
    ),
  );
  assert.deepEqual(probe.streams, [
    {
      codec_name: 'h264',
      width: WIDTH,
      height: HEIGHT,
      r_frame_rate: `${FPS}/1`,
      duration: SECONDS.toFixed(6),
      nb_read_frames: String(SECONDS * FPS),
    },
  ]);
  assert.ok(statSync(file).size < maxClipBytes(SECONDS, HEIGHT));

  // After the countdown, no text covers the world.
  const picture = 4 * FPS;
  const frame = frames[(picture + 1) * (TICK_HZ / FPS) - 1];
  const rgb = decoded(file, picture);
  /** @param {number} x @param {number} y world units */
  const pixel = (x, y) => {
    const px = Math.round(PLACE.x + x * PLACE.scale);
    const py = Math.round(PLACE.y + y * PLACE.scale);
    return [...rgb.subarray((py * WIDTH + px) * 3, (py * WIDTH + px) * 3 + 3)];
  };
  const { bodies } = frame;
  const small = Array.from({ length: bodies.count }, (_, i) => i).filter(
    (i) => bodies.b[i] === 0 && bodies.a[i] < 60 && bodies.a[i] > 8 && bodies.state[i] === 0,
  );
  assert.ok(small.length > 20, `${small.length} balls`);
  for (const i of small) {
    const color = pixel(bodies.x[i], bodies.y[i]);
    assert.ok(Math.max(...color) > 90, `ball ${bodies.id[i]} at its place: ${color}`);
  }
  // The floor is dark where no body is near.
  const balls = Array.from({ length: bodies.count }, (_, i) => i).filter((i) => bodies.a[i] < 100);
  const named = frame.players.map(({ body }) => body);
  let dark = 0;
  for (let x = 600; x <= 1000; x += 10) {
    for (let y = 250; y <= 650; y += 10) {
      const near = balls.some((i) => {
        const reach = named.includes(bodies.id[i]) ? 130 : 60; // a name, a glow
        return Math.hypot(bodies.x[i] - x, bodies.y[i] - y) < reach;
      });
      if (near) continue;
      const color = pixel(x, y);
      assert.ok(Math.max(...color) < 90, `nothing at ${x}, ${y}: ${color}`);
      dark++;
    }
  }
  assert.ok(dark > 0);
  const [ball] = [frame.players[0].body];
  const i = bodies.id.indexOf(ball);
  const [r, g, b] = pixel(bodies.x[i] - 8, bodies.y[i]);
  assert.ok(r > g + 40 && r > b + 40, `player 1 is red: ${r}, ${g}, ${b}`);
});

test('without ffmpeg, the error says what to install', async () => {
  const { scene } = play();
  await assert.rejects(encode(scene, '/nowhere/clip.mp4', { ffmpeg: 'pitv-no-ffmpeg' }), {
    code: 'PITV_PROGRAM_MISSING',
    message: /apt-get install/,
  });
});

test('when ffmpeg fails, is killed or ends too soon, the error has its last line or the signal', async (t) => {
  const folder = folderFor(t);
  const { scene } = play();
  const file = join(folder, 'clip.mp4');
  const failing = fake(folder, 'head -c 3000000 >/dev/null; echo "Unknown encoder" >&2; exit 1');
  await assert.rejects(encode(scene, file, { ffmpeg: failing }), {
    code: 'PITV_CLIP_FAILED',
    message: /exit status 1.*Unknown encoder/,
  });
  const dying = fake(folder, 'head -c 3000000 >/dev/null; kill -9 $$');
  await assert.rejects(encode(scene, file, { ffmpeg: dying }), {
    code: 'PITV_CLIP_FAILED',
    message: /SIGKILL/,
  });
  const lazy = fake(folder, 'head -c 3000000 >/dev/null; exit 0');
  await assert.rejects(encode(scene, file, { ffmpeg: lazy }), {
    code: 'PITV_CLIP_FAILED',
    message: /stopped reading/,
  });
});

test('a full disk is recognised by the output of ffmpeg', async (t) => {
  const folder = folderFor(t);
  const { scene } = play();
  // The real ffmpeg, writing to a file system of 12 KB in a mount namespace, if those are allowed.
  const room = join(folder, 'disk');
  const small = `unshare -rm sh -c 'mkdir -p ${room}; mount -t tmpfs -o size=12k none ${room}; exec ffmpeg "$@"' ffmpeg "$@"`;
  try {
    execFileSync('unshare', ['-rm', 'true'], { stdio: 'ignore' });
  } catch {
    return t.skip('needs user namespaces');
  }
  await assert.rejects(encode(scene, join(room, 'clip.mp4'), { ffmpeg: fake(folder, small) }), {
    code: 'PITV_DISK_FULL',
    message: /disk is full/,
  });
  assert.ok(!existsSync(join(room, 'clip.mp4')));
});

test('a replay that fails is an error with the cause', async (t) => {
  const { scene } = play();
  const damaged = { ...scene, replay: { ...scene.replay, checkpoint: new Uint8Array(8) } };
  await assert.rejects(encode(damaged, join(folderFor(t), 'clip.mp4')), {
    code: 'PITV_CLIP_FAILED',
    message: /could not be replayed.*checkpoint/,
  });
});

test('a cancelled clip ends both child processes', async (t) => {
  const { scene } = play();
  const abort = new AbortController();
  const file = join(folderFor(t), 'clip.mp4');
  const made = encode(scene, file, { signal: abort.signal, onProgress: () => abort.abort() });
  await assert.rejects(made, { code: 'PITV_CLIP_CANCELLED' });
  const early = AbortSignal.abort();
  await assert.rejects(encode(scene, file, { signal: early }), { code: 'PITV_CLIP_CANCELLED' });
});
