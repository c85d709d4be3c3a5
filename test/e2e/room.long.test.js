/** The evening in a living room, in a real browser: a match is stopped, a line for seats, lost connections. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { startProxy } from '../support/cut.js';
import { startServe } from '../support/serve.js';
import { Client, gamesOf, startTv, until } from '../support/tv.js';
import {
  SMALL_SCREEN,
  isPainted,
  loadBrief,
  openPad,
  openScreen,
  putFinger,
  savePicture,
  shareBrowser,
} from './browser.js';

const browser = await shareBrowser();

test('a screen asks to stop the match of a phone, which holds the button to stop it', async (t) => {
  const tv = await startTv(t, { games: await loadBrief() });
  const screen = await openScreen(browser(t), tv.url, SMALL_SCREEN);
  const pad = await openPad(browser(t), tv, 'Ada');
  await pad.locator('[data-game=brief]').tap();
  await screen.locator('#stage').waitFor();
  await screen.keyboard.press('Escape');
  await screen.getByRole('button', { name: 'Ask to stop' }).click();
  for (const page of [screen, pad]) {
    await page.locator('#paused').getByText('Stop the match?').waitFor();
  }
  await savePicture(pad, 'pad-asked');
  await screen.reload();
  await screen.locator('.chip').getByText('Ada').waitFor(); // the last frame is shown again
  await pad.locator('#stop').tap();
  await pad.getByText('Hold the button to stop the match').waitFor();
  assert.equal(tv.lobby.matches.length, 1, 'a short touch does not stop it');
  await pad.locator('#go-on').tap();
  for (const page of [screen, pad]) await page.locator('#paused').waitFor({ state: 'hidden' });
  await pad.locator('#pause').tap();
  await putFinger(pad, '#stop');
  for (const page of [screen, pad]) await page.locator('#lobby').waitFor();
});

test('the screen chooses how strong the bots of the next match are, and the TV keeps it', async (t) => {
  const tv = await startTv(t);
  const screen = await openScreen(browser(t), tv.url, SMALL_SCREEN);
  await screen.getByRole('button', { name: 'Bots: easy' }).click();
  const button = screen.getByRole('button', { name: 'Bots: normal' });
  await button.waitFor();
  await screen.reload();
  await button.waitFor();
  await openPad(browser(t), tv, 'Ada');
  await screen.locator('[data-game=bumper]').click();
  await screen.locator('#stage').waitFor();
  assert.equal(Reflect.get(tv.lobby.matches[0].options, 'botStrength'), 1);
});

test('a phone without a seat waits in a line and gets the next one; it says that no screen shows its game', async (t) => {
  const tv = await startTv(t, { games: await loadBrief() });
  const screen = await openScreen(browser(t), tv.url, SMALL_SCREEN);
  const others = [];
  for (const name of ['Ann', 'Ben', 'Carl', 'Dora']) others.push(await Client.pad(tv, { name }));
  await tv.lobby.start('brief', { owner: 'test' });
  const pad = await openPad(browser(t), tv, 'Eve');
  await pad.getByText('Ann, Ben, Carl').waitFor();
  await pad.getByText('Brief is full: wait for a seat').tap();
  await pad.getByText('Brief is full. You are next.').tap(); // keeps the place
  await savePicture(pad, 'pad-next');
  await pad.getByText('Leave the line').tap();
  await pad.getByText('Brief is full: wait for a seat').tap();
  await pad.getByText('Brief is full. You are next.').waitFor();
  others[2].send({ t: 'leave' });
  await pad.locator('#play').waitFor();
  assert.equal(await pad.locator('#unshown').isVisible(), false);
  await screen.locator('#stage').waitFor();
  await screen.keyboard.press('Escape');
  await screen.getByRole('button', { name: 'Back to the lobby' }).click();
  await pad.getByText('No screen shows this game. Choose “Watch Brief” on the TV.').waitFor();
  await screen.getByRole('button', { name: 'Watch Brief' }).click();
  await pad.locator('#unshown').waitFor({ state: 'hidden' });
});

test('a phone says that no screen shows its game, also when nothing changes after its start', async (t) => {
  const games = [...(await gamesOf('collide')), ...(await loadBrief())];
  const tv = await startTv(t, { games });
  const screen = await openScreen(browser(t), tv.url, SMALL_SCREEN);
  await screen.locator('[data-game=collide]').press('Enter');
  await screen.locator('#stage').waitFor();
  const pad = await openPad(browser(t), tv, 'Ada');
  await pad.locator('[data-game=brief]').tap();
  await pad.getByText('No screen shows this game. Choose “Watch Brief” on the TV.').waitFor();
});

test('a screen asks again for the picture of a game that could not be made', async (t) => {
  const tv = await startTv(t, { games: await loadBrief() });
  const screen = await browser(t).newPage({ viewport: SMALL_SCREEN });
  await screen.clock.install();
  let answers = 0;
  await screen.route('**/preview', (route) =>
    answers++ ? route.continue() : route.fulfill({ status: 500 }),
  );
  const failed = screen.waitForResponse((response) => response.status() === 500);
  await screen.goto(tv.url);
  await failed;
  await until(async () => {
    await screen.clock.fastForward(30_000);
    return screen.evaluate(isPainted, '#hero-picture');
  }, 'the picture is drawn');
});

