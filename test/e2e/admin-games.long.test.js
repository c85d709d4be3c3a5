/** The Games tab in a real browser: a package is uploaded, shown, played and removed; a screen follows. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { entriesOf, packageFiles, writeArchive } from '../support/archives.js';
import { extent } from '../support/extent.js';
import { pngOf } from '../support/pictures.js';
import { temporaryFolder } from '../support/tv.js';
import { OUTPUT, launchBrowser, openAdmin, openPad, openScreen } from './browser.js';
import { startServe } from '../support/serve.js';

const PHONE = { width: 390, height: 844 };
const CLI = fileURLToPath(new URL('../../app/cli.js', import.meta.url));

test('the admin uploads a game, screens and phones show it, and it can be removed', async (t) => {
  const folder = await temporaryFolder(t);
  const tv = await startServe(t, '--engine', 'process');
  const browser = await launchBrowser(t);
  const context = await browser.newContext({ viewport: PHONE });
  const page = await context.newPage();
  /** @type {string[]} */
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await openAdmin(page, tv);
  const row = (/** @type {string} */ id) => page.locator('#game-list tbody tr', { hasText: id });
  await row('bumper').waitFor();
  assert.match((await row('bumper').textContent()) ?? '', /part of pitv–ok00–$/);
  assert.equal(await row('bumper').getByRole('button').count(), 0);

  const screen = await openScreen(browser, tv.url, errors);
  await screen.locator('[data-game=bumper]').waitFor();
  const phone = await openPad(browser, tv.url, errors, {
    name: 'Anna',
    code: tv.code,
    viewport: PHONE,
  });

  const archive = join(folder, 'gather.tgz');
  writeArchive(archive, entriesOf(packageFiles('gather')));
  await page.locator('#package').setInputFiles(archive);
  await page.getByText('Installed gather 1.0.0.').waitFor();
  await row('gather').getByText('1.0.0').waitFor();
  assert.match(
    (await row('gather').textContent()) ?? '',
    /^gatherThe game gather1\.0\.0\d\.\d kBok00–/,
  );
  await screen.locator('[data-game=gather]').waitFor();
  await phone.locator('#games [data-game=gather]').click();
  await row('gather')
    .getByRole('cell', { name: /^\d+\.\d\d ms$/ })
    .waitFor();
  const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
  assert.equal(isWide, false, 'nothing is cut off at the side');
  await page.screenshot({ path: join(OUTPUT, 'admin-games.png'), fullPage: true });

  const second = { version: '2.0.0', game: { fields: "title: 'Second edition'," } };
  writeArchive(archive, entriesOf(packageFiles('gather', second)));
  execFileSync(process.execPath, [CLI, 'games', 'add', archive, '--data-dir', tv.dataDir]);
  await row('gather').getByText('Second edition').waitFor();

  writeArchive(archive, entriesOf(packageFiles('gather', { manifest: { keywords: [] } })));
  await page.locator('#package').setInputFiles(archive);
  await page.getByText('keywords must be an array that contains "pitv-game"').waitFor();

  await row('gather').getByRole('button', { name: 'Remove' }).click();
  await page.locator('#game-list').evaluate((table) => table.removeAttribute('data-state'));
  await page.locator('#game-list[data-state]').waitFor(); // a table that is drawn again does not forget the first press
  await row('gather').getByRole('button', { name: 'Really remove gather' }).click();
  await row('gather').waitFor({ state: 'detached' });
  const [match] = await tv.matches();
  assert.equal(match.game, 'gather', 'its match plays on');
  const watcher = await openScreen(browser, tv.url, errors);
  await watcher.locator(`[data-match="${match.id}"]`).click();
  await watcher.locator('#stage').waitFor();
  assert.deepEqual(errors, []);
});

/** A large body at rest in the middle of the world. */
const STILL = `setUpRound({ world }) {
    world.clear();
    world.add({ shape: SHAPE.circle, kind: 0, x: 800, y: 450, radius: RADIUS });
  },`;

for (const [size, radius] of extent([['large', 400]], Object.entries({ small: 80, large: 400 }))) {
  test(`a screen draws the picture of a ${size} body`, async (t) => {
    const folder = await temporaryFolder(t);
    const tv = await startServe(t, '--engine', 'process');
    const kinds = "[{ name: 'ball', look: 'ball', color: 'owner', picture: 'art/ball.png' }]";
    const fields = `view: { width: 1600, height: 900, background: '#000000', kinds: ${kinds}, events: [], extra: [] },`;
    const hooks = STILL.replace('RADIUS', String(radius));
    const files = packageFiles('gather', { game: { fields, hooks } });
    const art = { path: 'package/art/ball.png', bytes: pngOf(8, 8, [255, 0, 255]) };
    const archive = writeArchive(join(folder, 'gather.tgz'), [...entriesOf(files), art]);
    execFileSync(process.execPath, [CLI, 'games', 'add', archive, '--data-dir', tv.dataDir]);
    const browser = await launchBrowser(t);
    /** @type {string[]} */
    const problems = [];
    const screen = await openScreen(browser, tv.url, problems);
    const phone = await openPad(browser, tv.url, problems, {
      name: 'Anna',
      code: tv.code,
      viewport: PHONE,
    });
    await phone.locator('#games [data-game=gather]').click();
    await screen.locator('#stage').waitFor();
    // The picture fills its square, which the circle of the look would not.
    await screen.waitForFunction(() => {
      const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('game'));
      const { width, height } = canvas;
      const { data } = /** @type {CanvasRenderingContext2D} */ (
        canvas.getContext('2d')
      ).getImageData(0, 0, width, height);
      let count = 0;
      const box = { left: width, right: 0, top: height, bottom: 0 };
      for (let i = 0; i < data.length; i += 4) {
        if (data[i] < 240 || data[i + 1] > 20 || data[i + 2] < 240) continue;
        const x = (i / 4) % width;
        const y = Math.floor(i / 4 / width);
        count++;
        box.left = Math.min(box.left, x);
        box.right = Math.max(box.right, x + 1);
        box.top = Math.min(box.top, y);
        box.bottom = Math.max(box.bottom, y + 1);
      }
      return count > 1000 && count > 0.9 * (box.right - box.left) * (box.bottom - box.top);
    });
    assert.deepEqual(problems, []);
  });
}
