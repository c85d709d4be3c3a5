/** Uses the screen with a television's remote only: its keys arrive as events with the codes of webOS and Tizen. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { startProxy } from '../support/cut.js';
import { startServe } from '../support/serve.js';
import { Client, startTv } from '../support/tv.js';
import { isPainted, misfits, openScreen, savePicture, shareBrowser, until } from './browser.js';

/** @typedef {import('playwright-core').Page} Page */

const browser = await shareBrowser();

/** Key events of remotes: key, key code. */
const KEYS = /** @type {const} */ ({
  ok: ['Enter', 13],
  left: ['ArrowLeft', 37],
  up: ['ArrowUp', 38],
  right: ['ArrowRight', 39],
  down: ['ArrowDown', 40],
  webosBack: ['GoBack', 461],
  tizenBack: ['XF86Back', 10009],
  red: ['ColorF0Red', 403],
  yellow: ['ColorF2Yellow', 405],
  play: ['MediaPlay', 415],
  playPause: ['MediaPlayPause', 10252],
  stop: ['MediaStop', 413],
});
const ARROWS = /** @type {const} */ (['left', 'up', 'right', 'down']);

/** Returns functions that use a screen's remote. @param {Page} screen */
async function remoteOf(screen) {
  const devtools = await screen.context().newCDPSession(screen);
  return {
    /** Presses a key. @param {keyof typeof KEYS} name */
    async press(name) {
      const [key, windowsVirtualKeyCode] = KEYS[name];
      const text = name === 'ok' ? '\r' : undefined;
      await dispatch('keyDown', { key, windowsVirtualKeyCode, text });
    },
    /** Types a key with an input method. @param {string} key @param {string} code */
    typeComposed: (key, code) => dispatch('rawKeyDown', { key, code, windowsVirtualKeyCode: 229 }),
  };

  /** @param {'keyDown' | 'rawKeyDown'} down @param {object} event */
  async function dispatch(down, event) {
    await devtools.send('Input.dispatchKeyEvent', { type: down, ...event });
    await devtools.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }
}

/** Describes the focused element. @param {Page} screen */
const focused = (screen) =>
  screen.evaluate(() => {
    const { activeElement } = document;
    return activeElement?.id || activeElement?.textContent?.trim() || '';
  });

/** Runs in the page: gives each visible button a number, and returns how many there are. */
function numberButtons() {
  const buttons = [...document.querySelectorAll('button, a')].filter(
    (button) => button.getClientRects().length > 0,
  );
  buttons.forEach((button, i) => button.setAttribute('data-number', String(i)));
  return buttons.length;
}

/**
 * Finds the buttons that arrow keys reach.
 * @param {Page} screen @param {Awaited<ReturnType<typeof remoteOf>>} remote
 */
async function reachable(screen, remote) {
  const current = () =>
    screen.evaluate(() => Number(document.activeElement?.getAttribute('data-number') ?? -1));
  const found = new Set([await current()]);
  for (const number of found) {
    for (const arrow of ARROWS) {
      await screen.locator(`[data-number="${number}"]:visible`).focus();
      await remote.press(arrow);
      found.add(await current());
    }
  }
  return found;
}

/** Runs in the page: the width of the focused element's outline, px. */
function outlineWidth() {
  const { outlineStyle, outlineWidth } = getComputedStyle(
    /** @type {Element} */ (document.activeElement),
  );
  return outlineStyle === 'solid' ? parseFloat(outlineWidth) : 0;
}

