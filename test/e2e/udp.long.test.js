/** A native pad and a screen in a real browser. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { UdpPad } from '../../app/udp/client.js';
import { OUTPUT, findColor, launchBrowser, openScreen, until } from './browser.js';
import { startServe } from '../support/serve.js';

/** The middle of the arena in findColor()'s picture of 640 x 360. */
const MIDDLE = { x: 320, y: 190 };
/** A small screen takes less CPU time. */
const VIEWPORT = { width: 640, height: 360 };

test('the ball that a native pad pushes moves on a screen', async (t) => {
  const tv = await startServe(t, '--engine', 'thread', '--udp', '0');
  const browser = await launchBrowser(t);
  /** @type {string[]} */
  const problems = [];
  const screen = await openScreen(browser, tv.url, problems, VIEWPORT);
  const pad = await UdpPad.join({ tv: new URL(tv.url).host, code: tv.code, name: 'Udo' });
  t.after(() => pad.close());
  await screen.getByText('Udo', { exact: true }).waitFor();
  const seated = new Promise((resolve) => pad.once('match', resolve));
  pad.send({ t: 'start', game: 'bumper' });
  await seated;
  await screen.locator('#stage').waitFor();

  const { color } = /** @type {{color: string}} */ (pad.player);
  const find = () => findColor(screen, color);
  const start = await until(screen, find, 'the ball is visible');
  const length = Math.hypot(MIDDLE.x - start.x, MIDDLE.y - start.y) || 1;
  const x = (MIDDLE.x - start.x) / length;
  const y = (MIDDLE.y - start.y) / length;
  pad.set({ x: Math.round(x * 127), y: Math.round(y * 127) });
  await until(
    screen,
    async () => {
      const now = await find();
      return now && (now.x - start.x) * x + (now.y - start.y) * y > 20;
    },
    'the ball has moved where the pad pushes it',
  );
  await screen.screenshot({ path: join(OUTPUT, 'udp-game.png') });
  assert.match(await tv.metrics(), /pitv_udp_datagrams_total\{outcome="accepted"\} [1-9]/);
  assert.deepEqual(problems, []);
});
