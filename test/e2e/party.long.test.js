/** A party in real browsers: a screen starts it, two phones play, and the table is shown. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadCatalog } from '../../app/packages/catalog.js';
import { startTv } from '../support/tv.js';
import { launchBrowser, openPad, openScreen, savePicture } from './browser.js';

const GAMES = fileURLToPath(new URL('../lobby/games', import.meta.url));

test('a party of three games', async (t) => {
  const games = await loadCatalog(GAMES, undefined, 'open');
  // Nobody waits for the end of a pause, so nothing moves under a tap on a busy machine.
  const tv = await startTv(t, { games, times: { partyRestMs: 60_000 } });
  const browser = await launchBrowser(t);
  const screen = await openScreen(browser, tv.url);
  const pads = [];
  for (const name of ['Ada', 'Ben']) pads.push(await openPad(browser, tv, name));
  await screen.locator('.person').nth(1).waitFor();

  await screen.locator('#lobby-party').click();
  await savePicture(screen, 'party-menu');
  await screen.getByRole('button', { name: '3 games' }).click();
  const table = screen.locator('#party');
  await table.getByText('1 of 3 games played').waitFor();
  await table.getByText('Next: Instant').waitFor();
  await pads[1].getByText('Party: Instant starts in a moment. You have 3 points.').waitFor();
  await savePicture(screen, 'party-table');
  await savePicture(pads[1], 'party-pad');
  await pads[1].getByRole('button', { name: 'Start now' }).tap();
  await table.getByText('2 of 3 games played').waitFor();
  await pads[1].getByRole('button', { name: 'Start now' }).tap();
  await table.getByText('Ada wins!').waitFor();
  assert.deepEqual(await table.locator('li em').allTextContents(), ['15 points', '9 points']);
  await savePicture(screen, 'party-over');
  await pads[0].getByText('The party is over. You have 15 points.').waitFor();

  await table.getByRole('button', { name: 'Close' }).click();
  await table.waitFor({ state: 'hidden' });
  assert.equal(await screen.locator('#hero-title').textContent(), 'Instant');

  await pads[0].getByRole('button', { name: 'Party: 7 games' }).tap();
  await pads[1].getByText('Party: Instant starts in a moment.').waitFor();
  await savePicture(pads[1], 'party-pad-rest');
  await pads[0].getByRole('button', { name: 'End the party' }).tap();
  await pads[1].getByText('The party is over.').waitFor();
  await savePicture(pads[0], 'party-pad-start');
});
