/** The System tab in a real browser: problems, facts, plots, and a reboot that has to be confirmed. */
import assert from 'node:assert/strict';
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { temporaryFolder, until } from '../support/tv.js';
import { PHONE, checkWidth, shareBrowser, openAdmin, savePicture } from './browser.js';
import { startServe } from '../support/serve.js';

const DESKTOP = { width: 1280, height: 900 };
const browser = await shareBrowser();

/** A colour of each plot. */
const PLOTS = {
  memory: '--plot-2',
  loop: '--plot-1',
  late: '--plot-4',
  matches: '--plot-2',
  restarts: '--plot-3',
  temperature: '--plot-4',
};

/**
 * Opens the System tab as the admin.
 * @param {import('node:test').TestContext} t
 * @param {import('../support/serve.js').ServeChild} tv
 * @param {{width: number, height: number}} viewport
 */
async function openSystem(t, tv, viewport) {
  const context = await browser(t).newContext({ viewport });
  const page = await context.newPage();
  await openAdmin(page, tv);
  await page.getByRole('tab', { name: 'System' }).click();
  await page.getByText(`Node.js ${process.versions.node}`).waitFor();
  return { page, context };
}

test('the System tab says what is wrong and what there is; a reboot is asked for twice', async (t) => {
  const [problemsDir, runtimeDir] = [temporaryFolder(), temporaryFolder()];
  await writeFile(join(problemsDir, 'settings'), 'pitv.txt, line 4: engine has to be another.\n');
  const dirs = ['--problems-dir', problemsDir, '--runtime-dir', runtimeDir];
  const tv = await startServe(t, '--engine', 'thread', ...dirs);
  const { page, context } = await openSystem(t, tv, PHONE);
  await page.getByText('pitv.txt, line 4').waitFor();
  assert.equal(await page.locator('#games').isVisible(), false);
  assert.match(page.url(), /#system$/);
  await checkWidth(page);
  await savePicture(page, 'admin-system', { fullPage: true });

  await page.getByRole('button', { name: 'Reboot' }).click();
  assert.deepEqual(await readdir(runtimeDir), ['console'], 'not without a confirmation');
  await page.getByRole('button', { name: 'Really reboot' }).click();
  await page.getByText('The machine reboots').waitFor();
  assert.deepEqual((await readdir(runtimeDir)).sort(), ['console', 'reboot']);

  await page.reload();
  await page.getByText('pitv.txt, line 4').waitFor();
  await page.getByRole('tab', { name: 'System' }).press('ArrowLeft');
  assert.equal(await page.locator('#games').isVisible(), true);
  const screen = await context.newPage();
  await screen.goto(tv.url);
  await screen.getByText('pitv.txt, line 4').waitFor();
});

test('the admin uploads an update and sees its progress', async (t) => {
  const [runtimeDir, updateDir] = [temporaryFolder(), temporaryFolder()];
  const report = (/** @type {string} */ name, /** @type {unknown} */ content) =>
    writeFile(join(updateDir, `${name}.json`), JSON.stringify(content));
  await report('systems', [
    { name: 'A', running: true, good: true, version: '0.1.0' },
    { name: 'B', running: false, good: true, version: '0.2.0+202611250342' },
  ]);
  const dirs = ['--runtime-dir', runtimeDir, '--update-dir', updateDir];
  const url = ['--update-url', 'http://127.0.0.1:9/updates/'];
  const tv = await startServe(t, '--engine', 'thread', ...dirs, ...url);
  const { page } = await openSystem(t, tv, PHONE);
  const updates = page.locator('#updates');
  await updates.getByText('System B: 0.2.0+202611250342, may be started').waitFor();
  const buffer = Buffer.alloc(2.5 * 2 ** 20, 'bundle');
  const file = { name: 'pitv.raucb', mimeType: 'application/octet-stream', buffer };
  await updates.locator('input').setInputFiles(file);
  await until(async () => (await readdir(runtimeDir)).includes('update'), 'the request');
  assert.deepEqual(await readFile(join(tv.dataDir, 'update/bundle.raucb')), buffer);

  const progress = { phase: 'installing', percent: 40, version: '0.3.0', at: Date.now() };
  await report('progress', progress);
  await updates.getByText('Installing version 0.3.0: 40 %').waitFor();
  assert.equal(await updates.locator('progress').getAttribute('value'), '40');
  assert.equal(await updates.locator('input').isDisabled(), true);
  await savePicture(updates, 'admin-update');
  await page.reload();
  await report('progress', { ...progress, phase: 'failed', problem: 'It is damaged.' });
  await updates.getByText('It is damaged.').waitFor();
  await checkWidth(page);
  await rm(join(runtimeDir, 'update'));
  await updates.getByRole('button', { name: 'Look for one' }).click();
  await until(async () => (await readdir(runtimeDir)).includes('update'), 'the second request');
  assert.equal(await readFile(join(runtimeDir, 'update'), 'utf8'), 'look');

  await rm(join(runtimeDir, 'update'));
  const failure = 'it did not start, or was switched off before it was ready';
  await report('systems', [{ name: 'B', running: false, good: false, version: '0.3.0', failure }]);
  await updates.getByText(`System B: 0.3.0, did not work: ${failure}`).waitFor();
  await savePicture(updates, 'admin-update-again');
  await updates.getByRole('button', { name: 'Try it again' }).click();
  await until(async () => (await readdir(runtimeDir)).includes('update'), 'the third request');
  assert.equal(await readFile(join(runtimeDir, 'update'), 'utf8'), 'again');
  await checkWidth(page);
});

test('processes and plots of a running TV: zygote, spare child and match are counted', async (t) => {
  const tv = await startServe(t, '--engine', 'zygote');
  await tv.ask('/api/matches', { method: 'POST', body: { game: 'bumper' } });
  const { page } = await openSystem(t, tv, DESKTOP);
  for (const name of ['main', 'zygote', 'spare', 'worker bumper', 'whole TV']) {
    await page.getByRole('cell', { name, exact: true }).first().waitFor();
  }
  for (const id of Object.keys(PLOTS)) await page.locator(`[data-plot="${id}"] svg`).waitFor();
  // The next sample, which comes by itself, has the memory: this page has asked for it.
  await page.locator('[data-plot="memory"] .note').waitFor({ state: 'hidden' });
  await page.locator('[data-plot="loop"] path[d*="L"]').first().waitFor(); // of two samples
  const legend = page.locator('[data-plot="memory"] .legend');
  for (const name of ['main', 'zygote', 'spare', 'bumper', 'all']) {
    assert.match(await legend.innerText(), new RegExp(`${name}.* [\\d.]+`));
  }
});

test('an hour of samples is drawn on a desktop and on a phone', async (t) => {
  const { page } = await openSystem(t, await startServe(t, '--engine', 'thread'), PHONE);
  await page.route('**/api/system/history*', (route) => route.fulfill({ json: fullHour() }));
  for (const [name, viewport] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
    await t.test(name, async () => {
      await page.setViewportSize(viewport);
      await page.reload();
      for (const [id, color] of Object.entries(PLOTS)) {
        const line = page.locator(`[data-plot="${id}"] path[style*="${color}"][d*="M"]`);
        const { width = 0, height = 0 } = (await line.boundingBox()) ?? {};
        assert.ok(width > 0 && height > 20, `${id} has ${color}: ${width} x ${height}`);
      }
      await checkWidth(page);
      const box = await page.locator('[data-plot="loop"]').boundingBox();
      assert.ok(box && box.width <= viewport.width);
      await page.locator('[data-plot="loop"] svg').hover();
      const time = page.locator('[data-plot="loop"] .legend .time');
      assert.match(await time.innerText(), /^\d{1,2}:\d\d(\s[AP]M)?$/, 'the values at the cursor');
      await savePicture(page, `admin-plots-${name}`, { fullPage: true });
    });
  }
});

/** Makes the answer of a TV that has run for more than an hour. */
function fullHour() {
  const now = Date.now();
  const at = Array.from({ length: 240 }, (_, i) => now - 15_000 * (239 - i));
  const turns = (/** @type {number} */ low, /** @type {number} */ high, every = 20) =>
    at.map((_, i) => (i % every < every / 2 ? low : high));
  const [main, bumper] = [turns(9000, 10_000), turns(2000, 3000)];
  return {
    intervalMs: 15_000,
    now,
    at,
    columns: {
      loopP50Ms: turns(0.04, 0.12),
      loopP99Ms: turns(0.7, 2.6),
      loopMaxMs: turns(2, 48),
      lateTicks: turns(0, 7, 40),
      matches: turns(0, 2, 200),
      phones: turns(0, 5, 200),
      restarts: turns(0, 1, 120),
      celsius: turns(58, 84),
      throttled: turns(0, 4, 240),
    },
    memory: at.map((_, i) => [1, main[i], 2, 4200, 3, 700, 4, bumper[i], 5, 2300]),
    processes: {
      1: { name: 'main', pid: 312, game: null },
      2: { name: 'zygote', pid: 330, game: null },
      3: { name: 'spare', pid: 348, game: null },
      4: { name: 'worker', pid: 341, game: 'bumper' },
      5: { name: 'worker', pid: 344, game: 'swarm' },
    },
  };
}
