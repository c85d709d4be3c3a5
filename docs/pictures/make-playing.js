/**
 * Makes the pictures of docs/playing.md from an evening with four phones and more. Run
 * `node docs/pictures/make-playing.js` after a visible change of the pages; it plays a whole match of Bumper.
 */
import { openPad, openScreen, pushStick } from '../../test/e2e/browser.js';
import { startProxy } from '../../test/support/cut.js';
import { startServe } from '../../test/support/serve.js';
import { Client } from '../../test/support/tv.js';
import { PHONE, SCREEN, takePictures } from './studio.js';

const GUESTS = ['Ines', 'Ravi', 'Lena', 'Omar', 'Suki'];
const KEYS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'];
const ROLL_MS = 700;
/** Until notes have appeared and the podium stands. */
const FADE_MS = 1500;
const MOVE_MS = 350;
const SPLIT_MS = 6000;
/** Until the games have their pictures. */
const PREVIEWS_MS = 5000;

await takePictures(async ({ context, browser, save }) => {
  const tv = await startServe(context, '--engine', 'process', '--max-matches', '2');
  const proxy = await startProxy(context, tv.port);
  const screen = await openScreen(browser, tv.url, SCREEN);
  const mina = await openPad(browser, tv, 'Mina', PHONE);
  const otto = await openPad(browser, tv, 'Otto', PHONE);
  const yusuf = await openPad(browser, { url: proxy.url, code: tv.code }, 'Yusuf', PHONE);
  const pads = [mina, otto, yusuf];

  await screen.waitForTimeout(PREVIEWS_MS);
  const sticks = [
    await pushStick(mina, { x: 0, y: 0.5 }),
    await pushStick(otto, { x: -0.1, y: -0.5 }),
    await pushStick(yusuf, { x: -0.9, y: -0.1 }),
  ];
  await screen.locator('.ball').nth(2).waitFor();
  await screen.waitForTimeout(ROLL_MS);
  await save('practise.webp', screen, mina);
  for (const release of sticks) await release();

  await otto.locator('[data-game=swarm]').tap();
  await yusuf.locator('#starting').waitFor();
  const ready = await yusuf.screenshot();
  await yusuf.locator('#hold').tap();
  await yusuf.locator('#starting').waitFor({ state: 'hidden' });

  await mina.locator('[data-game=bumper]').tap();
  for (const pad of pads) await pad.locator('#play').waitFor();
  while ((await tv.matches())[0].phase !== 'play') await screen.waitForTimeout(MOVE_MS);
  proxy.hold(true);
  await screen.locator('.chip[data-away=true]').waitFor();
  await yusuf.locator('#lost').waitFor();
  await screen.waitForTimeout(FADE_MS);
  await save('lost.webp', screen, yusuf);
  proxy.hold(false);
  await yusuf.locator('#lost').waitFor({ state: 'hidden' });
  await otto.locator('#pause').tap();
  await screen.locator('#paused').waitFor();
  await save('pause.webp', screen, mina);
  const [{ id: match }] = await tv.matches();
  const guests = [];
  for (const name of GUESTS) guests.push(await Client.pad(tv, { name }));
  for (const guest of guests) guest.send({ t: 'join', match });
  const nora = await openPad(browser, tv, 'Nora', PHONE);
  await nora.getByText('is full: wait for a seat').tap();
  await nora.getByText('You are next').waitFor();
  const next = await nora.screenshot();
  for (const guest of guests) guest.socket.terminate();

  await click(mina, '#stop');
  pads.push(nora);
  for (const pad of pads) await pad.locator('#lobby').waitFor();

  await mina.locator('[data-game=bumper]').tap();
  for (const pad of pads) await pad.locator('#play').waitFor();
  await click(otto, '#leave');
  await otto.locator('[data-game=swarm]').tap();
  await otto.locator('#play').waitFor();
  await screen.keyboard.press('Escape');
  await screen.getByRole('button', { name: 'Two games side by side' }).click();
  await screen.waitForTimeout(SPLIT_MS);
  await save('split.webp', screen);
  await screen.keyboard.press('Escape');
  await click(otto, '#leave');
  await mina.locator('#pause').tap();
  await click(mina, '#stop');
  for (const pad of pads) await pad.locator('#lobby').waitFor();

  await mina.getByRole('button', { name: 'Party: 3 games' }).tap();
  for (const pad of pads) await pad.locator('#play').waitFor();
  for (let move = 0; !(await screen.locator('.podium').isVisible()); move++) {
    for (const [i, pad] of pads.entries()) {
      await pad.keyboard.up(KEYS[(move + i + 3) % KEYS.length]);
      await pad.keyboard.down(KEYS[(move + i) % KEYS.length]);
    }
    await screen.waitForTimeout(MOVE_MS);
  }
  await screen.waitForTimeout(FADE_MS);
  await save('podium.webp', screen);
  await screen.locator('#party').waitFor();
  await otto.locator('#result').waitFor();
  const [table, own, result] = await Promise.all(
    [screen, yusuf, otto].map((page) => page.screenshot()),
  );
  await click(mina, '#party-buttons .stop'); // before the next game begins
  await save('phones.webp', null, ready, next, result);
  await save('party.webp', table, own);
  await screen.locator('#party').getByRole('button', { name: 'Close' }).click();
  await screen.locator('#party').waitFor({ state: 'hidden' });
  await save('records.webp', screen);
});

/**
 * Presses a button that is held otherwise, as a screen reader does.
 * @param {import('playwright-core').Page} page @param {string} button
 */
function click(page, button) {
  return page.locator(button).evaluate((element) => /** @type {HTMLElement} */ (element).click());
}
