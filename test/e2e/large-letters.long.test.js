/** Phones with letters of twice the size, and the admin page on a phone. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { startServe } from '../support/serve.js';
import { OUTPUT, launchBrowser, openAdmin, openPad } from './browser.js';

/** A phone of 390 x 844 at 200 %. */
const PORTRAIT = { width: 195, height: 422 };
const LANDSCAPE = { width: 422, height: 195 };

/**
 * Checks that the player's name and shape can be seen.
 * @param {import('playwright-core').Page} pad @param {string} id of the element with the name
 */
async function checkName(pad, id) {
  const name = pad.locator(`#${id}`);
  const width = pad.viewportSize()?.width ?? 0;
  for (const part of [name, name.locator('.shape')]) {
    const box = await part.boundingBox();
    assert.ok(
      box && box.width > 8 && box.x >= 0 && box.x + box.width <= width,
      `#${id}: ${JSON.stringify(box)}`,
    );
  }
  assert.equal(await name.evaluate((element) => element.scrollWidth > element.clientWidth), false);
}

test('a phone at 200 % shows name and shape, and keeps the focus; the admin reaches each button', async (t) => {
  const tv = await startServe(t, '--engine', 'thread');
  const browser = await launchBrowser(t);
  const player = { name: 'Mum', code: tv.code, viewport: PORTRAIT };
  const pad = await openPad(browser, tv.url, [], player);
  const focused = () => pad.evaluate(() => document.activeElement?.id);
  assert.equal(await focused(), 'lobby');
  for (const viewport of [LANDSCAPE, PORTRAIT]) {
    await pad.setViewportSize(viewport);
    await checkName(pad, 'me-name');
  }
  await pad.locator('[data-game=bumper]').tap();
  await pad.locator('#play').waitFor();
  assert.equal(await focused(), 'play');
  for (const viewport of [LANDSCAPE, PORTRAIT]) {
    await pad.setViewportSize(viewport);
    await checkName(pad, 'play-name');
  }
  await pad.screenshot({ path: join(OUTPUT, 'pad-large-letters.png') });

  const admin = await browser.newPage({ viewport: { width: 390, height: 844 } });
  await openAdmin(admin, tv);
  await admin.locator('#matches').getByText('Bumper').waitFor();
  for (const button of ['#matches .stop', '#players button']) {
    const box = await admin.locator(button).boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 390, `${button} is in view`);
  }
  await admin.screenshot({ path: join(OUTPUT, 'admin-phone.png'), fullPage: true });
});
