/** Tests the admin's login, and what the admin does to players, in a real browser. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { PHONE, launchBrowser, openPad, watch, savePicture } from './browser.js';
import { runCommand } from '../support/cli.js';
import { startServe } from '../support/serve.js';

test('the admin sets a password, logs in and out, and a new password ends the session', async (t) => {
  const tv = await startServe(t, '--engine', 'thread');
  const browser = await launchBrowser(t);
  const page = await browser.newPage({ viewport: PHONE });
  watch(page, tv.url);
  const picture = (/** @type {string} */ name) =>
    savePicture(page, `admin-${name}`, { fullPage: true });
  /** Fills in the form, and sends it. @param {Record<string, string>} fields by id */
  const enter = async (fields) => {
    for (const [id, text] of Object.entries(fields)) await page.locator(`#${id}`).fill(text);
    await page.locator('#login-submit').click();
  };
  const form = (/** @type {string} */ purpose) => page.locator(`#login[data-purpose=${purpose}]`);
  await page.goto(`${tv.url}/admin`);

  await t.test('the first password needs the token', async () => {
    await form('token').waitFor();
    await picture('first');
    const password = 'correct horse';
    await enter({ secret: 'not the token', 'new-password': password, again: 'correct house' });
    await page.getByText('passwords differ').waitFor();
    await enter({ again: password });
    await page.getByText('Only the admin may set the password').waitFor();
    await enter({ secret: tv.adminToken });
    await page.locator('#panel').waitFor();
    await page.getByText('event loop, p99').waitFor();
    await picture('panel');
  });

  await t.test('scripts of the page cannot read the session, and a reload keeps it', async () => {
    assert.equal(await page.evaluate('document.cookie'), '');
    assert.equal(await page.evaluate('JSON.stringify({...localStorage, ...sessionStorage})'), '{}');
    const [cookie] = await page.context().cookies();
    assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, 'Strict']);
    await page.reload();
    await page.locator('#panel').waitFor();
  });

  await t.test('the admin logs out, enters a wrong password, then the right one', async () => {
    await page.locator('#logout').click();
    await form('password').waitFor();
    assert.equal(await page.locator('#panel').isVisible(), false);
    await picture('login');
    await enter({ secret: 'wrong horse' });
    await page.getByText('The password is wrong.').waitFor();
    await enter({ secret: 'correct horse' });
    await page.locator('#panel').waitFor();
  });

  await t.test('the password is changed on the page', async () => {
    await page.locator('#change').click();
    const password = 'another horse';
    await enter({ secret: 'correct horse', 'new-password': password, again: password });
    await page.getByText('Changed.').waitFor();
    assert.equal(await page.locator('#panel').isVisible(), true);
  });

  await t.test('a second press removes a player, and the phone shows it', async () => {
    const phone = await openPad(browser, tv, 'Ann');
    await page.getByRole('cell', { name: 'Ann', exact: true }).waitFor();
    await page.locator('#remove-1').click();
    await page.getByRole('button', { name: 'Really remove Ann' }).waitFor();
    await picture('players');
    assert.equal(await phone.locator('#lobby').isVisible(), true, 'not removed by the first press');
    await page.getByRole('button', { name: 'Really remove Ann' }).click();
    await phone.getByText('The admin has removed you').waitFor();
    await savePicture(phone, 'pad-removed');
    await page.getByRole('cell', { name: 'Ann', exact: true }).waitFor({ state: 'detached' });
    await phone.close();
  });

  await t.test('a heap snapshot is taken after a warning, and downloaded', async () => {
    await page.locator('#tab-profiles').click();
    page.once('dialog', (dialog) => {
      assert.match(dialog.message(), /stops for seconds/);
      return dialog.accept();
    });
    await page.locator('#heap-main').click();
    const link = page.locator('#profiles a');
    await link.waitFor();
    await picture('profiles');
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    assert.match(download.suggestedFilename(), /^heap-main-\w+\.heapsnapshot$/);
    const { snapshot } = JSON.parse(await readFile(await download.path(), 'utf8'));
    assert.ok(snapshot.node_count > 1000);
    await page.locator('#tab-games').click();
  });

  await t.test('pitv passwd ends the session of a running TV', async () => {
    const options = { input: 'from the shell\n' };
    const { status } = await runCommand(['passwd', '--data-dir', tv.dataDir], options);
    assert.equal(status, 0);
    await page.getByText('The session has ended.').waitFor();
    await enter({ secret: 'from the shell' });
    await page.locator('#panel').waitFor();
  });
});
