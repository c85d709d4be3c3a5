/** Pages with little room: scores at 720 lines, phones with letters of twice the size, the admin page on a phone. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { PLAYER_COLORS } from '../../app/match/player-colors.js';
import { startServe } from '../support/serve.js';
import { PHONE, closePages, openAdmin, openPad, savePicture, shareBrowser } from './browser.js';
import { misfits } from './text-fit.js';

/** A phone of 390 x 844 at 200 %. */
const PORTRAIT = { width: 195, height: 422 };
const LANDSCAPE = { width: 422, height: 195 };
const browser = shareBrowser();

/** Checks that an element can be seen. @param {import('playwright-core').Page} page @param {string} selector */
async function checkInView(page, selector) {
  const { x, width } = (await page.locator(selector).boundingBox()) ?? { x: -1, width: 0 };
  const inView = width > 8 && x >= 0 && x + width <= Number(page.viewportSize()?.width);
  assert.ok(inView, `${selector}: ${x}, ${width}`);
}

test('a phone at 200 % shows name and shape, and keeps the focus; the admin reaches each button', async (t) => {
  const tv = await startServe(t, '--engine', 'thread');
  closePages(t, browser());
  const pad = await openPad(browser(), tv, 'Mum', PORTRAIT);
  /** @param {string} view @param {string} name id of the element with the name */
  const check = async (view, name) => {
    await pad.locator(`#${view}`).waitFor();
    assert.equal(await pad.evaluate(() => document.activeElement?.id), view);
    for (const viewport of [LANDSCAPE, PORTRAIT]) {
      await pad.setViewportSize(viewport);
      for (const part of ['', ' .shape']) await checkInView(pad, `#${name}${part}`);
      const isCut = await pad.locator(`#${name}`).evaluate((e) => e.scrollWidth > e.clientWidth);
      assert.equal(isCut, false, `the name in #${view}`);
    }
  };
  await check('lobby', 'me-name');
  await pad.locator('[data-game=bumper]').tap();
  await check('play', 'play-name');

  const admin = await browser().newPage({ viewport: PHONE });
  await openAdmin(admin, tv);
  await admin.locator('#matches').getByText('Bumper').waitFor();
  for (const button of ['#matches .stop', '#players button']) await checkInView(admin, button);
  await savePicture(admin, 'admin-phone', { fullPage: true });
});

/** @type {object[]} */
const TEAMS = ['Tigers', 'Sharks'].map((name, slot) => ({
  slot,
  name,
  color: '#4da3ff',
  score: 9,
}));
const WAVES = { extra: ['spareShips', 'left', 'teamScore'], rounds: 10, round: 'Wave' };

/** Runs in the page: shows the scores of a match. @param {any} match */
async function showScores({ players, teams, view }) {
  const { Scoreboard } = await import(/** @type {any} */ ('/screen/scoreboard.js'));
  for (const name of ['lobby', 'stage']) {
    document.getElementById(name)?.toggleAttribute('hidden', name === 'lobby');
  }
  const frame = { phase: 1, seconds: 111, round: 10, extra: [12, 1200, 1800] };
  new Scoreboard().update(frame, players, view, teams);
}

for (const language of ['en', 'ko']) {
  test(`short names are not cut off at 1280x720 in ${language}`, async (t) => {
    const tv = await startServe(t, '--engine', 'thread');
    closePages(t, browser());
    const screen = await browser().newPage({ viewport: { width: 1280, height: 720 } });
    await screen.goto(`${tv.url}/?lang=${language}`);
    await screen.locator('.card').first().waitFor();
    for (const [i, teams] of [[], TEAMS, [], [], TEAMS, [], TEAMS].entries()) {
      const count = i + 2;
      const players = PLAYER_COLORS.slice(0, count).map((color, slot) => ({
        slot,
        name: 'Mum',
        color,
        shape: color,
        team: teams.length > 0 ? slot % 2 : -1,
        score: 120,
        alive: true,
        lead: slot % 2 === 0,
        away: true,
        replaced: true,
      }));
      await screen.evaluate(showScores, { players, teams, view: teams.length > 0 ? {} : WAVES });
      const name = `scores-${count}-${teams.length}-${language}`;
      await savePicture(screen, name);
      assert.deepEqual(await misfits(screen, '#hud', '.who, .away, b, .round, .time'), [], name);
    }
  });
}
