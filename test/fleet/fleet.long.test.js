/** Three TVs that are one console, and a screen and a phone in real browsers at the one that loses power. */
import assert from 'node:assert/strict';
import { shareBrowser } from '../e2e/browser.js';
import { until } from '../support/tv.js';
import { GIVE_UP_MS, startFleet, startMatch, test } from './play.js';

const PHONE = { viewport: { width: 740, height: 360 }, hasTouch: true, isMobile: true };
const browser = await shareBrowser();

/**
 * Opens a page, and notes what it receives, also after it has changed to another TV.
 * @param {import('node:test').TestContext} t
 * @param {string} url @param {import('playwright-core').BrowserContextOptions} [options]
 */
async function openPage(t, url, options) {
  const page = await (await browser(t).newContext(options)).newPage();
  /** @type {any[]} */
  const messages = [];
  const seen = { page, messages, framesAt: 0 };
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (typeof payload === 'string') messages.push(JSON.parse(payload));
      else seen.framesAt = performance.now();
    }),
  );
  await page.goto(url);
  return seen;
}

test('a match goes on when its TV loses power', async (t) => {
  const parts = await startFleet(t, { flags: ['--engine', 'auto'] });
  const { fleet, code } = parts;
  const [a, b, c] = fleet.nodes;
  const screen = await openPage(t, a.url);
  await screen.page.locator('#code', { hasText: code }).waitFor();
  const phone = await openPage(t, `${a.url}/p?c=${code}`, PHONE);
  await phone.page.locator('#join-name').fill('Cleo');
  await phone.page.locator('#join-form button[type=submit]').tap();
  await phone.page.locator('#lobby').waitFor();

  await t.test('a password that is set at one TV is that of all', async () => {
    /** @param {number} i @param {string} path @param {Record<string, string>} [headers] */
    const post = (i, path, headers = {}) =>
      fetch(`${fleet.nodes[i].url}/api/admin/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: fleet.nodes[i].url, ...headers },
        body: JSON.stringify({ password: 'correct horse' }),
      });
    const isSet = async () =>
      (await (await fetch(`${c.url}/api/admin/session`)).json()).passwordSet === true;
    const authorization = `Bearer ${fleet.adminToken(0)}`;
    assert.equal((await post(0, 'password', { authorization })).status, 204);
    await until(isSet, 'the other TV takes it', GIVE_UP_MS);
    assert.equal((await post(2, 'login')).status, 204);
  });

  await t.test('its TV and its server lose power: both pages find another one', async () => {
    const { owner } = await startMatch(t, parts, 0);
    assert.equal(owner, 0, 'the nearest TV with room');
    await phone.page.locator('#stick').waitFor();
    await until(() => screen.framesAt > 0, 'frames at the screen');

    const from = phone.messages.length;
    fleet.kill(0, { server: true });
    const since = performance.now() + 500;
    await until(() => screen.framesAt > since, 'a frame at the screen', GIVE_UP_MS);
    const welcomed = () =>
      phone.messages.findIndex(({ t: type }, i) => i >= from && type === 'welcome');
    const plays = () =>
      welcomed() >= 0 && phone.messages.slice(welcomed()).some(({ t: type }) => type === 'hud');
    await until(plays, 'the phone plays', GIVE_UP_MS);
    const { resumed, player } = phone.messages[welcomed()];
    assert.deepEqual([resumed, player.name], [true, 'Cleo'], 'the same player');
  });

  await t.test('the metrics of the others tell that a node is away', async () => {
    const EXPECTED = /_nodes{state="up"} 2\n.*_nodes{state="away"} 1\n.*_quorum 1\n/s;
    const isTold = async () => {
      const texts = await Promise.all(
        [b, c].map(async ({ url }) => (await fetch(`${url}/metrics`)).text()),
      );
      const haveTaken = texts.some((text) => /_takeovers_total{reason="dead"} [1-9]/.test(text));
      return haveTaken && texts.every((text) => EXPECTED.test(text));
    };
    await until(isTold, 'the metrics', GIVE_UP_MS);
  });

  await t.test('a page whose TV is gone loads from the others', async () => {
    const count = await screen.page.evaluate(async () => {
      const { loadGames } = await import(/** @type {any} */ ('/lib/games.js').toString());
      return (await loadGames()).length;
    });
    assert.ok(count > 0);
    const statusFor = async (/** @type {string} */ origin) =>
      (await fetch(`${c.url}/api/games`, { headers: { origin } })).status;
    assert.equal(await statusFor(a.url), 200);
    assert.equal(await statusFor('http://10.9.9.9'), 403, 'a page of a stranger');
  });
});