test('the lobby leaves out players who are away before those who are there', async (t) => {
  const tv = await startTv(t);
  const pads = [];
  for (let i = 1; i <= 9; i++) pads.push(await Client.pad(tv, { name: `P${i}` }));
  for (const pad of pads.slice(2)) pad.vanish();
  const screen = await openScreen(browser(t), tv.url, SMALL_SCREEN);
  await screen.locator('.person[data-away=true]').nth(4).waitFor();
  const names = await screen.locator('.person').allInnerTexts();
  assert.deepEqual(names, ['2 more', 'P1', 'P2', 'P5', 'P6', 'P7', 'P8', 'P9']);
});

test('a TV that does not answer, and a phone that does not, are shown and come back', async (t) => {
  const tv = await startServe(t, '--engine', 'thread');
  const screen = await openScreen(browser(t), tv.url, SMALL_SCREEN);
  const proxy = await startProxy(t, tv.port);
  const pad = await openPad(browser(t), { url: proxy.url, code: tv.code }, 'Ada');
  await pad.locator('[data-game=bumper]').tap();
  await screen.locator('#stage').waitFor();
  await pad.locator('#play').waitFor();
  process.kill(tv.pid, 'SIGSTOP');
  for (const page of [screen, pad]) await page.locator('#lost').waitFor();
  await savePicture(pad, 'pad-lost');
  process.kill(tv.pid, 'SIGCONT');
  for (const page of [screen, pad]) await page.locator('#lost').waitFor({ state: 'hidden' });

  proxy.hold(true);
  await screen.locator('.chip[data-away=true]').waitFor();
  await savePicture(screen, 'screen-away');
  await pad.locator('#lost').waitFor();
  proxy.hold(false);
  await pad.locator('#lost').waitFor({ state: 'hidden' });
  await screen.locator('.chip[data-away=true]').waitFor({ state: 'detached' });
  assert.ok(await pad.locator('#play').isVisible());
});

/** Runs in the page: counts the pictures that are asked for, and draws none, as a browser does for a hidden page. */
function hidePictures() {
  /** @type {Set<number>} */
  const asked = new Set();
  let id = 1e6;
  window.requestAnimationFrame = () => (asked.add(++id), id);
  window.cancelAnimationFrame = (each) => void asked.delete(each);
  Reflect.set(window, 'asked', asked);
}

