/**
 * Plays a match in old and other browsers: lobby, join, play, a lost connection, results. Chromium builds of past years
 * are from the npm package chrome-aws-lambda; each is fetched and unpacked into build/browsers at its first use.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { messageOf } from '../../app/errors.js';
import { startProxy } from '../support/cut.js';
import { makeOnce } from '../support/folders.js';
import { gamesOf, startTv, until } from '../support/tv.js';
import { OUTPUT, findColor, isPainted, isWide, loadBrief } from './browser.js';
import { launch } from '../../bench/browsers/devtools.js';
import * as firefox from '../../bench/browsers/firefox.js';
import * as webkit from '../../bench/browsers/webkit.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUNDLE = join(ROOT, 'build/web/screen.js');
const FOLDER = join(ROOT, 'build/browsers');

/** Versions of the package, with the SHA-512 of its archive, by the version of Chromium. */
const PACKAGES = Object.freeze({
  68: {
    version: '1.4.0',
    integrity:
      'sha512-TKbIW6zM8pO26QxxeB1uIMBzSmF5KaHqzXfpMXl8ynyB3YQpGnxFTnmEB3ALm+Z/szb0LD8PGhOqAAkObSowzQ==',
  },
  80: {
    version: '2.1.1',
    integrity:
      'sha512-Wer2QuygxsCov5bM2+8CLa6qYpNsc5AxYTlgTne00aFoxFP491LGJRxOQtGnYtsJP6UG4pB0SfrwTyPnLys1Lw==',
  },
  92: {
    version: '10.1.0',
    integrity:
      'sha512-NZQVf+J4kqG4sVhRm3WNmOfzY0OtTSm+S8rg77pwePa9RCYHzhnzRs8YvNI6L9tALIW6RpmefWiPURt3vURXcw==',
  },
});
/** These builds have no GPU library. With an accelerated canvas Chromium 72 hangs. */
const OLD_FLAGS = [
  '--no-zygote',
  '--disable-accelerated-2d-canvas',
  '--disable-software-rasterizer',
];
/**
 * An old browser reports the first module that it cannot parse, and Firefox the connection that the test cuts
 * and each attempt to connect meanwhile.
 */
const EXPECTED_ERROR =
  /SyntaxError|^The connection to ws:\S+ was interrupted|^Firefox can.t establish a connection to the server at ws:/;
/** The oldest Chromium that pitv works with. */
export const OLDEST = 68;
const FIREFOX = process.env.FIREFOX ?? '/usr/bin/firefox-esr';

/**
 * @typedef {keyof typeof PACKAGES} OldVersion
 * @typedef {OldVersion | 'current' | 'firefox' | 'webkit'} Version current: of Chromium
 * @typedef {import('../../bench/browsers/scripted-page.js').ScriptedPage} Page
 * @typedef {{open: (options: import('../../bench/browsers/scripted-page.js').PageOptions) => Promise<Page>}} Browser
 * @typedef {import('node:test').TestContext} TestContext
 */

/**
 * Finds a version of Chromium, and fetches it if needed.
 * @param {OldVersion} version @returns {{binary: string, skip: string | false}} skip: why it is not available here
 */
function findOldBrowser(version) {
  const folder = join(FOLDER, String(version));
  const binary = join(folder, 'chromium');
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return { binary, skip: 'these browsers are for Linux on x64' };
  }
  try {
    makeOnce(folder, (draft) => unpack(draft, PACKAGES[version]));
    return { binary, skip: false };
  } catch (error) {
    return { binary, skip: `Chromium ${version} could not be fetched: ${messageOf(error)}` };
  }
}

/** @param {string} folder @param {{version: string, integrity: string}} about */
function unpack(folder, { version, integrity }) {
  const name = `chrome-aws-lambda-${version}.tgz`;
  run('npm', ['pack', `chrome-aws-lambda@${version}`, '--silent'], folder);
  const archive = join(folder, name);
  const hash = createHash('sha512').update(readFileSync(archive)).digest('base64');
  if (`sha512-${hash}` !== integrity) throw new Error(`${name} has changed`);
  run('tar', ['-xzf', name, '--strip-components=2', 'package/bin'], folder);
  const part = join(
    folder,
    readdirSync(folder).find((file) => /^chromium.*\.br$/.test(file)) ?? '',
  );
  writeFileSync(join(folder, 'chromium'), brotliDecompressSync(readFileSync(part)), {
    mode: 0o755,
  });
  for (const file of [archive, part]) rmSync(file);
}

