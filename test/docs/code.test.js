/**
 * Checks the JavaScript on the pages. Every `js` block parses. All files of a page are written into one folder, and
 * those with a printed text are run. The web server of docs/runtime.md is asked.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'node:test';
import { promisify } from 'node:util';
import { format } from 'prettier';
import { Play } from '../../app/game-test/play.js';
import { listGameFiles, loadGame } from '../../app/game/load-games.js';
import { onlyLong } from '../support/extent.js';
import { BLOCKS, ROOT, filesIn, writePrograms } from './pages.js';

const GAMES = 'app/games/';
/** One round of play and more. */
const TICKS = 1200;

const files = filesIn('js');

test('every block of JavaScript parses', async () => {
  /** @type {string[]} */
  const wrong = [];
  for (const { lang, text, place } of BLOCKS) {
    if (lang !== 'js') continue;
    await format(text, { parser: 'babel' }).catch((error) =>
      wrong.push(`${place}: ${error.message}`),
    );
  }
  assert.deepEqual(wrong, []);
});

/** Writes the example files of a page. @param {string} page @returns {string} the folder */
const write = (page) => writePrograms(page, join('docs', page.replaceAll('/', '-')));

for (const { page, place, file, prints } of files.filter((each) => each.prints !== undefined)) {
  test(`${place}: ${file} prints what the page says`, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: write(page) });
    assert.equal(stdout.trimEnd(), prints);
  });
}

const games = files.filter(({ file }) => file.startsWith(GAMES));

test('there are examples', () => {
  assert.ok(games.length > 0);
  assert.ok(files.some(({ prints }) => prints !== undefined));
});

for (const page of new Set(games.map((each) => each.page))) {
  test(`the games of ${page} load, play, and go on from a checkpoint`, async () => {
    const folder = write(page);
    symlinkSync(join(ROOT, 'app/game'), join(folder, 'app/game'));
    const paths = await listGameFiles(join(folder, GAMES));
    assert.ok(paths.length > 0);
    for (const path of paths) {
      const game = await loadGame(path);
      const play = new Play(game, 7);
      for (let tick = 0; tick < TICKS; tick++) play.step();
      const copy = new Play(game, 7, play);
      copy.job.restore(play.save());
      for (let tick = 0; tick < TICKS; tick++) [play, copy].forEach((each) => each.step());
      assert.ok(play.frameLength > 0);
      assert.deepEqual(copy.save(), play.save());
    }
  });
}

/** Takes far longer than an answer of the other route, in any case. */
const LONG = 37;
const FIBONACCI_OF_LONG = 24_157_817;

test('the web server of docs/runtime.md answers while a request computes', async (t) => {
  const folder = writePrograms('docs/runtime.md', 'docs-server');
  const server = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env: { ...process.env, PORT: '0', NODE_ENV: 'test' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  server.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  const closed = once(server, 'close');
  t.after(() => server.kill());
  const [url] = await once(createInterface(server.stdout), 'line');

  /** @type {string[]} */
  const order = [];
  const long = fetch(`${url}/fibonacci/${LONG}`).then((response) => {
    order.push('long');
    return response.json();
  });
  const hello = await fetch(`${url}/hello`).then((response) => response.text());
  order.push('hello');
  assert.equal(hello, 'hello');
  assert.deepEqual(await long, { n: LONG, result: FIBONACCI_OF_LONG });
  assert.deepEqual(order, ['hello', 'long']);

  const crashed = await fetch(`${url}/fibonacci/1000000`); // its stack overflows
  assert.equal(crashed.status, 500);
  assert.match(await crashed.text(), /RangeError: Maximum call stack/);
  assert.equal((await fetch(`${url}/hello`)).status, 200);
  server.kill();
  await closed;
  assert.equal(errors, '');
});

const skip = onlyLong;
test('thumbnails of a pool do not delay timers of the main thread', { skip }, async () => {
  const options = { cwd: writePrograms('docs/runtime.md', 'docs-thumbnails') };
  const { stdout } = await promisify(execFile)(process.execPath, ['thumbnails.mjs'], options);
  const [own, pooled] = [...stdout.matchAll(/takes ([\d.]+) ms/g)].map(([, ms]) => Number(ms));
  assert.ok(pooled * 3 < own, stdout);
});
