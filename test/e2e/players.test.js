/** The admin removes a player in a real browser; the phone's page says so. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { OUTPUT, launchBrowser } from './browser.js';
import { startTv } from './tv.js';

test('the admin removes a player on the second press, and the phone is told', async (t) => {
  const tv = await startTv(t, '--engine', 'thread');
  const browser = await launchBrowser(t);
  const phone = await browser.newPage({ viewport: { width: 390, height: 844 } });
  await phone.goto(`${tv.url}/p?c=${tv.code}`);
  await phone.locator('#join-name').fill('Ann');
  await phone.locator('#join-form [type=submit]').click();
  await phone.locator('#lobby').waitFor();

  const page = await browser.newPage({ viewport: { width: 900, height: 700 } });
  await page.goto(`${tv.url}/admin`);
  await page.locator('#token').fill(tv.adminToken);
  for (const id of ['#new-password', '#again']) await page.locator(id).fill('correct horse');
  await page.locator('#by-token [type=submit]').click();
  await page.getByRole('cell', { name: 'Ann', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Really remove Ann' }).waitFor();
  await page.screenshot({ path: join(OUTPUT, 'admin-players.png') });
  assert.equal(await phone.locator('#lobby').isVisible(), true, 'not at the first press');
  await page.getByRole('button', { name: 'Really remove Ann' }).click();

  await phone.getByText('The admin has removed you').waitFor();
  await phone.screenshot({ path: join(OUTPUT, 'pad-removed.png') });
  await page.getByRole('cell', { name: 'Ann', exact: true }).waitFor({ state: 'detached' });
});