/** @param {string} command @param {string[]} args @param {string} cwd */
function run(command, args, cwd) {
  const { error, status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(stderr.trim().split('\n')[0] || `${command} failed`);
}

/** @param {TestContext} t @param {Version} version @returns {Promise<Browser>} */
async function launchVersion(t, version) {
  if (version === 'firefox') return firefox.launch(t, FIREFOX);
  if (version === 'webkit') return webkit.launch(t);
  if (version === 'current') return launch(t, process.env.CHROMIUM ?? '/usr/bin/chromium');
  const { binary } = findOldBrowser(version);
  return launch(t, binary, OLD_FLAGS);
}

/** Returns why a browser is not available here. @param {Exclude<Version, 'current'>} version */
export function whyMissing(version) {
  const made = spawnSync('make', ['pages'], { cwd: ROOT, encoding: 'utf8' });
  if (!existsSync(BUNDLE)) return `make pages: ${made.stderr.trim() || made.error?.message}`;
  if (version === 'firefox') return !existsSync(FIREFOX) && `there is no ${FIREFOX}`;
  return version === 'webkit' ? webkit.whatIsMissing() : findOldBrowser(version).skip;
}

/** @param {Version} version */
const isOld = (version) => typeof version === 'number' && version < 94;

/** Runs in the page: whether the version for old browsers has been loaded. */
const isOldVersion = () => document.querySelector('script[src^="/old/"]:not([defer])') !== null;

/**
 * Plays a match of the game Brief with one screen and one pad, on the default engine.
 * @param {TestContext} t @param {Version} version of the screen @param {Version} [padVersion] by default the same
 */
export async function playMatch(t, version, padVersion = version) {
  mkdirSync(OUTPUT, { recursive: true });
  const games = [...(await gamesOf('bumper')), ...(await loadBrief())]; // few, so their pictures are made soon
  const tv = await startTv(t, { args: ['--engine', 'auto'], games });
  const { url, cut, restore } = await startProxy(t, Number(tv.port));
  const television = await launchVersion(t, version);
  const screen = await television.open({ url, width: 1280, height: 720 });
  const isShared = isOld(version) && version === padVersion;
  const phone = isShared ? television : await launchVersion(t, padVersion);
  const link = `${url}/p?c=${tv.code}`;
  const pad = await phone.open({ url: link, width: 390, height: 780, mobile: true });
  /** @param {string} name */
  const pictures = async (name) => {
    await screen.screenshot(join(OUTPUT, `old-${version}-screen-${name}.png`));
    await pad.screenshot(join(OUTPUT, `old-${padVersion}-pad-${name}.png`));
  };

  await t.test('the lobby shows the code and the games', async () => {
    await screen.waitFor(
      'the code is shown',
      (code) => /** @type {HTMLElement} */ (document.getElementById('code')).innerText === code,
      tv.code,
    );
    await screen.visible('#game-list .card');
    await screen.waitFor('the selected game has its picture', isPainted, '#hero-picture');
    assert.equal(await screen.evaluate(isWide), false);
    assert.equal(await screen.evaluate(isOldVersion), isOld(version));
  });

  await t.test('a phone joins', async () => {
    await pad.visible('#join-form');
    await pad.screenshot(join(OUTPUT, `old-${padVersion}-pad-join.png`));
    await pad.evaluate(() => {
      /** @type {HTMLInputElement} */ (document.getElementById('join-name')).value = 'Anna';
    });
    await pad.tap('#join-form button');
    await pad.visible('#games .game');
    await screen.visible('.person');
    assert.equal(await pad.evaluate(isWide), false);
    assert.equal(await pad.evaluate(isOldVersion), isOld(padVersion));
    await pictures('lobby');
  });

  await t.test('the phone starts a game, and its stick moves the ball on the screen', async () => {
    await pad.tap('[data-game=brief]');
    await pad.visible('#stick');
    await screen.visible('#stage');
    await screen.waitFor('the game is drawn', isPainted, '#game');
    const color = await pad.evaluate(() =>
      getComputedStyle(document.documentElement).getPropertyValue('--player').trim(),
    );
    const find = () => findColor(/** @type {any} */ (screen), color);
    const start = await until(find, 'the ball is visible');
    const release = await pad.touch('#stick', { x: 0, y: 1 });
    await until(async () => {
      const now = await find();
      return now && now.y - start.y > 20;
    }, 'the ball has moved down');
    await pictures('play');
    await release();
  });

  await t.test('both come back after a lost connection', async () => {
    const [{ id, restarts }] = tv.lobby.matches;
    cut();
    await pad.visible('#lost');
    await screen.visible('#lost');
    await pictures('lost');
    restore();
    for (const page of [pad, screen]) {
      await page.waitFor(
        'the connection is back',
        () => /** @type {HTMLElement} */ (document.getElementById('lost')).hidden,
      );
    }
    assert.deepEqual([tv.lobby.matches[0].id, tv.lobby.matches[0].restarts], [id, restarts]);
  });

  await t.test('screen and phone show the results', async () => {
    await pad.tap('#buttons .a');
    await screen.waitFor('the podium has risen', () => {
      const block = document.querySelector('.step[data-place="1"] .block');
      return block !== null && block.getBoundingClientRect().height > 150;
    });
    await pictures('podium');
    await pad.visible('#result');
    await screen.visible('#lobby');
    await pictures('result');
    const title = await pad.evaluate(
      () => /** @type {HTMLElement} */ (document.querySelector('#result h3')).innerText,
    );
    assert.equal(title, 'You won!');
  });

  const errors = [...screen.errors, ...pad.errors];
  for (const error of errors) assert.match(error, EXPECTED_ERROR);
}

/** Opens a page in a browser that is too old. @param {TestContext} t @param {Version} version */
export async function openTooOld(t, version) {
  const tv = await startTv(t);
  const browser = await launchVersion(t, version);
  const page = await browser.open({
    url: `http://127.0.0.1:${tv.port}/pad`,
    width: 390,
    height: 780,
    init: 'delete window.ResizeObserver',
  });
  await page.waitFor('the page that says so', () => location.pathname === '/too-old');
  await page.waitFor('it is shown', () => /too old/.test(document.body.innerText));
  await page.screenshot(join(OUTPUT, `old-${version}-too-old.png`));
}
