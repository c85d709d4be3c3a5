/** Tests the report in a browser without a network, in both themes. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { toHtml } from '../../../../bench/report/html/page.js';
import { launchBrowser } from '../../../e2e/browser.js';
import { temporaryFolder } from '../../../support/tv.js';
import { paperResults } from '../paper-results.js';

test('the page draws its figures in both themes, uses no network, and downloads the data', async (t) => {
  const file = join(await temporaryFolder(t), 'report.html');
  writeFileSync(file, toHtml(paperResults()));
  const browser = await launchBrowser(t);
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, colorScheme });
    /** @type {string[]} */
    const problems = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('dialog', (dialog) => (problems.push('hostile text ran'), dialog.dismiss()));
    page.on('request', (request) => {
      if (!/^(file|blob|data):/.test(request.url())) problems.push(request.url());
    });
    await page.goto(pathToFileURL(file).href);
    // Section 4.1, figure 3 (memory and savings) and figure 4 (KSM).
    assert.equal(await page.locator('svg.plot').count(), 4);
    const back = () =>
      page.evaluate(() => globalThis.getComputedStyle(globalThis.document.body).backgroundColor);
    const drawn = () =>
      page
        .locator('svg.plot .title')
        .first()
        .evaluate((text) => globalThis.getComputedStyle(text).fill);
    const before = [await back(), await drawn()];
    await page.locator('#theme').click();
    assert.notEqual(await back(), before[0]);
    assert.notEqual(await drawn(), before[1]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('#get-json').click(),
    ]);
    assert.equal(download.suggestedFilename(), 'pitv-results.json');
    assert.deepEqual(problems, []);
    await page.close();
  }
});
