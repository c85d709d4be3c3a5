/** The language of the pages in a real browser, and whether everything fits on screens and small phones. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { LANGUAGES } from '../../app/web/languages/index.js';
import { translateGame } from '../../app/web/lib/games.js';
import { isPainted, misfits, openPad, savePicture, shareBrowser, until } from './browser.js';
import { startServe } from '../support/serve.js';

/** @typedef {import('../../app/web/lib/language.js').LanguageCode} LanguageCode */

const languages = /** @type {LanguageCode[]} */ (Object.keys(LANGUAGES));
const SCREENS = [720, 1080].map((height) => ({ width: (height * 16) / 9, height }));
const SCREEN_4K = { width: 3840, height: 2160 };
const SMALL_PHONE = { width: 360, height: 640 };
const browser = await shareBrowser();

/** @param {string} url of the TV @returns {Promise<any[]>} its games, also those that it has installed */
const gamesOf = async (url) => (await fetch(`${url}/api/games`)).json();

/** @param {import('playwright-core').Page} page */
const languageOf = (page) => page.locator('html').getAttribute('lang');

test('a screen and a phone in Korean, and back to English', async (t) => {
  const tv = await startServe(t, '--engine', 'thread');
  const screen = await browser(t).newPage({ locale: 'ko-KR' });
  await screen.setViewportSize({ width: 1280, height: 720 });
  await screen.goto(tv.url);
  await screen.getByText('아직 플레이어가 없어요').waitFor();
  await screen.getByRole('heading', { name: '범퍼' }).waitFor();
  assert.equal(await languageOf(screen), 'ko');

  const phone = await browser(t).newPage({ locale: 'ko-KR' });
  await phone.setViewportSize({ width: 390, height: 844 });
  await phone.goto(`${tv.url}/p?c=XXXXX`);
  await phone.getByRole('button', { name: '시작하기' }).click();
  await phone.getByText('TV에 표시된 코드와 달라요.').waitFor();
  await phone.locator('#join-code').fill(tv.code);
  await phone.locator('#join-name').fill('지우');
  await phone.getByRole('button', { name: '시작하기' }).click();
  await phone.getByText('범퍼').waitFor();
  await screen.getByText('지우', { exact: true }).waitFor();

  await screen.getByRole('button', { name: 'Language: English' }).click();
  await screen.getByText('1 player', { exact: true }).waitFor();
  assert.equal(await languageOf(screen), 'en');
  await screen.reload();
  await screen.getByRole('heading', { name: 'Bumper' }).waitFor();

  await screen.goto(`${tv.url}/?lang=ko`);
  await screen.getByRole('heading', { name: '범퍼' }).waitFor();
  await screen.goto(tv.url);
  await screen.getByRole('heading', { name: '범퍼' }).waitFor();

  await phone.locator('[data-game=bumper]').click();
  await phone.getByText('돌진').waitFor();
  await phone.getByText('굴리기').waitFor();
  await phone.reload();
  await phone.getByText('돌진').waitFor();
});

/** Returns whether every card of the game list has a picture. @param {import('playwright-core').Page} screen */
async function hasPictures(screen) {
  const count = await screen.locator('#game-list canvas').count();
  const canvases = Array.from({ length: count }, (_, i) => `.card:nth-child(${i + 1}) canvas`);
  const painted = await Promise.all(canvases.map((each) => screen.evaluate(isPainted, each)));
  return count > 0 && painted.every(Boolean);
}

test('the lobby fits screens from 720p to 4K', async (t) => {
  const tv = await startServe(t, '--engine', 'thread');
  const screen = await browser(t).newPage();
  await screen.goto(tv.url);
  for (const { width, height } of [...SCREENS, SCREEN_4K]) {
    await screen.setViewportSize({ width, height });
    await until(() => hasPictures(screen), 'the games have their pictures');
    const { wide, high, size } = await screen.evaluate(() => {
      const { scrollWidth, scrollHeight } = document.documentElement;
      const code = /** @type {Element} */ (document.querySelector('#code'));
      return { wide: scrollWidth, high: scrollHeight, size: getComputedStyle(code).fontSize };
    });
    assert.deepEqual([wide, high], [width, height], 'nothing scrolls');
    assert.ok(parseFloat(size) > height / 15, `the code is ${size} at ${height} lines`);
    await savePicture(screen, `lobby-${height}p`);
  }
});

test('the rules of every game fit into the lobby, also with the reason why none can start', async (t) => {
  const tv = await startServe(t, '--engine', 'thread', '--max-matches', '1');
  const screen = await browser(t).newPage();

  /** @param {string} language @param {string} reason why the start button is disabled, or '' */
  async function checkGames(language, reason) {
    await screen.goto(`${tv.url}/?lang=${language}`);
    await screen.locator('#hero-why').filter({ hasText: reason }).waitFor({ state: 'attached' });
    for (const { id } of await gamesOf(tv.url)) {
      await screen.locator(`[data-game=${id}]`).focus();
      for (const viewport of SCREENS) {
        await screen.setViewportSize(viewport);
        const found = await misfits(screen, '#hero', 'h2, p, li, button');
        assert.deepEqual(found, [], `${id} in ${language}, ${viewport.height} lines, ${reason}`);
      }
    }
  }
  for (const language of languages) await checkGames(language, '');
  await screen.keyboard.press('Enter');
  await screen.locator('#stage').waitFor();
  await checkGames('en', '1 of 1 games');
  await checkGames('ko', '게임 1개 중 1개');
});

test('the names of the controls fit on a small phone', async (t) => {
  const tv = await startServe(t, '--engine', 'thread');
  const phone = await openPad(browser(t), tv, 'Ada', SMALL_PHONE);
  for (const game of (await gamesOf(tv.url)).filter(({ players }) => players.max > 0)) {
    await phone.locator(`[data-game=${game.id}]`).tap();
    for (const language of languages) {
      await phone.goto(`${tv.url}/pad?lang=${language}`);
      const { controls } = translateGame(game, language);
      await phone.locator('#stick-label').filter({ hasText: controls.stick }).waitFor();
      const found = await misfits(
        phone,
        '#play',
        '#stick-label, .button > *, .bar output, .headline',
      );
      assert.deepEqual(found, [], `${game.id} in ${language}`);
    }
    await phone.keyboard.down('Escape');
    await phone.locator('#lobby').waitFor();
    await phone.keyboard.up('Escape');
  }
});
