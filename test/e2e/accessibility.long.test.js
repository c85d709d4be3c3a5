/** Checks every page with axe-core, and that motion is reduced for people who want that. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';
import { loadCatalog } from '../../app/packages/catalog.js';
import { extent } from '../support/extent.js';
import { startTv } from '../support/tv.js';
import { PHONE, loadBrief, openAdmin, pressUntil, shareBrowser, savePicture } from './browser.js';

/** @typedef {import('playwright-core').Page} Page */

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TV = { width: 1280, height: 720 };

const browser = await shareBrowser();

/** @param {Page} page @returns {Promise<string[]>} rule and element of each finding */
async function findViolations(page) {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { violations } = await /** @type {any} */ (window).axe.run(document);
    return violations.flatMap((/** @type {any} */ { id, nodes }) =>
      nodes.map((/** @type {any} */ { html, any }) => {
        return `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ''}`;
      }),
    );
  });
}

/** Runs in the page: returns the names of the animations and transitions that take time. @returns {string[]} */
function findMotion() {
  return document
    .getAnimations()
    .filter((each) => Number(each.effect?.getComputedTiming().endTime) > 1)
    .map((each) => /** @type {any} */ (each).animationName ?? each.id);
}

/**
 * Opens a page with reduced motion, so that no animation is under way.
 * @param {import('node:test').TestContext} t
 * @param {string} url @param {string} locale @param {{width: number, height: number}} viewport
 */
async function open(t, url, locale, viewport) {
  const isPhone = viewport === PHONE;
  const options = { locale, viewport, hasTouch: isPhone, isMobile: isPhone };
  const context = await browser(t).newContext({ ...options, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

for (const locale of extent(['ko-KR'], ['en-GB', 'ko-KR'])) {
  test(`axe finds nothing on the pages in ${locale}`, async (t) => {
    const games = [...(await loadCatalog()), ...(await loadBrief())];
    const times = { partyRestMs: 600_000 }; // the table stays
    const tv = await startTv(t, { games, times });
    /** @param {Page} page @param {string} name */
    const check = async (page, name) => {
      await savePicture(page, `axe-${locale.slice(0, 2)}-${name}`);
      assert.deepEqual(await findViolations(page), [], name);
      assert.deepEqual(await page.evaluate(findMotion), [], name);
    };
    /** @param {string} path @param {{width: number, height: number}} viewport */
    const openPage = (path, viewport) => open(t, tv.url + path, locale, viewport);

    const screen = await openPage('/', TV);
    await screen.locator('.card:focus').waitFor();
    const pad = await openPage(`/p?c=${tv.code}`, PHONE);
    await pad.locator('#join-form').waitFor();
    await t.test('the phone before it joins', async () => {
      await check(pad, 'join');
      await pad.locator('#join-code').fill('AB');
      await pad.locator('#join-form [type=submit]').tap();
      await pad.locator('#join-message').waitFor();
      await check(pad, 'join-message');
    });

    await t.test('the lobby on the phone and on the screen', async () => {
      await pad.locator('#join-code').fill(tv.code);
      await pad.locator('#join-form [type=submit]').tap();
      await pad.locator('#lobby .game').first().waitFor();
      await check(pad, 'pad-lobby');
      await pad.locator('#rename').tap();
      await check(pad, 'rename');
      await pad.locator('#rename').tap();
      await screen.locator('.person').waitFor();
      await check(screen, 'lobby');
    });

    await t.test('a match on the phone and on the screen', async () => {
      await pad.locator('[data-game=brief]').tap();
      await pad.locator('#play').waitFor();
      await screen.locator('#stage .chip').first().waitFor();
      await check(screen, 'stage');
      const shapes = await screen
        .locator('.chip .shape')
        .evaluateAll((icons) => icons.map((icon) => icon.getAttribute('aria-label')));
      assert.equal(new Set(shapes).size, 4, 'players have different shapes');
      await check(pad, 'pad-play');
      await screen.keyboard.press('Escape');
      await screen.locator('#menu').waitFor();
      await check(screen, 'menu');
      await screen
        .locator('#menu')
        .getByText(/Watch the replay|리플레이 보기/)
        .click();
      await screen.locator('.replay canvas').waitFor();
      await check(screen, 'replay');
      await screen.keyboard.press('Escape');
      await screen.mouse.move(100, 100);
      await screen.locator('#open-menu').waitFor();
      await check(screen, 'stage-pointer');
    });

    await t.test('the results on the phone and on the screen', async () => {
      await pressUntil(pad, screen.locator('.podium'));
      await check(screen, 'podium');
      await pad.locator('#result').waitFor();
      await check(pad, 'result');
    });

    await t.test('a party on the phone and on the screen', async () => {
      await screen.locator('#lobby').waitFor();
      assert.equal(await screen.locator('#hero-title').innerText(), 'Brief', 'selected again');
      await screen.locator('[data-game=brief]').focus();
      await screen.locator('#lobby-party').click();
      await check(screen, 'party-menu');
      await screen.locator('#menu button').first().click();
      await pad.locator('#play').waitFor();
      await pressUntil(pad, screen.locator('#party li').first());
      await check(screen, 'party-table');
      await check(pad, 'party-pad');
      await screen.locator('#party button').click();
      await screen.locator('#party .wait').waitFor({ state: 'detached' });
      await screen.locator('#party button').click();
      await screen.locator('#party').waitFor({ state: 'hidden' });
    });

    await t.test('the admin page', async () => {
      const admin = await openPage('/admin', TV);
      await admin.locator('#login[data-purpose=token]').waitFor();
      await check(admin, 'admin-login');
      await openAdmin(admin, { url: tv.url, adminToken: tv.admin.token });
      for (const tab of ['games', 'system', 'profiles']) {
        await admin.locator(`#tab-${tab}`).click();
        await admin.locator(`#${tab} :is(td, dd, p, button)`).first().waitFor();
        await check(admin, `admin-${tab}`);
      }
      await admin.locator('#change').click();
      await check(admin, 'admin-change');
    });

    await t.test('the page for files of replays', async () => {
      await check(await openPage('/replay', TV), 'replay-file');
    });

    await t.test('the page for browsers that are too old', async () => {
      await check(await openPage('/too-old', PHONE), 'too-old');
    });
  });

  test(`axe finds nothing on the keypad and on a page without a TV in ${locale}`, async (t) => {
    const tv = await startTv(t, { args: ['--screen-access', 'code'] });
    const screen = await open(t, tv.url, locale, TV);
    await screen.locator('#keypad').waitFor();
    await savePicture(screen, `axe-${locale.slice(0, 2)}-keypad`);
    assert.deepEqual(await findViolations(screen), []);
  });
}