test('a remote is enough for the lobby, a match and the menu', async (t) => {
  const tv = await startServe(t, '--engine', 'thread');
  const screen = await openScreen(browser(t), tv.url);
  const remote = await remoteOf(screen);
  await screen.locator('.card:focus').waitFor();

  await t.test('arrow keys reach every button of the lobby, with a visible focus', async () => {
    const count = await screen.evaluate(numberButtons);
    assert.deepEqual(await reachable(screen, remote), new Set(Array(count).keys()));
    for (let number = 0; number < count; number++) {
      await screen.locator(`[data-number="${number}"]:visible`).focus();
      assert.ok((await screen.evaluate(outlineWidth)) >= 2, `button ${number}`);
    }
    await screen.locator('#lobby-margin').focus();
    await savePicture(screen, 'remote-lobby');
  });

  await t.test('OK starts a game, and Back of the browser does not leave it', async () => {
    await screen.locator('[data-game=bumper]').focus();
    await remote.press('ok');
    await screen.locator('#stage').waitFor();
    await screen.goBack();
    await screen.locator('#menu').waitFor();
    assert.ok(await screen.locator('#stage').isVisible());
    await remote.press('playPause');
    await screen.locator('#menu').waitFor({ state: 'hidden' });
  });

  await t.test('Back opens the menu of the match and closes it', async () => {
    await remote.press('webosBack');
    await screen.locator('#menu').waitFor();
    assert.equal(await focused(screen), 'Continue');
    await savePicture(screen, 'remote-menu');
    await screen.evaluate(numberButtons);
    const count = await screen.locator('#menu button').count();
    assert.equal((await reachable(screen, remote)).size, count);
    await remote.press('tizenBack');
    await screen.locator('#menu').waitFor({ state: 'hidden' });
  });

  await t.test('Play/Pause and the menu pause the match, and have it go on', async () => {
    const paused = screen.locator('#paused');
    await remote.press('playPause');
    await paused.getByText('Paused').waitFor();
    await paused.getByText(/It goes on by itself in 1\d\d s/).waitFor();
    await savePicture(screen, 'remote-paused');
    await remote.press('red');
    await screen.locator('#menu').waitFor();
    assert.equal(await focused(screen), 'Go on');
    await remote.press('ok');
    await paused.waitFor({ state: 'hidden' });
    await screen.locator('#menu').waitFor({ state: 'hidden' });
  });

  await t.test('Red and Stop open the menu, and its entries work with OK', async () => {
    await remote.press('red');
    await screen.locator('#menu').waitFor();
    await remote.press('play');
    await screen.locator('#menu').waitFor({ state: 'hidden' });
    await remote.press('stop');
    await screen.locator('#menu').waitFor();
    while ((await focused(screen)) !== 'Stop the match') await remote.press('down');
    await remote.press('ok');
    await screen.locator('.card:focus').waitFor();
    assert.deepEqual(await tv.matches(), []);
  });

  await t.test('Yellow and M switch the sound, M also with a Korean input method', async () => {
    const sound = screen.locator('#lobby-sound');
    const before = await sound.innerText();
    await remote.press('yellow');
    const after = await sound.innerText();
    assert.notEqual(after, before);
    for (const key of ['ㅡ', 'Process']) {
      const now = await sound.innerText();
      await remote.typeComposed(key, 'KeyM');
      assert.notEqual(await sound.innerText(), now, key);
    }
  });

  await t.test('Play starts the selected game', async () => {
    await remote.press('play');
    await screen.locator('#stage').waitFor();
    assert.equal((await tv.matches()).length, 1);
  });
});

test('a remote shows two matches side by side, chooses one, and shows it alone', async (t) => {
  const tv = await startTv(t);
  const screen = await openScreen(browser(t), tv.url);
  const remote = await remoteOf(screen);
  /** Starts a match with one phone. @param {string} name of the player @param {string} game */
  const play = async (name, game) => {
    const pad = await Client.pad(tv, { name });
    pad.send({ t: 'start', game });
    return tv.lobby.match((await pad.next('match')).match);
  };
  /** Opens the menu, and chooses an entry. @param {string} entry */
  const choose = async (entry) => {
    await remote.press('red');
    await screen.locator('#menu').waitFor();
    assert.deepEqual(await misfits(screen, '#menu', 'h2, button'), []);
    while ((await focused(screen)) !== entry) await remote.press('down');
    await remote.press('ok');
  };
  const heard = () => screen.locator('.stage[data-heard=true]').getAttribute('id');
  const [main, side] = [screen.locator('#stage'), screen.locator('#side-stage')];

  const left = await play('Ann', 'bumper');
  await main.locator('.chip', { hasText: 'Ann' }).waitFor();
  await remote.press('red');
  await remote.press('down');
  const before = await focused(screen);
  const right = await play('Ben', 'swarm');
  await screen.getByRole('button', { name: 'Two games side by side' }).waitFor();
  assert.equal(await focused(screen), before, 'a choice was added to the open menu');
  await remote.press('red');
  await choose('Two games side by side');
  await side.locator('.chip', { hasText: 'Ben' }).waitFor();
  await screen.reload();
  for (const [stage, name, id, x] of /** @type {const} */ ([
    [main, 'Ann', '', 0],
    [side, 'Ben', 'side-', 640],
  ])) {
    await stage.locator('.chip', { hasText: name }).waitFor();
    await screen.waitForFunction(isPainted, `#${id}game`);
    const box = await stage.boundingBox();
    assert.deepEqual([box?.x, box?.width], [x, 640]);
    assert.deepEqual(await misfits(screen, `#${id}hud`, '.cut, .chip b, .round, .time, .late'), []);
  }
  await savePicture(screen, 'split');

  await remote.press('right');
  assert.equal(await heard(), 'side-stage');
  await remote.press('playPause');
  await side.getByText('Paused').waitFor();
  assert.deepEqual([left.paused === undefined, right.paused === undefined], [true, false]);
  await choose('Go on');
  await screen.locator('#side-paused').waitFor({ state: 'hidden' });

  await remote.press('webosBack');
  await side.waitFor({ state: 'hidden' });
  await main.locator('.chip', { hasText: 'Ben' }).waitFor();
  assert.equal((await main.boundingBox())?.width, 1280);
  await until(() => tv.server.hub.screens.count === 1, 'the other connection is closed');

  await choose('Back to the lobby');
  await screen.getByRole('button', { name: 'Two games side by side' }).click();
  await side.locator('.chip', { hasText: 'Ben' }).waitFor();
  await left.stop();
  await side.waitFor({ state: 'hidden' });
  await main.locator('.chip', { hasText: 'Ben' }).waitFor();
  await right.stop();
  await screen.locator('.card:focus').waitFor();
});

