/** Pages with little room: scores at 720 lines, phones with letters of twice the size, the admin page on a phone. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { PLAYER_COLORS } from '../../app/match/player-colors.js';
import { startServe } from '../support/serve.js';
import {
  PHONE,
  boxOf,
  openAdmin,
  openPad,
  openScreen,
  savePicture,
  shareBrowser,
  misfits,
} from './browser.js';

/** A phone of 390 x 844 at 200 %. */
const PORTRAIT = { width: 195, height: 422 };
const LANDSCAPE = { width: 422, height: 195 };
const browser = await shareBrowser();

/** Checks that an element can be seen. @param {import('playwright-core').Page} page @param {string} selector */
async function checkInView(page, selector) {
  const { x, width } = (await page.locator(selector).boundingBox()) ?? { x: -1, width: 0 };
  const inView = width > 8 && x >= 0 && x + width <= Number(page.viewportSize()?.width);
  assert.ok(inView, `${selector}: ${x}, ${width}`);
}

test('a phone at 200 % shows name and shape, and keeps the focus; the admin reaches each button', async (t) => {
  const tv = await startServe(t, '--engine', 'thread');
  const pad = await openPad(browser(t), tv, 'Mum', PORTRAIT);
  /** @param {string} view @param {string} name id of the element with the name */
  const check = async (view, name) => {
    await pad.locator(`#${view}`).waitFor();
    assert.equal(await pad.evaluate(() => document.activeElement?.id), view);
    for (const viewport of [LANDSCAPE, PORTRAIT]) {
      await pad.setViewportSize(viewport);
      for (const part of ['', ' .shape']) await checkInView(pad, `#${name}${part}`);
      const isCut = await pad
        .locator(`#${name} .cut`)
        .evaluate((e) => e.scrollWidth > e.clientWidth);
      assert.equal(isCut, false, `the name in #${view}`);
    }
  };
  await check('lobby', 'me-name');
  await pad.locator('[data-game=bumper]').tap();
  await check('play', 'play-name');
  await pad.keyboard.press('KeyP');
  for (const viewport of [LANDSCAPE, PORTRAIT]) {
    await pad.setViewportSize(viewport);
    const { y, height } = await boxOf(pad, '.bar');
    assert.ok((await boxOf(pad, '#paused-by')).y >= y + height, 'the bar hides who has paused');
  }
  await pad.locator('#go-on').tap();

  const admin = await browser(t).newPage({ viewport: PHONE });
  await openAdmin(admin, tv);
  await admin.locator('#matches').getByText('Bumper').waitFor();
  for (const button of ['#matches .stop', '#players button']) await checkInView(admin, button);
  await savePicture(admin, 'admin-phone', { fullPage: true });
  const ticks = admin.locator('#matches tbody td').nth(6);
  const before = await ticks.innerText();
  await admin.locator('#matches .stop').hover();
  await admin.mouse.down();
  await ticks.filter({ hasNotText: before }).waitFor(); // the table has changed meanwhile
  await admin.mouse.up();
  await pad.locator('#lobby').waitFor();
});

test('a small phone reaches all of the form, replaces a wrong code, and sees its buttons', async (t) => {
  const tv = await startServe(t, '--engine', 'thread');
  const options = { viewport: { width: 320, height: 568 }, hasTouch: true, isMobile: true };
  const pad = await (await browser(t).newContext(options)).newPage();
  await pad.goto(`${tv.url}/p?c=ZZZZZ`);
  await pad.locator('#join-form [type=submit]').tap();
  await pad.locator('#join-message').waitFor();
  for (const turned of [false, true]) {
    const [width, height] = turned ? [568, 320] : [320, 568];
    await pad.setViewportSize({ width, height });
    await pad.locator('#join').evaluate((join) => join.scrollTo(0, 0));
    for (const part of ['#join .logo', '#join-message']) {
      assert.ok((await boxOf(pad, part)).y >= 0, `the top of ${part}`);
    }
  }
  await pad.setViewportSize(options.viewport);
  await pad.locator('#join-code').tap();
  await pad.keyboard.type(tv.code);
  await pad.locator('#join-name').fill('Adalbert Øst');
  await pad.locator('#join-form [type=submit]').tap();
  await pad.locator('[data-game=bumper]').tap();
  await pad.locator('#tutorial').waitFor();
  const { y, height } = await boxOf(pad, '#tutorial');
  assert.ok(y + height <= (await boxOf(pad, '#button-b')).y, 'the lesson covers no button');

  const admin = await browser(t).newPage({ viewport: PHONE });
  await openAdmin(admin, tv);
  await admin.locator('#players').getByText('Adalbert Øst').waitFor();
  const { x, width } = await boxOf(admin, '#players tbody td:first-child');
  const isFree = x + width <= (await boxOf(admin, '#players button')).x;
  assert.ok(isFree, 'the name is beside its button');
});

test('the card of the last game is in view after the match, also when others were before it', async (t) => {
  const tv = await startServe(t, '--engine', 'thread');
  const screen = await openScreen(browser(t), tv.url);
  await screen.locator('[data-game=collide]').focus();
  const { id } = await (
    await tv.ask('/api/matches', { method: 'POST', body: { game: 'kick-off' } })
  ).json();
  await screen.locator('#stage').waitFor();
  await tv.ask(`/api/matches/${id}`, { method: 'DELETE' });
  await screen.locator('[data-game=kick-off]:focus').waitFor();
  await screen.locator('[data-match]').waitFor({ state: 'detached' });
  const list = await boxOf(screen, '#game-list');
  const card = await boxOf(screen, '[data-game=kick-off]');
  assert.ok(card.x >= list.x && card.x + card.width <= list.x + list.width, JSON.stringify(card));
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
    const screen = await browser(t).newPage({ viewport: { width: 1280, height: 720 } });
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
      assert.deepEqual(await misfits(screen, '#hud', '.cut, .away, b, .round, .time'), [], name);
    }
  });
}
