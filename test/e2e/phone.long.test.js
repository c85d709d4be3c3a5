/** A phone that has opened the pad over plain HTTP, and the pad on the home screen. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { gameFolder, gameSource } from '../support/game-files.js';
import { Client, startTv, until } from '../support/tv.js';
import {
  OUTPUT,
  PHONE,
  loadBrief,
  openPad,
  openScreen,
  pressUntil,
  pushStick,
  putFinger,
  savePicture,
  shareBrowser,
} from './browser.js';

/** Browsers trust 127.0.0.1 as if it were HTTPS, but not this name. */
const NAME = 'tv.local';
const browser = await shareBrowser([`--host-resolver-rules=MAP ${NAME} 127.0.0.1`]);

/**
 * Starts a TV with the game Brief, and joins with a phone.
 * @param {import('node:test').TestContext} t
 * @param {{host?: string, name?: string} & import('../../app/create-tv.js').TvOptions & {gamesDir?: string}} [options]
 */
async function setUp(t, { host = '127.0.0.1', name = 'Ada', ...options } = {}) {
  const games = options.gamesDir ? undefined : await loadBrief();
  const tv = await startTv(t, { games, ...options });
  const pad = await openPad(browser(t), { url: `http://${host}:${tv.port}`, code: tv.code }, name);
  return { tv, pad };
}

test('over plain HTTP a silent video keeps the display on while a match is played', async (t) => {
  const { pad } = await setUp(t, { host: NAME });
  assert.equal(await pad.evaluate(() => 'wakeLock' in navigator), false);
  const playing = (/** @type {boolean} */ wanted) =>
    pad.waitForFunction((on) => document.querySelector('video')?.paused === !on, wanted);

  await playing(false);
  await pad.locator('[data-game=brief]').tap();
  await pad.locator('#play').waitFor();
  await playing(true);
  const { muted, sound } = await pad.evaluate(() => {
    const video = /** @type {any} */ (document.querySelector('video'));
    return { muted: video.muted, sound: video.webkitAudioDecodedByteCount > 0 };
  });
  assert.deepEqual({ muted, sound }, { muted: false, sound: true });
  // It repeats: at some time it is before where it was.
  await pad.waitForFunction(() => {
    const video = /** @type {any} */ (document.querySelector('video'));
    const { seenAt = 0, currentTime } = video;
    video.seenAt = currentTime;
    return currentTime < seenAt;
  });
  await playing(true);
  await pressUntil(pad, pad.locator('#result'));
  await playing(false);
});

test('the lobby teaches the stick, which rolls the ball of the phone on the screen, not in a match', async (t) => {
  const { tv, pad } = await setUp(t);
  assert.equal(await pad.locator('#practice').isVisible(), false, 'no screen shows the lobby');
  const screen = await openScreen(browser(t), `http://127.0.0.1:${tv.port}`);
  await pad.locator('#practice').waitFor();
  await pad.locator('#practice[data-teach=stick]').getByText('Slide your thumb here').waitFor();
  const ball = screen.locator('.ball');
  assert.equal(await ball.count(), 0, 'nobody has moved a stick');
  const release = await pushStick(pad, { x: 1, y: 0 });
  await ball.waitFor();
  const place = () =>
    ball.evaluate(({ style }) => Number(/translate\((.*?)%/.exec(style.transform)?.[1]));
  const start = await place();
  await until(async () => (await place()) > start + 20, 'the ball rolls to the right');
  const color = await ball.evaluate((element) => element.style.getPropertyValue('--player'));
  assert.equal(color, tv.lobby.players.all[0].color);
  assert.equal(await ball.innerText(), 'Ada');
  await pad.locator('#practice:not([data-teach])').getByText('is you').waitFor();
  await savePicture(screen, 'practice');
  await savePicture(pad, 'pad-practice');
  await release();

  await pad.locator('[data-game=brief]').tap();
  await pad.locator('#play #stick').waitFor();
  await pad.locator('#tutorial', { hasText: 'End: press A' }).waitFor(); // nothing of the stick
  await ball.waitFor({ state: 'detached' });
  await pushStick(pad, { x: 1, y: 0 });
  await pad.locator('#stick[data-held=true]').waitFor();
});

test('with a wake lock, and without a touch screen, there is no video', async (t) => {
  const { tv, pad } = await setUp(t);
  assert.equal(await pad.locator('video').count(), 0);
  const desktop = await browser(t).newPage();
  await desktop.goto(`http://${NAME}:${tv.port}/pad`);
  await desktop.locator('#join-form').waitFor();
  assert.equal(await desktop.locator('video').count(), 0);
});

test('one wake lock keeps the display on, also after a reload in a match, but not for the form', async (t) => {
  const { tv, pad } = await setUp(t);
  await pad.addInitScript(() => {
    const locks = new Set();
    const request = async () => {
      await new Promise((resolve) => setTimeout(resolve, 100)); // as long as a phone may take
      const release = async () => void (lock.released = locks.delete(lock));
      const lock = { released: false, release };
      locks.add(lock);
      return lock;
    };
    Object.defineProperty(navigator, 'wakeLock', { value: { request } });
    Object.assign(window, { locks });
  });
  const held = (/** @type {number} */ count) =>
    pad.waitForFunction((wanted) => /** @type {any} */ (window).locks.size === wanted, count);
  await pad.locator('[data-game=brief]').tap();
  await pad.locator('#play').waitFor();
  await pad.reload();
  await pad.locator('#play').waitFor();
  await held(1);
  tv.lobby.players.remove(tv.lobby.players.all[0]);
  await pad.locator('#join-form').waitFor();
  await held(0);
});

test('the pad can be added to the home screen', async (t) => {
  const tv = await startTv(t);
  const page = await browser(t).newPage({ viewport: PHONE });
  await page.goto(`http://127.0.0.1:${tv.port}/pad`);
  const devtools = await page.context().newCDPSession(page);
  const { errors, data } = await devtools.send('Page.getAppManifest');
  assert.deepEqual(errors, []);
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
  for (const { errorId } of installabilityErrors) assert.equal(errorId, 'in-incognito');
  const { icons } = JSON.parse(String(data));
  const apple = await page.locator('link[rel=apple-touch-icon]').getAttribute('href');
  for (const { src, sizes } of [...icons, { src: apple, sizes: '180x180' }]) {
    const size = await page.evaluate(async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      return `${image.naturalWidth}x${image.naturalHeight}`;
    }, src);
    if (sizes !== 'any') assert.equal(size, sizes, src);
  }
});

