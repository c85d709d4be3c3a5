/** A game that uses one button, on a phone. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { gameFolder, gameSource } from '../support/game-files.js';
import { startTv, until } from '../support/tv.js';
import { launchBrowser, openPad } from './browser.js';

const VIEWPORT = { width: 844, height: 390 };

test('a button without a name is not on the phone, and cannot be pressed', async (t) => {
  const source = gameSource('jump', {
    hooks: `steer({ score, held }) { score[0] = Math.max(score[0], held[0] * 10); },`,
  });
  const tv = await startTv(t, { gamesDir: await gameFolder(t, { 'jump.js': source }) });
  const browser = await launchBrowser(t);
  /** @type {string[]} */
  const problems = [];
  const player = { name: 'Ada', code: tv.code, viewport: VIEWPORT };
  const pad = await openPad(browser, tv.url, problems, player);
  await pad.locator('[data-game=jump]').tap();
  await pad.locator('#button-a').waitFor();
  assert.equal(await pad.locator('#button-b').isVisible(), false);
  assert.equal(await pad.locator('#button-a span').innerText(), 'Jump');
  const zone = await pad.locator('#buttons').boundingBox();
  assert.ok(zone);
  const touch = await pad.context().newCDPSession(pad);
  const at = { x: zone.x + 5, y: zone.y + 5 };
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] });
  await until(async () => (await pad.locator('#play-score').innerText()) === '10', 'A is held');
  assert.deepEqual(problems, []);
});
