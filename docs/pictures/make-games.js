/**
 * Makes `kick-off.jpg`, a match of Kick-off, and `games-dev.jpg`, the panel of `pitv games dev` with an error. Run
 * `node docs/pictures/make-games.js` after a visible change of the pages.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUNDLED } from '../../app/packages/catalog.js';
import { DevChild } from '../../test/dev/dev-child.js';
import { launchBrowser, openPad } from '../../test/e2e/browser.js';

const SCREEN = { width: 960, height: 540 };
const PHONE = { width: 390, height: 844 };
const NAMES = ['Mina', 'Otto', 'Yusuf'];
const JPEG_QUALITY = 85;
/** Time of play before each picture. */
const PLAY_MS = 9000;

/** @type {(() => unknown)[]} */
const cleanUp = [];
const context = /** @type {any} */ ({
  after: (/** @type {() => unknown} */ run) => cleanUp.unshift(run),
});

/** @param {import('playwright-core').Page} page @param {string} name */
async function save(page, name) {
  const path = fileURLToPath(new URL(name, import.meta.url));
  await writeFile(path, await page.screenshot({ type: 'jpeg', quality: JPEG_QUALITY }));
}

try {
  const dev = await DevChild.start(context, { from: join(BUNDLED, 'kick-off') });
  const browser = await launchBrowser(context);
  const screen = await browser.newPage({ viewport: SCREEN });
  await screen.goto(dev.url);
  const code = /code (\w+)/.exec(dev.output)?.[1] ?? '';
  for (const name of NAMES) {
    const pad = await openPad(browser, { url: dev.url, code }, name, PHONE);
    await pad.locator('[data-match]').first().tap();
  }
  await screen.locator('.dev-bars').waitFor();
  await screen.keyboard.press('d');
  await screen.waitForTimeout(PLAY_MS);
  await save(screen, 'kick-off.jpg');
  await screen.keyboard.press('d');
  dev.edit((source) =>
    source.replace('function steer(flow) {', 'function steer(flow) {\n  flow.whirl.wind = 3;'),
  );
  await screen.locator('.dev-problem').waitFor();
  await screen.waitForTimeout(PLAY_MS);
  await save(screen, 'games-dev.jpg');
} finally {
  for (const run of cleanUp) await run();
}
