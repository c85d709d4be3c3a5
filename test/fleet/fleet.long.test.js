/** Three TVs that are one console, each with its own nats-server; a screen and a phone in a real browser. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { LocalFleet, missingForFleet } from '../../bench/harness/local-fleet.js';
import { Client } from '../../bench/harness/client.js';
import { shareBrowser } from '../e2e/browser.js';
import { until } from '../support/tv.js';

const GIVE_UP_MS = 30_000;
const PHONE = { width: 740, height: 360 };
const skip = missingForFleet ?? false;
const fleet = new LocalFleet();
const browser = shareBrowser();

before(() => (skip ? undefined : fleet.start()));
after(() => fleet.stop());

/** @param {string} text of /metrics @param {string} name */
const metric = (text, name) =>
  Number(text.split(`\npitv_fleet_${name} `)[1]?.split('\n', 1)[0] ?? NaN);

/**
 * Notes when messages of one kind come to a page, also after it has changed to another TV.
 * @param {import('playwright-core').Page} page
 */
function watchSockets(page) {
  /** @type {{frames: number[], texts: {at: number, message: any}[]}} */
  const seen = { frames: [], texts: [] };
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      const at = performance.now();
      if (typeof payload === 'string') seen.texts.push({ at, message: JSON.parse(payload) });
      else seen.frames.push(at);
    }),
  );
  return seen;
}

test('a match goes on when its TV loses power', { skip }, async (t) => {
  const [a, b, c] = fleet.nodes;
  const context = await browser().newContext();
  const screenPage = await context.newPage();
  const atScreen = watchSockets(screenPage);
  await screenPage.goto(a.url);
  await screenPage.locator('#code').filter({ hasText: /\w/ }).waitFor();
  const witness = await Client.screen(c);
  t.after(() => witness.vanish());
  const { code } = await witness.wait('lobby');
  assert.equal(await screenPage.locator('#code').textContent(), code, 'one code');

  const phoneContext = await browser().newContext({
    viewport: PHONE,
    hasTouch: true,
    isMobile: true,
  });
  const phone = await phoneContext.newPage();
  const atPhone = watchSockets(phone);
  await phone.goto(`${a.url}/p?c=${code}`);
  await phone.locator('#join-name').fill('Ann');
  await phone.locator('#join-form button[type=submit]').tap();
  await phone.locator('#lobby').waitFor();
  const other = await Client.pad(b, { code, name: 'Ben' });
  const starter = await Client.screen(a);
  t.after(() => [other, starter].forEach((client) => client.vanish()));

  await t.test('all TVs have one list of players', async () => {
    await screenPage.locator('.person', { hasText: 'Ben' }).waitFor();
    await witness.wait('lobby', ({ players }) => players.length === 2);
  });

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

  /** @type {number} */
  let id;
  await t.test('a match runs on one TV and is shown at all', async () => {
    starter.send({ t: 'start', game: 'bumper' });
    ({ match: id } = await other.wait('match'));
    await phone.locator('#stick').waitFor();
    await witness.nextFrame(performance.now());
    await until(() => atScreen.frames.length > 0, 'frames at the screen');
    assert.equal(await fleet.ownerOf(id, 2), 0, 'the nearest TV with room');
  });

  await t.test('its TV and its server lose power: all find another one, and play on', async () => {
    const began = performance.now();
    fleet.kill(0, { server: true });
    const witnessed = await witness.nextFrame(began + 500, GIVE_UP_MS);
    const isHud = (/** @type {{at: number, message: any}} */ { at, message }) =>
      at > began + 500 && message.t === 'hud';
    const atScreenAgain = await until(
      () => atScreen.frames.find((at) => at > began + 500),
      'a frame at the screen',
      GIVE_UP_MS,
    );
    const played = await until(() => atPhone.texts.find(isHud), 'the phone plays', GIVE_UP_MS);
    const after = (/** @type {number} */ at) => `${Math.round(at - began)} ms`;
    t.diagnostic(
      `next frame: a screen of another TV after ${after(witnessed)}, one that had to change its TV after ${after(atScreenAgain)}; a phone that had to after ${after(played.at)}`,
    );
    const { message: welcome } =
      atPhone.texts.filter(({ message }) => message.t === 'welcome').at(-1) ?? {};
    assert.equal(welcome.resumed, true, 'the same player');
    assert.equal(welcome.player.name, 'Ann');
    assert.equal(
      other.messages.find(({ t }) => t === 'ended'),
      undefined,
    );
  });

  await t.test('the metrics of the others tell that a node is away', async () => {
    const isTold = async () => {
      const texts = await Promise.all(
        [b, c].map(async ({ url }) => (await fetch(`${url}/metrics`)).text()),
      );
      const values = (/** @type {string} */ name) => texts.map((text) => metric(text, name));
      const takeovers = values('takeovers_total{reason="dead"}');
      return (
        takeovers.some((count) => count > 0) &&
        values('nodes{state="up"}').every((count) => count === 2) &&
        values('nodes{state="away"}').every((count) => count === 1) &&
        values('quorum').every((quorum) => quorum === 1)
      );
    };
    await until(isTold, 'the metrics', GIVE_UP_MS);
  });

  await t.test('a page whose TV is gone loads from the others', async () => {
    const count = await screenPage.evaluate(async () => {
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
