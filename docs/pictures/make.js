/**
 * Makes `screen.jpg`, the picture in README: a screen with a round of bumper, and one of its phones. Run
 * `node docs/pictures/make.js` after a visible change of the pages.
 */
import { openPad, openScreen, pushStick } from '../../test/e2e/browser.js';
import { startServe } from '../../test/support/serve.js';
import { PHONE, SCREEN, takePictures } from './studio.js';

const NAMES = ['Mina', 'Otto', 'Yusuf', 'Ines', 'Ravi'];
/** Seconds of play before the picture is taken. */
const PLAY_SECONDS = 1.5;

await takePictures(async ({ context, browser, save }) => {
  const tv = await startServe(context, '--engine', 'process');
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
  await save('screen.jpg', screen, pads[0]);
});
