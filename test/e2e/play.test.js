/** Matches in a real browser: a screen and two phones. */
import test from 'node:test';
import assert from 'node:assert/strict';
import { extent } from '../support/extent.js';
import {
  PHONE,
  SMALL_SCREEN,
  findColor,
  launchBrowser,
  openPad,
  openScreen,
  pushStick,
  until,
  savePicture,
} from './browser.js';
import { startServe } from '../support/serve.js';

/** The middle of the arena in findColor()'s picture of 640 x 360. */
const MIDDLE = { x: 320, y: 190 };

/** @param {import('playwright-core').Page} pad @returns {Promise<string>} the player's colour, #rrggbb */
const colorOf = (pad) =>
  pad.evaluate(() =>
    getComputedStyle(document.documentElement).getPropertyValue('--player').trim(),
  );

/** @param {import('./browser.js').Point} from @param {import('./browser.js').Point} to */
function unit(from, to) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return { x: (to.x - from.x) / length, y: (to.y - from.y) / length };
}

for (const engine of extent(['process'], ['thread', 'process'])) {
  test(`a screen and two phones play bumper in a worker ${engine}`, async (t) => {
    const tv = await startServe(t, '--engine', engine);
    const browser = await launchBrowser(t);
    /** @param {import('playwright-core').Page} page @param {string} name */
    const picture = (page, name) => savePicture(page, `${engine}-${name}`);

    const screen = await openScreen(browser, tv.url, SMALL_SCREEN);
    assert.equal((await screen.locator('#code').innerText()).replace(/\s/g, ''), tv.code);

    const annaPad = await openPad(browser, tv, 'Anna');
    const landscape = { width: PHONE.height, height: PHONE.width };
    const benPad = await openPad(browser, tv, 'Ben', landscape);
    for (const name of ['Anna', 'Ben']) await screen.getByText(name, { exact: true }).waitFor();
    await picture(screen, 'lobby');
    await picture(annaPad, 'pad-lobby');

    await t.test('a phone starts the game; the screen and the other phone follow', async () => {
      assert.ok(await annaPad.locator('#lobby #fullscreen').isVisible());
      await annaPad.locator('[data-game=bumper]').tap();
      await annaPad.locator('#play').waitFor();
      await annaPad.locator('#play #fullscreen').waitFor();
      await benPad.locator('#play').waitFor();
      await screen.locator('#stage').waitFor();
      const matches = await tv.matches();
      assert.equal(matches.length, 1);
      assert.equal(matches[0].players, 2);
    });

    const color = await colorOf(annaPad);
    const find = () => findColor(screen, color);

    await t.test('the ball that the pad pushes moves on the canvas', async () => {
      const start = await until(find, 'the ball is visible');
      const direction = unit(start, MIDDLE);
      const release = await pushStick(annaPad, direction);
      await until(async () => {
        const now = await find();
        return now && (now.x - start.x) * direction.x + (now.y - start.y) * direction.y > 20;
      }, 'the ball has moved where the pad pushes it');
      await picture(screen, 'game');
      await picture(annaPad, 'pad-portrait');
      await picture(benPad, 'pad-landscape');
      await release();
    });

    if (engine === 'process') {
      await t.test('the worker is killed and the match continues', async () => {
        const [before] = await tv.matches();
        const pid = Number(tv.workers.get(before.id));
        process.kill(pid, 'SIGKILL');
        const after = await until(async () => {
          const [match] = await tv.matches();
          return match && match.restarts === 1 && match.ticks > before.ticks + 60 && match;
        }, 'the match ticks again');
        assert.equal(after.id, before.id);
        assert.equal(after.players, 2);
        assert.ok(!tv.processes().includes(pid));
        assert.ok(await annaPad.locator('#play').isVisible(), 'the player still has a seat');
        assert.match(await tv.metrics(), /pitv_restarts_total\{reason="crashed"\} 1/);
      });
    }

    await t.test('a phone reconnects as the same player', async () => {
      const context = annaPad.context();
      await annaPad.close();
      await until(
        async () => /pitv_clients\{role="pad"\} 1/.test(await tv.metrics()),
        'the TV has noticed',
      );
      const again = await context.newPage();
      await again.goto(`${tv.url}/pad`); // no code: the phone has its token
      await again.locator('#play').waitFor();
      assert.equal(await colorOf(again), color);
      assert.equal(await again.locator('#play-name').innerText(), 'Anna');
      assert.equal((await tv.matches())[0].players, 2);
    });

    await tv.stop();
    assert.deepEqual(tv.processes(), [], 'no worker outlives the TV');
  });
}