test('two fingers zoom the lobby, and a match is shown unzoomed', async (t) => {
  const { tv, pad } = await setUp(t);
  const devtools = await pad.context().newCDPSession(pad);
  const scale = () => pad.evaluate(() => visualViewport?.scale ?? 0);
  /** Moves two fingers apart. */
  const pinch = async () => {
    for (const [type, half] of /** @type {const} */ ([
      ['touchStart', 40],
      ['touchMove', 60],
      ['touchMove', 80],
      ['touchMove', 120],
      ['touchEnd', 0],
    ])) {
      const points = [1, -1].map((side, id) => ({ x: 195, y: 500 + side * half, id }));
      const touchPoints = type === 'touchEnd' ? [] : points;
      await devtools.send('Input.dispatchTouchEvent', { type, touchPoints });
    }
  };
  await pinch();
  await pad.waitForFunction(() => (visualViewport?.scale ?? 0) > 1.5); // a busy browser zooms later
  const { match } = await tv.lobby.start('brief', { owner: 'test' });
  await pad.locator('#play').waitFor();
  await pad.waitForFunction(() => visualViewport?.scale === 1);
  await pad
    .locator('meta[name=viewport]:not([content*="maximum-scale"])')
    .waitFor({ state: 'attached' });
  await pad.screenshot(); // fingers count for what was drawn last, and a busy browser draws later
  await pinch();
  assert.equal(await scale(), 1);
  await match.stop();
});

test('the first match on a phone teaches its controls, the second does not', async (t) => {
  const { pad } = await setUp(t);
  const tutorial = pad.locator('#tutorial');

  await pad.locator('#lobby #fullscreen').waitFor();
  await pad.locator('[data-game=brief]').tap();
  await pad.locator('#play #fullscreen').waitFor();
  await tutorial.filter({ hasText: 'Find your name' }).waitFor();
  await tutorial.filter({ hasText: 'Roll: slide your thumb here' }).waitFor();
  await savePicture(pad, 'pad-tutorial');
  await pad.keyboard.press('ArrowRight');
  await tutorial.filter({ hasText: 'End: press A' }).waitFor();
  await pressUntil(pad, pad.locator('#result'));
  assert.equal(await tutorial.isVisible(), false);

  await pad.locator('[data-game=brief]').tap();
  await pad.locator('#stick-label', { hasText: 'Roll' }).waitFor();
  assert.equal(await tutorial.isVisible(), false);
});

test('the result can be saved as a picture, and its replay gives way to the next match', async (t) => {
  const { tv, pad } = await setUp(t, { name: 'Adalbert Øst' });
  await Client.screen(tv); // only what a screen shows is kept for a replay
  await pad.evaluate(() => Object.assign(navigator, { canShare: () => false })); // this browser shares no files
  await pad.locator('[data-game=brief]').tap();
  await pad.locator('#play').waitFor();
  await pressUntil(pad, pad.locator('#result'));
  const [download] = await Promise.all([
    pad.waitForEvent('download'),
    pad.getByRole('button', { name: 'Save as a picture' }).tap(),
  ]);
  assert.equal(download.suggestedFilename(), 'pitv-result.png');
  const path = join(OUTPUT, 'pitv-result.png');
  await download.saveAs(path);
  const bytes = readFileSync(path);
  assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [1080, 1080]);

  await pad.getByRole('button', { name: 'Watch the replay' }).tap();
  await pad.locator('.replay').waitFor();
  await (await Client.pad(tv, { name: 'Bo' })).start('brief');
  await pad.locator('#play').waitFor();
  assert.equal(await pad.locator('.replay').count(), 0);
});

test('a button without a name is not on the phone, and cannot be pressed', async (t) => {
  const source = gameSource('jump', {
    hooks: `steer({ score, held }) { score[0] = Math.max(score[0], held[0] * 10); },`,
  });
  const { pad } = await setUp(t, {
    gamesDir: gameFolder({ 'jump.js': source }),
  });
  await pad.locator('[data-game=jump]').tap();
  await pad.locator('#button-a').waitFor();
  assert.equal(await pad.locator('#button-b').isVisible(), false);
  assert.equal(await pad.locator('#button-a span').innerText(), 'Jump');
  await putFinger(pad, '#buttons');
  await pad.locator('#play-score', { hasText: /^10$/ }).waitFor();
});
