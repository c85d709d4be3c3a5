/** The Games tab in a real browser: a package is uploaded, shown, played and removed; a screen follows. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'node:test';
import { mediaParts, writePackage } from '../support/archives.js';
import { extent } from '../support/extent.js';
import { temporaryFolder } from '../support/tv.js';
import {
  PHONE,
  SMALL_SCREEN,
  checkWidth,
  findColor,
  openAdmin,
  openPad,
  openScreen,
  until,
  savePicture,
  shareBrowser,
} from './browser.js';
import { CLI } from '../support/cli.js';
import { startServe } from '../support/serve.js';

const browser = await shareBrowser();

test('the admin uploads a game, screens and phones show it, and it can be removed', async (t) => {
  const folder = temporaryFolder();
  const tv = await startServe(t, '--engine', 'process');
  const page = await browser(t).newPage({ viewport: PHONE });
  await openAdmin(page, tv);
  const row = (/** @type {string} */ id) => page.locator('#game-list tbody tr', { hasText: id });
  await row('bumper').waitFor();
  assert.match((await row('bumper').textContent()) ?? '', /part of pitv–ok00–$/);
  assert.equal(await row('bumper').getByRole('button').count(), 0);

  const screen = await openScreen(browser(t), tv.url, SMALL_SCREEN);
  await screen.locator('[data-game=bumper]').waitFor();
  const phone = await openPad(browser(t), tv, 'Anna');

  const archive = join(folder, 'gather.tgz');
  writePackage(archive, 'gather');
  await page.locator('#package').setInputFiles(archive);
  await page.getByText('Installed gather 1.0.0.').waitFor();
  await row('gather').getByText('1.0.0').waitFor();
  const shown = (await row('gather').textContent()) ?? '';
  assert.match(shown, /^gatherThe game gather1\.0\.0\d\.\d kBok00–/);
  await screen.locator('[data-game=gather]').waitFor();
  await phone.locator('#games [data-game=gather]').click();
  await row('gather')
    .getByText(/^\d+\.\d\d ms$/)
    .waitFor();
  await checkWidth(page);
  await savePicture(page, 'admin-games', { fullPage: true });

  const second = { version: '2.0.0', game: { fields: "title: 'Second edition'," } };
  writePackage(archive, 'gather', second);
  execFileSync(process.execPath, [CLI, 'games', 'add', archive, '--data-dir', tv.dataDir]);
  await row('gather').getByText('Second edition').waitFor();

  writePackage(archive, 'gather', { manifest: { keywords: [] } });
  await page.locator('#package').setInputFiles(archive);
  await page.getByText('keywords must be an array that contains "pitv-game"').waitFor();

  await row('gather').getByRole('button', { name: 'Remove' }).click();
  await page.locator('#game-list').evaluate((table) => table.removeAttribute('data-state'));
  await page.locator('#game-list[data-state]').waitFor(); // a table that is drawn again does not forget the first press
  await row('gather').getByRole('button', { name: 'Really remove gather' }).click();
  await row('gather').waitFor({ state: 'detached' });
  await page.goto(`${tv.url}/admin?lang=ko`);
  await row('bumper').getByText('범퍼').waitFor();
  const [match] = await tv.matches();
  assert.equal(match.game, 'gather', 'its match plays on');
  const watcher = await openScreen(browser(t), tv.url, SMALL_SCREEN);
  await watcher.locator(`[data-match="${match.id}"]`).click();
  await watcher.locator('#stage').waitFor();
});

/** The colour of the picture, which nothing else has. */
const MAGENTA = '#ff00ff';
/** A large body at rest in the middle of the world. */
const STILL = `setUpRound({ world }) {
    world.clear();
    world.add({ shape: SHAPE.circle, kind: 0, x: 800, y: 450, radius: RADIUS });
  },`;

for (const [size, radius] of extent([['large', 400]], Object.entries({ small: 80, large: 400 }))) {
  test(`a screen draws the picture of a ${size} body`, async (t) => {
    const folder = temporaryFolder();
    const tv = await startServe(t, '--engine', 'process');
    const { files, game } = mediaParts();
    const hooks = STILL.replace('RADIUS', String(radius));
    const parts = { files, game: { ...game, hooks } };
    const archive = writePackage(join(folder, 'gather.tgz'), 'gather', parts);
    execFileSync(process.execPath, [CLI, 'games', 'add', archive, '--data-dir', tv.dataDir]);
    const screen = await openScreen(browser(t), tv.url, SMALL_SCREEN);
    const phone = await openPad(browser(t), tv, 'Anna');
    await phone.locator('#games [data-game=gather]').click();
    await screen.locator('#stage').waitFor();
    await until(() => findColor(screen, MAGENTA), 'the picture is drawn');
  });
}
