/** Plays at the screen without a phone: with gamepads that the test simulates, and with real key presses. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadCatalog } from '../../app/packages/catalog.js';
import { Client, startTv } from '../support/tv.js';
import { findColor, loadBrief, shareBrowser, openScreen, until, savePicture } from './browser.js';

const BUTTON = Object.freeze({ a: 0, b: 1, select: 8, start: 9, down: 13, right: 15 });

const browser = await shareBrowser();

/** Runs in the page: replaces the gamepads of the browser by two that setPad() changes. */
function fakeGamepads() {
  const make = (/** @type {number} */ index) => ({
    index,
    id: `fake ${index}`,
    connected: true,
    mapping: 'standard',
    axes: [0, 0, 0, 0],
    buttons: Array.from({ length: 17 }, () => ({ pressed: false, touched: false, value: 0 })),
  });
  const pads = [make(0), make(1)];
  Object.assign(window, {
    /** @param {number} index @param {number[]} axes @param {number[]} held */
    setPad(index, axes, held) {
      pads[index].axes = axes;
      pads[index].buttons.forEach((button, i) => (button.pressed = held.includes(i)));
      // The page has read it after two pictures.
      return new Promise((resolve) =>
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined))),
      );
    },
  });
  navigator.getGamepads = () => /** @type {any} */ (pads);
}

/** @param {import('playwright-core').Page} screen @param {number} index of the gamepad */
const gamepad = (screen, index) => ({
  /** @param {number[]} axes @param {number[]} [held] */
  set: (axes, held = []) =>
    screen.evaluate(
      ([pad, ...state]) => /** @type {any} */ (window).setPad(pad, ...state),
      /** @type {const} */ ([index, axes, held]),
    ),
  /** @param {boolean} connected */
  plug: (connected) =>
    screen.evaluate(
      ([pad, on]) => void Object.assign(navigator.getGamepads()[pad] ?? {}, { connected: on }),
      /** @type {const} */ ([index, connected]),
    ),
  /** Presses and releases a button. @param {number} button */
  async press(button) {
    await this.set([0, 0], [button]);
    await this.set([0, 0]);
  },
});

/** @param {{name: string}[]} players */
const namesOf = (players) => players.map(({ name }) => name).sort();

/** @param {import('node:test').TestContext} t */
async function openTv(t) {
  const tv = await startTv(t, { games: [...(await loadBrief()), ...(await loadCatalog())] });
  const context = await browser(t).newContext();
  await context.addInitScript(fakeGamepads);
  const screen = await openScreen(/** @type {any} */ (context), tv.url);
  await screen.locator('.card:focus').waitFor();
  return { tv, screen };
}

