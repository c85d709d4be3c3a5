/** The first minutes of a family, from the first phone to the records, as one run whose pictures are kept in order. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { startTv } from '../support/tv.js';
import {
  SMALL_SCREEN,
  launchBrowser,
  loadBrief,
  openPad,
  openScreen,
  pressUntil,
  savePicture,
  until,
  watch,
} from './browser.js';

test('three phones join, play, pause, have a party, and one is away for a while', async (t) => {
  // Nobody waits for the end of a pause or of a countdown, so nothing moves under a tap on a busy machine.
  const times = { readyMs: 60_000, partyRestMs: 60_000 };
  const tv = await startTv(t, { games: await loadBrief(), times });
  const browser = await launchBrowser(t);
  const screen = await openScreen(browser, tv.url, SMALL_SCREEN);
  let pictures = 0;
  const keep = (/** @type {import('playwright-core').Page} */ page, /** @type {string} */ name) =>
    savePicture(page, `family-${String(++pictures).padStart(2, '0')}-${name}`);

  const mum = await openPad(browser, tv, 'Mum');
  const dad = await openPad(browser, tv, 'Dad');
  const kid = await openPad(browser, tv, 'Kid');
  await screen.locator('.person').nth(2).waitFor();
  await keep(screen, 'joined');

  await mum.locator('[data-game=brief]').tap();
  for (const pad of [dad, kid]) {
    const lobby = pad.locator('#lobby:has([data-game=brief]:disabled)');
    await lobby.getByText('Mum starts Brief in a moment.').waitFor();
  }
  await keep(kid, 'ready');
  await kid.locator('#hold').tap();
  await mum.getByText('Kid asks to wait.').waitFor();
  await dad.locator('[data-game=brief]:enabled').waitFor();
  tv.lobby.ready.ms = 0; // later starts are not held

  await screen.locator('[data-game=brief]').click();
  for (const pad of [mum, dad, kid]) await pad.locator('#play').waitFor();
  await screen.locator('#stage').waitFor();
  await keep(screen, 'match');
  await kid.keyboard.down('KeyD');
  await dad.locator('#pause').tap();
  for (const page of [screen, mum, dad, kid]) await page.getByText('Paused by Dad').waitFor();
  await kid.keyboard.up('KeyD');
  const nub = await kid.locator('.nub').getAttribute('style');
  assert.doesNotMatch(nub ?? '', /translate/, 'the key is released in the pause');
  for (const page of [screen, kid]) await keep(page, 'pause');
  await kid.locator('#go-on').tap();
  await screen.locator('#paused').waitFor({ state: 'hidden' });
  const podium = screen.locator('.news').getByText('Kid: by a hair.').waitFor();
  await pressUntil(kid, kid.locator('#result'));
  await podium;
  await keep(kid, 'result');

  await dad.close();
  await until(() => tv.lobby.players.all.some(({ connected }) => !connected), 'Dad is away');
  await mum.getByRole('button', { name: 'Party: 3 games' }).tap();
  for (const pad of [mum, kid]) await pad.locator('#play').waitFor();
  const back = await dad.context().newPage();
  watch(back, tv.url);
  await back.goto(`${tv.url}/pad`);
  await back.locator('#play').waitFor();
  await screen.locator('.chip', { hasText: 'Dad' }).waitFor();
  await keep(screen, 'back');
  await pressUntil(kid, screen.locator('#party'));
  await screen.getByText('1 of 3 games played').waitFor();
  await screen.getByText('Next: Brief').waitFor();
  await screen.reload();
  await screen.getByText('Next: Brief').waitFor();
  const bar = screen.locator('#party .wait');
  const delay = await bar.evaluate((element) => getComputedStyle(element).animationDelay);
  assert.ok(parseFloat(delay) < 0, 'it shows what is left of the pause');
  await kid.getByText('Party: Brief starts in a moment. You have 5 points.').waitFor();
  for (const page of [screen, back]) await keep(page, 'party');
  await kid.getByRole('button', { name: 'Start now' }).tap();
  await mum.locator('#play').waitFor();
  await pressUntil(kid, screen.getByText('2 of 3 games played'));
  await mum.getByRole('button', { name: 'End the party' }).tap();
  await screen.getByText('Kid wins!').waitFor();
  await kid.getByText('The party is over. You have 10 points.').waitFor();
  const other = await openScreen(browser, tv.url, SMALL_SCREEN);
  await other.locator('#party').getByRole('button', { name: 'Close' }).click();
  await other.locator('[data-game=brief]:focus').waitFor();
  await screen.locator('#party').waitFor({ state: 'hidden' });
  await screen.locator('#lobby').getByText('Most points: 1 · Kid').waitFor();
  await keep(screen, 'records');
});
