/**
 * Makes the pictures of README.md and docs/games.md: `screen.jpg` (Bumper, with a phone), `kick-off.jpg`, and
 * `games-dev.jpg` (the panel of `pitv games dev` with an error). Run `node docs/pictures/make-games.js` after a visible
 * change of the pages.
 */
import { join } from 'node:path';
import { BUNDLED } from '../../app/packages/catalog.js';
import { DevChild } from '../../test/dev/dev-child.js';
import { openPad, openScreen, pushStick } from '../../test/e2e/browser.js';
import { startServe } from '../../test/support/serve.js';
import { PHONE, SCREEN, takePictures } from './studio.js';

const NAMES = ['Mina', 'Otto', 'Yusuf', 'Ines', 'Ravi'];
/** Time of play before each picture. */
const ROUND_MS = 1500;
const PLAY_MS = 9000;
const POLL_MS = 100;

await takePictures(async ({ context, browser, save }) => {
  const tv = await startServe(context, '--engine', 'process');
  const screen = await openScreen(browser, tv.url, SCREEN);
  const pads = [];
  for (const name of NAMES) pads.push(await openPad(browser, tv, name, PHONE));
  await pads[0].locator('[data-game=bumper]').tap();
  for (const pad of pads) await pad.locator('#play').waitFor();
  await screen.locator('#stage').waitFor();
  while ((await tv.matches())[0].phase !== 'play') await screen.waitForTimeout(POLL_MS);
  await screen.waitForTimeout(ROUND_MS);
  await pushStick(pads[0], { x: 0.6, y: -0.8 });
  await save('screen.jpg', screen, pads[0]);
});

await takePictures(async ({ context, browser, save }) => {
  const dev = await DevChild.start(context, { from: join(BUNDLED, 'kick-off') });
  const screen = await browser.newPage({ viewport: SCREEN });
  await screen.goto(dev.url);
  const code = /code (\w+)/.exec(dev.output)?.[1] ?? '';
  for (const name of NAMES.slice(0, 3)) {
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
