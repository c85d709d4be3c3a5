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
  /** Colours of the page and of a plot's title in each theme. @type {string[]} */
  const seen = [];
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
    const [back, drawn] = await page.evaluate(() => {
      const style = (/** @type {string} */ selector) =>
        globalThis.getComputedStyle(
          /** @type {any} */ (globalThis.document.querySelector(selector)),
        );
      return [style('body').backgroundColor, style('svg.plot .title').fill];
    });
    seen.push(back, drawn);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByText('All data (JSON)').click(),
    ]);
    assert.equal(download.suggestedFilename(), 'pitv-results.json');
    assert.deepEqual(problems, []);
    await page.close();
  }
  assert.equal(new Set(seen).size, 4, seen.join());
});
