/**
 * Makes `screen.jpg`, the picture in README: a screen with a round of bumper, and one of its phones. Run
 * `node docs/pictures/make.js` after a visible change of the pages.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { launchBrowser, openPad, openScreen, pushStick } from '../../test/e2e/browser.js';
import { startServe } from '../../test/support/serve.js';

const PICTURE = fileURLToPath(new URL('screen.jpg', import.meta.url));
const SCREEN = { width: 960, height: 540 };
const PHONE = { width: 390, height: 844 };
const NAMES = ['Mina', 'Otto', 'Yusuf', 'Ines', 'Ravi'];
/** Seconds of play before the picture is taken. */
const PLAY_SECONDS = 1.5;
const JPEG_QUALITY = 85;

/** @type {(() => unknown)[]} */
const cleanUp = [];
const context = /** @type {any} */ ({
  after: (/** @type {() => unknown} */ run) => cleanUp.unshift(run),
});

/** @param {Buffer} screen PNG @param {Buffer} phone PNG @returns {string} a page with both */
const pageOf = (screen, phone) => `<!doctype html><style>
  body { margin: 0; background: transparent; width: ${SCREEN.width}px; height: ${SCREEN.height}px }
  img { position: absolute; display: block }
  .screen { inset: 0 }
  .phone { right: 22px; bottom: 22px; height: 330px; border-radius: 18px; border: 5px solid #1b2232 }
</style>
<img class="screen" src="data:image/png;base64,${screen.toString('base64')}">
<img class="phone" src="data:image/png;base64,${phone.toString('base64')}">`;

try {
  const tv = await startServe(context, '--engine', 'process');
  const browser = await launchBrowser(context);
  const screen = await openScreen(browser, tv.url, SCREEN);
  const pads = [];
  for (const name of NAMES) {
    pads.push(await openPad(browser, tv, name, PHONE));
  }
  await pads[0].locator('[data-game=bumper]').tap();
  for (const pad of pads) await pad.locator('#play').waitFor();
  await screen.locator('#stage').waitFor();
  const phase = async () => (await tv.matches())[0].phase;
  while ((await phase()) !== 'play') await screen.waitForTimeout(100);
  await screen.waitForTimeout(PLAY_SECONDS * 1000);
  await pushStick(pads[0], { x: 0.6, y: -0.8 });
  const pictures = await Promise.all([screen.screenshot(), pads[0].screenshot()]);
  const page = await browser.newPage({ viewport: SCREEN });
  await page.setContent(pageOf(...pictures));
  await writeFile(PICTURE, await page.screenshot({ type: 'jpeg', quality: JPEG_QUALITY }));
} finally {
  for (const run of cleanUp) await run();
}
