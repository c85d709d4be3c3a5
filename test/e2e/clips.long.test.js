/** Clips in a real browser and by the command line. */
import test from 'node:test';
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OUTPUT, launchBrowser, openScreen } from './browser.js';
import { Client } from '../support/tv.js';
import { startServe } from '../support/serve.js';

const CLI = fileURLToPath(new URL('../../app/cli.js', import.meta.url));
const TIMEOUT_MS = 240_000; // clips are rendered at the lowest priority
/** A small screen leaves more CPU time for the rendering of the clip. */
const VIEWPORT = { width: 640, height: 360 };

/** Runs in the page: size and length of the clip that plays, and the number of colours in its picture. */
function describeVideo() {
  const video = document.querySelector('#clips video');
  if (!(video instanceof HTMLVideoElement) || video.currentTime === 0) return null;
  const canvas = document.createElement('canvas');
  canvas.width = 320;
  canvas.height = 180;
  const context = canvas.getContext('2d');
  if (!context) return null;
  context.drawImage(video, 0, 0, canvas.width, canvas.height);
  const pixels = new Uint32Array(
    context.getImageData(0, 0, canvas.width, canvas.height).data.buffer,
  );
  const { videoWidth, videoHeight, duration } = video;
  return { videoWidth, videoHeight, duration, colors: new Set(pixels).size };
}

test('a clip is made by the menu, played in the page, downloaded and deleted', async (t) => {
  const tv = await startServe(t, '--engine', 'thread');
  const browser = await launchBrowser(t);
  /** @type {string[]} */
  const problems = [];
  const screen = await openScreen(browser, tv.url, problems, VIEWPORT);
  screen.setDefaultTimeout(TIMEOUT_MS);
  // A match without a player ends after a minute, and on a busy machine a clip takes longer.
  const pad = await Client.pad(tv, { name: 'Ann' });
  t.after(() => pad.socket.terminate());
  await screen.locator('#start:not([disabled])').click();
  await screen.locator('#stage').waitFor();
  await screen.waitForFunction(() =>
    /\d/.test(document.querySelector('#hud-time')?.textContent ?? ''),
  );

  await screen.keyboard.press('Enter');
  // A toast disappears after seconds, and a screenshot may take longer, so the wait begins before both.
  const ready = screen.locator('.toast').filter({ hasText: 'The clip is ready' }).waitFor();
  await screen.getByRole('button', { name: 'Save the last 30 s' }).click();
  await screen.locator('#clip-mark').filter({ hasText: 'Clip' }).waitFor();
  await screen.screenshot({ path: join(OUTPUT, 'clip-making.png') });
  await ready;

  await screen.keyboard.press('Enter');
  await screen.getByRole('button', { name: 'Clips', exact: true }).click();
  await screen.getByRole('button', { name: 'Play' }).waitFor();
  await screen.screenshot({ path: join(OUTPUT, 'clips.png') });
  const href = await screen.getByRole('link', { name: 'Download' }).getAttribute('href');
  const response = await fetch(tv.url + href);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-disposition') ?? '', /attachment/);
  assert.equal(Buffer.from(await response.arrayBuffer()).toString('latin1', 4, 8), 'ftyp');

  await screen.getByRole('button', { name: 'Play' }).click();
  const played = await (await screen.waitForFunction(describeVideo)).jsonValue();
  assert.ok(played);
  assert.deepEqual([played.videoWidth, played.videoHeight], [1280, 720]);
  assert.ok(played.duration > 2 && played.duration <= 30.1, `${played.duration} s`);
  assert.ok(played.colors > 50, `${played.colors} colours`);
  await screen.screenshot({ path: join(OUTPUT, 'clip-playing.png') });
  await screen.keyboard.press('Escape');

  await screen.getByRole('button', { name: 'Delete' }).click();
  await screen.getByText('None yet').waitFor();
  assert.equal((await fetch(tv.url + href)).status, 404);
  assert.deepEqual(problems, []);
});

test('pitv clip makes and downloads a clip; Ctrl-C cancels', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pitv-clip-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const tv = await startServe(t, '--engine', 'thread');
  const headers = { authorization: `Bearer ${tv.adminToken}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ game: 'bumper' });
  await fetch(`${tv.url}/api/matches`, { method: 'POST', headers, body });

  /** @param {string[]} args */
  const clip = (...args) =>
    spawn(process.execPath, [CLI, 'clip', '--url', tv.url, ...args], {
      env: { ...process.env, PITV_ADMIN_TOKEN: tv.adminToken },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const out = join(folder, 'clip.mp4');
  const made = clip('--record', '1', '--out', out);
  let output = '';
  made.stdout.on('data', (text) => (output += text));
  made.stderr.on('data', (text) => (output += text));
  assert.deepEqual(await once(made, 'close'), [0, null], output);
  assert.match(output, /recording\n[^]*making\n[^]*1280x720[^]*clip\.mp4/);
  assert.equal(readFileSync(out).toString('latin1', 4, 8), 'ftyp');

  const cancelled = clip('--record', '100');
  await once(cancelled.stderr, 'data'); // "recording"
  cancelled.kill('SIGINT');
  assert.deepEqual(await once(cancelled, 'close'), [1, null]);
  const { clips } = /** @type {any} */ (
    await (await fetch(`${tv.url}/api/clips`, { headers })).json()
  );
  assert.equal(clips.length, 1);

  const wrong = clip('--match', '1');
  const [code] = await once(wrong, 'close');
  assert.equal(code, 1);
});
