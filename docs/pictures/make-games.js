/**
 * Makes `kick-off.jpg`, a match of Kick-off, and `games-dev.jpg`, the panel of `pitv games dev` with an error. Run
 * `node docs/pictures/make-games.js` after a visible change of the pages.
 */
import { join } from 'node:path';
import { BUNDLED } from '../../app/packages/catalog.js';
import { DevChild } from '../../test/dev/dev-child.js';
import { openPad } from '../../test/e2e/browser.js';
import { PHONE, SCREEN, takePictures } from './studio.js';

const NAMES = ['Mina', 'Otto', 'Yusuf'];
/** Time of play before each picture. */
const PLAY_MS = 9000;

await takePictures(async ({ context, browser, save }) => {
  const dev = await DevChild.start(context, { from: join(BUNDLED, 'kick-off') });
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
  await save('kick-off.jpg', screen);
  await screen.keyboard.press('d');
  dev.edit((source) =>
    source.replace('function steer(flow) {', 'function steer(flow) {\n  flow.whirl.wind = 3;'),
  );
  await screen.locator('.dev-problem').waitFor();
  await screen.waitForTimeout(PLAY_MS);
  await save('games-dev.jpg', screen);
});
