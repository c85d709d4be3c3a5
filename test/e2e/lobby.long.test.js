/** The lobby in a real browser: screens of all sizes, and a game that a phone has started. */
import test from 'node:test';
import assert from 'node:assert/strict';
import {
  SMALL_SCREEN,
  isPainted,
  launchBrowser,
  openScreen,
  until,
  savePicture,
} from './browser.js';
import { Client } from '../support/tv.js';
import { startServe } from '../support/serve.js';

/** Returns whether every card of the game list has a picture. @param {import('playwright-core').Page} screen */
async function hasPictures(screen) {
  const count = await screen.locator('#game-list canvas').count();
  const canvases = Array.from({ length: count }, (_, i) => `.card:nth-child(${i + 1}) canvas`);
  const painted = await Promise.all(canvases.map((each) => screen.evaluate(isPainted, each)));
  return count > 0 && painted.every(Boolean);
}

test('the lobby fits screens from 720p to 4K, and selects the game that a phone has started', async (t) => {
  const tv = await startServe(t, '--engine', 'thread');
  const browser = await launchBrowser(t);
  const screen = await openScreen(browser, tv.url, SMALL_SCREEN);
  await until(() => hasPictures(screen), 'the games have their pictures');
  for (const [width, height] of [
    [1280, 720],
    [1920, 1080],
    [3840, 2160],
  ]) {
    await screen.setViewportSize({ width, height });
    await until(() => hasPictures(screen), 'the games have their pictures');
    const { wide, high, size } = await screen.evaluate(() => {
      const { scrollWidth, scrollHeight } = document.documentElement;
      const code = /** @type {Element} */ (document.querySelector('#code'));
      return { wide: scrollWidth, high: scrollHeight, size: getComputedStyle(code).fontSize };
    });
    assert.deepEqual([wide, high], [width, height], 'nothing scrolls');
    assert.ok(parseFloat(size) > height / 15, `the code is ${size} at ${height} lines`);
    await savePicture(screen, `lobby-${height}p`);
  }

  // A game that a phone has started is selected after it.
  const pad = await Client.pad(tv, { name: 'Ann' });
  t.after(() => pad.socket.terminate());
  pad.send({ t: 'start', game: 'swarm' });
  await screen.locator('#stage').waitFor();
  pad.send({ t: 'leave' });
  await screen.locator('#lobby').waitFor();
  assert.equal(await screen.locator('#hero-title').innerText(), 'Swarm');
});
