/** The panel of `pitv games dev` in a browser. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { BUNDLED } from '../../app/packages/catalog.js';
import { DevChild } from '../dev/dev-child.js';
import { lockMissing } from '../support/lock.js';
import { launchBrowser, savePicture } from './browser.js';

test(
  'the panel shows times, numbers, warnings and errors of Kick-off, in both languages',
  { skip: lockMissing },
  async (t) => {
    const dev = await DevChild.start(t, { from: join(BUNDLED, 'kick-off') });
    const browser = await launchBrowser(t);
    /** @type {string[]} */
    const problems = [];
    const open = async (/** @type {string} */ locale) => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, locale });
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('console', (message) => {
        // A version that throws has no picture.
        if (message.type() === 'error' && !message.location().url.endsWith('/preview'))
          problems.push(message.text());
      });
      await page.goto(dev.url);
      await page.locator('.dev-bars').waitFor();
      return page;
    };
    const [screen, korean] = [await open('en-US'), await open('ko-KR')];
    await screen.locator('#stage').waitFor(); // it shows the match without a key
    const panel = screen.locator('.dev-panel');
    assert.deepEqual(await panel.locator('u span').allInnerTexts(), ['Pi 1', 'Pi 2', 'Pi 4']);
    const names = ['Bodies', 'Contacts', 'Frame', 'Garbage per tick'];
    assert.deepEqual(await panel.locator('dt').allInnerTexts(), names);
    assert.match(await panel.locator('dd').first().innerText(), /^[1-9]\d*$/);
    assert.match(await korean.locator('.dev-panel').innerText(), /게임 개발|물체/);
    await screen.keyboard.press('d');
    await panel.waitFor({ state: 'hidden' });
    await screen.keyboard.press('d');
    await panel.waitFor();

    dev.edit((source) =>
      source.replace(
        'function steer(flow) {',
        "$&\n  if (flow.tick % 30 === 0) console.log('tick', flow.tick, { score: flow.teamScore });\n  flow.world.x[0] = NaN;",
      ),
    );
    await panel.locator('.dev-output', { hasText: /tick \d+ \{ score/ }).waitFor();
    await panel.locator('.dev-warnings li', { hasText: 'finite number' }).waitFor();
    assert.match(await panel.locator('.dev-reload').innerText(), /the match continues$/);
    dev.edit((source) => source.replace('flow.world.x[0] = NaN', 'flow.whirl.x[0] = 0'));
    const card = screen.locator('.dev-problem');
    await card.waitFor();
    const sentence = await card.locator('.dev-sentence').innerText();
    assert.match(sentence, /TypeError: .*\(game\.js:\d+\)\.$/);
    assert.match(await card.locator('.dev-line').innerText(), /^\s*\d+\s+flow\.whirl\.x\[0\] = 0;/);
    await savePicture(screen, 'games-dev');
    await korean.locator('.dev-problem').filter({ hasText: '마지막으로' }).waitFor();
    await savePicture(korean, 'games-dev-ko');
    dev.edit((source) => source.replace('flow.whirl.x[0] = 0', ''));
    await card.waitFor({ state: 'hidden' });
    assert.deepEqual(problems, []);
  },
);
