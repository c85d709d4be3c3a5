/** A native pad beside a browser that shows the game. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { UdpPad } from '../../app/udp/client.js';
import { OUTPUT, findColor, launchBrowser, openScreen } from './browser.js';
import { startTv } from './tv.js';

/** The middle of the arena in findColor()'s picture of 640 x 360. */
const MIDDLE = { x: 320, y: 190 };
const PATIENCE_MS = 30_000;

test('the ball that a native pad pushes by datagrams moves on a screen', async (t) => {
  const tv = await startTv(t, '--udp', '0');
  const browser = await launchBrowser(t);
  /** @type {string[]} */
  const problems = [];
  const screen = await openScreen(browser, tv.url, problems);
  const pad = await UdpPad.join({ tv: new URL(tv.url).host, code: tv.code, name: 'Udo' });
  t.after(() => pad.close());
  await screen.getByText('Udo', { exact: true }).waitFor();
  const seated = new Promise((resolve) => pad.once('match', resolve));
  pad.send({ t: 'start', game: 'bumper' });
  await seated;
  await screen.locator('#stage').waitFor();

  const { color } = /** @type {{color: string}} */ (pad.player);
  const find = () => findColor(screen, color);
  /** @param {() => Promise<any>} question @param {string} what */
  const until = async (question, what) => {
    const end = Date.now() + PATIENCE_MS;
    while (Date.now() < end) {
      const answer = await question();
      if (answer) return answer;
      await screen.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    }
    throw new Error(`gave up waiting until ${what}`);
  };
  const start = await until(find, 'the ball is to be seen');
  const length = Math.hypot(MIDDLE.x - start.x, MIDDLE.y - start.y) || 1;
  const x = (MIDDLE.x - start.x) / length;
  const y = (MIDDLE.y - start.y) / length;
  pad.set({ x: Math.round(x * 127), y: Math.round(y * 127) });
  await until(async () => {
    const now = await find();
    return now && (now.x - start.x) * x + (now.y - start.y) * y > 20;
  }, 'the ball has moved where the pad pushes it');
  await screen.screenshot({ path: join(OUTPUT, 'udp-game.png') });
  assert.match(await tv.metrics(), /pitv_udp_datagrams_total\{outcome="accepted"\} [1-9]/);
  assert.deepEqual(problems, []);
});
