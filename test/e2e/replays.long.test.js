/** Replays in a real browser and by the command line. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { CLI, runCommand } from '../support/cli.js';
import { startServe } from '../support/serve.js';
import { temporaryFolder } from '../support/tv.js';
import { SMALL_SCREEN, isPainted, launchBrowser, openScreen } from './browser.js';

const REPLAY = '.replay canvas';

/** Runs in the page: number of colours in a picture of a video. @param {number[]} bytes */
const countVideoColors = async (bytes) => {
  const video = document.createElement('video');
  video.muted = true;
  video.src = `data:video/webm;base64,${btoa(bytes.map((byte) => String.fromCharCode(byte)).join(''))}`;
  await video.play();
  await new Promise((resolve) => (video.ontimeupdate = () => video.currentTime > 0 && resolve(0)));
  const canvas = document.createElement('canvas');
  canvas.width = 320;
  canvas.height = 180;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.drawImage(video, 0, 0, canvas.width, canvas.height);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  return { width: video.videoWidth, colors: new Set(new Uint32Array(data.buffer)).size };
};

test('a replay is played, recorded as a video, and played from the file of pitv clip', async (t) => {
  const tv = await startServe(t, '--engine', 'thread');
  const browser = await launchBrowser(t);
  const screen = await openScreen(browser, tv.url, SMALL_SCREEN);
  await screen.locator('#start:not([disabled])').click();
  await screen.waitForFunction(() =>
    /\d/.test(document.querySelector('#hud-time')?.textContent ?? ''),
  );
  await screen.keyboard.press('Enter');
  await screen.getByRole('button', { name: 'Watch the replay' }).click();
  await screen.waitForFunction(isPainted, REPLAY);
  const file = join(temporaryFolder(), 'match.replay');
  const { stdout } = await runCommand(['clip', '--url', tv.url, '--out', file, '--json']);
  assert.equal(JSON.parse(stdout).game, 'bumper');
  await screen.getByRole('button', { name: 'Save as a video' }).click();
  const saving = screen.waitForEvent('download', { timeout: 120_000 });
  await screen.getByRole('button', { name: /Download|Share/ }).click({ timeout: 120_000 });
  const saved = await saving;
  assert.match(saved.suggestedFilename(), /^pitv-bumper-.*\.(mp4|webm)$/);
  const video = [...readFileSync(await saved.path())];
  const { width, colors } = await screen.evaluate(countVideoColors, video);
  assert.equal(width, 1280);
  assert.ok(colors > 50, `${colors} colours`);
  await screen.keyboard.press('Escape');
  await screen.locator('.replay').waitFor({ state: 'detached' });
  await screen.goto(`${tv.url}/replay`);
  await screen.locator('#file').setInputFiles(CLI);
  await screen.getByText('This file cannot be played').waitFor();
  await screen.locator('#file').setInputFiles(file);
  await screen.waitForFunction(isPainted, REPLAY);
});