test('a screen is fine after a podium without a connection, below a replay, and after it was hidden', async (t) => {
  const tv = await startTv(t, { games: await loadBrief() });
  const proxy = await startProxy(t, tv.port);
  const screen = await openScreen(browser(t), proxy.url, SMALL_SCREEN);
  const pad = await Client.pad(tv, { name: 'Ada' });
  await pad.start('brief');
  await screen.locator('#stage').waitFor();
  let presses = 0;
  await until(async () => {
    pad.input(0, 0, 0, ++presses % 256);
    return screen.locator('.podium').isVisible();
  }, 'the podium');
  proxy.cut();
  await until(() => tv.lobby.matches.length === 0, 'the match is over');
  proxy.restore();
  await screen.locator('.card:focus').waitFor();

  const { match: id } = await pad.start('brief');
  await screen.locator('#stage').waitFor();
  await screen.locator('#overlay').waitFor({ state: 'hidden' });
  await screen.keyboard.press('Enter');
  await screen.getByRole('button', { name: 'Watch the replay' }).click();
  await screen.locator('.replay button:focus').waitFor();
  await tv.lobby.match(id).stop();
  await screen.locator('#stage').waitFor({ state: 'hidden' });
  await screen.keyboard.press('Enter'); // of the replay, not of the card below
  await screen.keyboard.press('Escape');
  await screen.locator('.card:focus').waitFor();
  assert.equal(tv.lobby.matches.length, 0);

  await screen.evaluate(hidePictures);
  const { match: last } = await pad.start('brief');
  const card = screen.locator(`[data-match="${last}"]`); // that of the one before may still be there
  for (let i = 0; i < 3; i++) {
    await screen.locator('#stage').waitFor();
    await screen.keyboard.press('Enter');
    await screen.getByRole('button', { name: 'Back to the lobby' }).press('Enter');
    await card.press('Enter');
  }
  await screen.locator('#stage').waitFor();
  assert.equal(await screen.evaluate('asked.size'), 1, 'one picture is drawn at a time');
});

test('a screen says that its match stands still', async (t) => {
  const args = ['--engine', 'process', '--hang-ms', '60000'];
  const tv = await startTv(t, { games: await loadBrief(), args });
  const screen = await openScreen(browser(t), tv.url, SMALL_SCREEN);
  await Client.pad(tv);
  await screen.locator('[data-game=brief]').click();
  await screen.locator('#stage').waitFor();
  const [{ pid }] = tv.lobby.matches;
  process.kill(pid, 'SIGSTOP');
  await screen.locator('#still').waitFor();
  assert.equal(await screen.locator('#lost').isVisible(), false);
  await savePicture(screen, 'screen-still');
  process.kill(pid, 'SIGCONT');
  await screen.locator('#still').waitFor({ state: 'hidden' });
});

test('after SIGKILL the pages are back, with the same code and player, and say that the match is over', async (t) => {
  const tv = await startServe(t);
  const screen = await openScreen(browser(t), tv.url, SMALL_SCREEN);
  const pad = await openPad(browser(t), tv, 'Ada');
  const people = () => readFile(join(tv.dataDir, 'people.json'), 'utf8').catch(() => '');
  await until(async () => (await people()).includes('Ada'), 'the player is saved');
  await pad.locator('[data-game=bumper]').tap();
  for (const page of [screen.locator('#stage'), pad.locator('#play')]) await page.waitFor();
  process.kill(tv.pid, 'SIGKILL');
  await tv.ended();
  for (const page of [screen, pad]) await page.locator('#lost').waitFor();
  const { code } = tv;
  const notes = [screen, pad].map((page) => page.getByText('The match is over.').waitFor());
  await tv.start();
  await Promise.all(notes);
  for (const page of [screen, pad]) await page.locator('#lost').waitFor({ state: 'hidden' });
  assert.equal(await screen.locator('#code').textContent(), code);
  await screen.locator('#crowd').getByText('Ada').waitFor();
  assert.equal(await pad.locator('#me-name').innerText(), 'Ada');
});