test('gamepads and a keyboard join, start a game, play it and leave', async (t) => {
  const { tv, screen } = await openTv(t);
  const [first, second] = [gamepad(screen, 0), gamepad(screen, 1)];
  const named = (/** @type {string} */ name) =>
    tv.lobby.players.all.find((player) => player.name === name);

  await t.test('A of a gamepad and 1 and 2 of a keyboard join', async () => {
    await first.press(BUTTON.a);
    await screen.locator('.person', { hasText: 'Pad 1' }).waitFor();
    await second.press(BUTTON.start);
    await screen.keyboard.press('1');
    await screen.keyboard.press('Digit2');
    await screen.locator('.person').nth(3).waitFor();
    assert.deepEqual(namesOf(tv.lobby.players.all), ['Keys 1', 'Keys 2', 'Pad 1', 'Pad 2']);
    await savePicture(screen, 'local-lobby');
    assert.deepEqual(tv.lobby.matches, [], 'joining starts nothing');
  });

  await t.test('the gamepad chooses a game and starts it with all players', async () => {
    await first.press(BUTTON.right);
    assert.notEqual(await screen.locator('.card:focus').getAttribute('data-game'), 'brief');
    await screen.locator('[data-game=brief]').focus();
    await first.press(BUTTON.a);
    await screen.locator('#stage').waitFor();
    await until(async () => tv.lobby.matches[0]?.players.length === 4, 'four play');
  });

  await t.test('stick and keys move the balls of their players', async () => {
    await screen.waitForFunction(() => !document.querySelector('.overlay .big'));
    for (const [name, push, release] of /** @type {const} */ ([
      ['Pad 1', () => first.set([0, 1]), () => first.set([0, 0])],
      ['Pad 2', () => second.set([0, 0], [BUTTON.down]), () => second.set([0, 0])],
      ['Keys 1', () => screen.keyboard.down('ArrowDown'), () => screen.keyboard.up('ArrowDown')],
      ['Keys 2', () => screen.keyboard.down('s'), () => screen.keyboard.up('s')],
    ])) {
      const color = String(named(name)?.color);
      const start = await until(() => findColor(screen, color), `${name} is visible`);
      await push();
      const moved = async () => {
        const now = await findColor(screen, color);
        return now && now.y - start.y > 15;
      };
      await until(moved, `${name} has moved down`);
      await release();
    }
    await savePicture(screen, 'local-play');
  });

  await t.test('Start opens the menu, B closes it, and neither reaches the game', async () => {
    await first.press(BUTTON.start);
    await screen.locator('#menu').waitFor();
    await screen.keyboard.press('ArrowDown');
    await screen.keyboard.press('ArrowUp');
    await first.press(BUTTON.b);
    await screen.locator('#menu').waitFor({ state: 'hidden' });
    await screen.keyboard.press('Escape');
    await screen.locator('#menu').waitFor();
    await screen.keyboard.press('Enter'); // Continue
    await screen.locator('#menu').waitFor({ state: 'hidden' });
    const [match] = tv.lobby.matches;
    const { ticks } = match;
    await until(async () => match.ticks > ticks + 30, 'the match goes on');
    assert.equal(await screen.locator('.podium').count(), 0, 'A has not ended the match');
  });

  await t.test('A ends the match, and the results name the player', async () => {
    await screen.keyboard.down('Enter');
    await screen.getByText('Keys 1 wins!').waitFor();
    await screen.locator('.card:focus').waitFor();
    for (let i = 0; i < 3; i++) await screen.keyboard.down('Enter'); // it is still held
    await screen.keyboard.up('Enter');
    await screen.locator('#lobby-bots').click(); // the TV has handled what was sent before
    await screen.getByText('Bots: normal').waitFor();
    assert.deepEqual(tv.lobby.matches, [], 'the selected game was not started by it');
  });

  await t.test('keyboards are back after a reload, and a gamepad that was unplugged', async () => {
    await screen.reload();
    const isBack = () => named('Keys 1')?.connected && named('Keys 2')?.connected;
    await until(isBack, 'the keyboards are back');
    await first.press(BUTTON.a);
    await second.press(BUTTON.a);
    await until(() => named('Pad 1')?.connected && named('Pad 2')?.connected, 'the gamepads are');
    const { match: own } = await tv.lobby.start('brief', { owner: 'test' });
    await first.plug(false);
    await until(() => !named('Pad 1')?.connected, 'the gamepad is away');
    assert.equal(named('Pad 1')?.match, own, 'it keeps its seat');
    await first.plug(true);
    await first.press(BUTTON.a);
    await until(() => named('Pad 1')?.connected, 'it is back');
    await own.stop();
    await screen.locator('.card:focus').waitFor();
  });

  await t.test('Select and the number leave', async () => {
    await first.press(BUTTON.select);
    await screen.keyboard.press('1');
    const away = () => tv.lobby.players.all.filter(({ connected }) => !connected);
    await until(async () => away().length === 2, 'two have left');
    assert.deepEqual(namesOf(away()), ['Keys 1', 'Pad 1']);
    await first.press(BUTTON.a);
    await until(async () => named('Pad 1')?.connected, 'it is the same player again');
    assert.equal(tv.lobby.players.all.length, 4);
  });
});

test('a player who joins during a match takes a seat in it', async (t) => {
  const { tv, screen } = await openTv(t);
  await screen.locator('#start').click(); // the first game, Brief, is selected
  await screen.locator('#stage').waitFor();
  await gamepad(screen, 0).press(BUTTON.a);
  await until(async () => tv.lobby.matches[0]?.players.length === 1, 'it plays');

  const [own] = tv.lobby.matches;
  const { match: other } = await (await Client.pad(tv, { name: 'Bo' })).start('brief');
  await screen.keyboard.press('Enter');
  await screen.getByRole('button', { name: 'Back to the lobby' }).click();
  await screen.locator(`[data-match="${other}"]`).first().click();
  await screen.locator('#stage').waitFor();
  await screen.reload();
  await screen.locator('#stage').waitFor();
  await gamepad(screen, 0).press(BUTTON.a);
  await screen.locator('.toast').waitFor();
  assert.deepEqual(
    [...own.players].map(({ name }) => name),
    ['Pad 1'],
    'back in its own match',
  );
});