test('the pointer is shown only while it moves', async (t) => {
  const tv = await startServe(t, '--engine', 'thread');
  const screen = await openScreen(browser(t), tv.url);
  const cursor = () => screen.evaluate(() => getComputedStyle(document.body).cursor);
  await screen.mouse.move(200, 200);
  assert.notEqual(await cursor(), 'none');
  await screen.keyboard.press('ArrowRight');
  assert.equal(await cursor(), 'none');
  await screen.mouse.move(210, 200);
  assert.notEqual(await cursor(), 'none');
  await screen.waitForFunction(() => getComputedStyle(document.body).cursor === 'none');
});

test('a margin keeps everything inside the visible area', async (t) => {
  const tv = await startServe(t, '--engine', 'thread');
  const screen = await openScreen(browser(t), `${tv.url}/?margin=6`);
  await screen.goto(tv.url); // it is remembered
  await screen.locator('.card:focus').waitFor();
  await screen.keyboard.press('Enter');
  await screen.locator('#stage .chip').first().waitFor();
  const outside = await screen.evaluate(() => {
    const [x, y] = [innerWidth * 0.06 - 0.5, innerHeight * 0.06 - 0.5];
    const isOutside = (/** @type {Element} */ element) => {
      const { left, top, right, bottom, width } = element.getBoundingClientRect();
      const isBeyond = right > innerWidth - x || bottom > innerHeight - y;
      return width > 0 && (left < x || top < y || isBeyond);
    };
    const elements = [...document.querySelectorAll('#stage, #stage *')];
    return elements.filter(isOutside).map(({ id, className }) => id || className);
  });
  assert.deepEqual(outside, []);
  await savePicture(screen, 'margin-stage');
  await screen.goto(`${tv.url}/?lang=ko`);
  await screen.locator('.card:focus').waitFor();
  await savePicture(screen, 'margin-lobby-ko');
  const margin = screen.locator('#lobby-margin');
  assert.equal(await margin.innerText(), '여백: 6%');
  await margin.click();
  assert.equal(await margin.innerText(), '여백: 0%');
  assert.equal(await screen.evaluate(() => document.body.getBoundingClientRect().left), 0);
});

test('the join code is entered with a remote, and with a Korean input method', async (t) => {
  const tv = await startTv(t, { args: ['--screen-access', 'code'] });
  const proxy = await startProxy(t, tv.port);
  const screen = await browser(t).newPage({ viewport: { width: 1280, height: 720 } });
  await screen.goto(proxy.url);
  await screen.locator('#keypad').waitFor();
  const remote = await remoteOf(screen);
  await remote.press('ok'); // the first letter has the focus
  await remote.press('tizenBack');
  assert.match(await screen.locator('#keypad output').innerText(), /^·+$/);
  const [first, ...rest] = tv.code;
  for (const letter of rest) {
    await remote.typeComposed('Process', /\d/.test(letter) ? `Digit${letter}` : `Key${letter}`);
  }
  assert.equal(await screen.locator('#keypad output').innerText(), `${rest.join('')}·`);
  for (let i = 0; i < rest.length; i++) await remote.press('webosBack');
  for (const letter of [first, ...rest]) await screen.keyboard.press(letter);
  await screen.locator('#lobby-sound').click();
  await screen.locator('#menu').waitFor();

  proxy.cut();
  tv.lobby.code.code = 'BBBBB'; // as after a restart, when the TV does not know the screen
  tv.lobby.code.linkCode = 'BBBBBBBBBB';
  await screen.evaluate(() => localStorage.clear());
  proxy.restore();
  await screen.locator('#keypad').waitFor();
  assert.equal(await screen.locator('#menu').isVisible(), false, 'nothing covers the keypad');
});
