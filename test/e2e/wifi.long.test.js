/** Somebody chooses the Wi-Fi of a TV without a network, on the page that a phone opens in the access point. */
import assert from 'node:assert/strict';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { RSN, startWithAccessPoint, station } from '../support/access-point.js';
import { until } from '../support/tv.js';
import { PHONE, checkWidth, shareBrowser, watch, savePicture } from './browser.js';

const SCAN = [
  station('Home \\xed\\x95\\x9c', -40, RSN),
  station('Café'.replace('é', '\\xc3\\xa9'), -60),
  station('A name of thirty-two characters!', -70, RSN),
].join('');
const browser = await shareBrowser();

for (const [locale, texts] of Object.entries({
  'en-GB': { join: 'Join', wrong: 'Password must have 8 to 63', joining: 'The TV joins Home' },
  'ko-KR': { join: '연결', wrong: '비밀번호는 8~63자여야', joining: 'TV를 Home' },
})) {
  test(`a Wi-Fi is chosen, refused, corrected and joined: ${locale}`, async (t) => {
    const { tv, report, runtimeDir, wifiDir } = await startWithAccessPoint(t);
    await writeFile(join(wifiDir, 'scan'), SCAN);
    await report({});
    const page = await browser(t).newPage({ viewport: PHONE, locale, hasTouch: true });
    watch(page, `http://127.0.0.1:${tv.port}`);
    await page.goto(`http://127.0.0.1:${tv.port}/generate_204`);
    assert.equal(new URL(page.url()).pathname, '/wifi');

    await page.getByRole('button', { name: 'Home 한' }).click();
    assert.equal(await page.locator('#name').inputValue(), 'Home 한');
    assert.equal(await page.locator('#country').inputValue(), locale.slice(-2));
    await page.locator('#password').fill('short');
    await savePicture(page, `wifi-${locale}`);
    const join_ = page.getByRole('button', { name: texts.join, exact: true });
    await join_.click();
    const request = join(runtimeDir, 'wifi');
    const isRequested = () => stat(request).then(Boolean, () => false);
    await until(isRequested, 'the request');
    await rm(request);
    await report({
      problem: 'Wi-Fi: wifi-password must have 8 to 63 characters, not 5. The Wi-Fi is not joined.',
    });
    await page.getByText(texts.wrong).waitFor();

    await page.locator('#password').fill('home password');
    await savePicture(page, `wifi-wrong-${locale}`);
    await join_.click();
    await page.getByText(texts.joining).waitFor();
    await until(isRequested, 'the second request');
    assert.match(await readFile(request, 'utf8'), /^wifi-password = "home password"$/m);
    await report({ phase: 'joining' });
    await savePicture(page, `wifi-joining-${locale}`);
    await checkWidth(page);
  });
}
