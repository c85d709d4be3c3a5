/** The System tab in a real browser, on a phone: what is wrong, what the machine is, reboot asked twice. */
import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { temporaryFolder } from '../support/tv.js';
import { OUTPUT, launchBrowser } from './browser.js';
import { startTv } from './tv.js';

test('the System tab says what is wrong and what there is; a reboot is asked for twice', async (t) => {
  const [problemsDir, runtimeDir] = [await temporaryFolder(t), await temporaryFolder(t)];
  await writeFile(join(problemsDir, 'settings'), 'pitv.txt, line 4: engine has to be another.\n');
  const tv = await startTv(
    t,
    ...['--engine', 'thread', '--problems-dir', problemsDir, '--runtime-dir', runtimeDir],
  );
  const browser = await launchBrowser(t);
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  /** @type {string[]} */
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(`${tv.url}/admin`);
  await page.locator('#token').fill(tv.adminToken);
  for (const id of ['#new-password', '#again']) await page.locator(id).fill('correct horse');
  await page.locator('#by-token [type=submit]').click();

  await page.getByRole('tab', { name: 'System' }).click();
  await page.getByText('pitv.txt, line 4').waitFor();
  await page.getByText(`Node.js ${process.versions.node}`).waitFor();
  assert.equal(await page.locator('#games').isVisible(), false);
  assert.match(page.url(), /#system$/);
  const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
  assert.equal(wide, false, 'nothing is cut off at the side');
  await page.screenshot({ path: join(OUTPUT, 'admin-system.png'), fullPage: true });

  await page.getByRole('button', { name: 'Reboot' }).click();
  assert.deepEqual(await readdir(runtimeDir), ['console'], 'not at once');
  await page.getByRole('button', { name: 'Really reboot' }).click();
  await page.getByText('It reboots').waitFor();
  assert.deepEqual((await readdir(runtimeDir)).sort(), ['console', 'reboot']);

  await page.reload();
  await page.getByText('pitv.txt, line 4').waitFor();
  await page.getByRole('tab', { name: 'System' }).press('ArrowLeft');
  assert.equal(await page.locator('#games').isVisible(), true);
  const screen = await context.newPage();
  await screen.goto(tv.url);
  await screen.getByText('pitv.txt, line 4').waitFor();
  assert.deepEqual(errors, []);
});
